import { describe, expect, test } from '@jest/globals';
import { CfnOutput, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Construct } from 'constructs';
import { EndpointRollouts } from '../../lib/constructs/endpoint-rollouts.ts';
import { instancesIn } from '../../lib/contract/stack/outputs.ts';
import { createApp } from '../support/create-app.ts';
import { EVERYTHING } from './everything.ts';

const add = (scope: Construct, id: string, name: string, outputs?: boolean) =>
  new EndpointRollouts(scope, id, {
    ...EVERYTHING,
    endpointUrl: `https://${name}.example.com`,
    ...{ name, outputs },
  });
const shopStack = () =>
  new Stack(createApp({ context: { 'aws:cdk:bundling-stacks': [] } }), 'Shop');

/** Each value is its text as JSON, because what CloudFormation makes of it is known only there. */
function found(stack: Stack): readonly string[] {
  const outputs = Object.entries(Template.fromStack(stack).findOutputs('*'));
  const texts = outputs.map(([name, { Value }]) => [name, JSON.stringify(Value)]);
  return instancesIn(Object.fromEntries(texts)).map(({ id }) => id);
}

const calledIn = (stack: Stack) => {
  const functions = Object.values(Template.fromStack(stack).findResources('AWS::Lambda::Function'));
  const names = functions.map(({ Properties }) => Properties.Environment?.Variables.STACK_NAME);
  return [...new Set(names.filter((one) => one !== undefined))].toSorted();
};

describe('the outputs of an instance', () => {
  test('are found in a stack of somebody else, whose outputs stay', () => {
    const stack = shopStack();
    new CfnOutput(stack, 'StateMachineArn', { value: 'another' });
    add(stack, 'Rollouts', 'one');

    expect(found(stack)).toEqual(['Rollouts']);
    Template.fromStack(stack).hasOutput('StateMachineArn', { Value: 'another' });
    expect(calledIn(stack)).toEqual(['Shop']);
  });

  test('are those of each, which is called by its id in the commands that people are told', () => {
    const stack = shopStack();
    add(stack, 'Prod', 'one');
    add(new Construct(stack, 'In-Test'), 'Rollouts', 'two');

    expect(found(stack)).toEqual(['InTestRollouts', 'Prod']);
    expect(calledIn(stack)).toEqual(['Shop/InTestRollouts', 'Shop/Prod']);
  });

  test('are left out', () => {
    const stack = shopStack();
    add(stack, 'Rollouts', 'one', false);

    expect(Template.fromStack(stack).findOutputs('*')).toEqual({});
  });

  test('have every queue and every topic', () => {
    const stack = shopStack();
    add(stack, 'Rollouts', 'one');
    const template = Template.fromStack(stack);
    const shown = JSON.stringify(template.findOutputs('*'));
    const kept = ['AWS::SQS::Queue', 'AWS::SNS::Topic'].flatMap((type) =>
      Object.keys(template.findResources(type)),
    );
    expect(kept).toHaveLength(5);
    expect(kept.filter((id) => !shown.includes(`"${id}"`))).toEqual([]);
  });
});
