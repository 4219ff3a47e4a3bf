import { describe, expect, test } from '@jest/globals';
import { Template } from 'aws-cdk-lib/assertions';
import { config, createStack } from './create-stack.ts';
import { type Resource, resourcesOf } from './read-template.ts';

const never = resourcesOf(createStack());
const some = createStack({ base: { ...config, historyDays: 90 } });

function ofType(resources: Readonly<Record<string, Resource>>, type: string): Resource[] {
  return Object.values(resources).filter(({ Type }) => Type === type);
}

/** The functions that use the ledger, and what they are told of its history. */
function daysByFunction(resources: Readonly<Record<string, Resource>>): Record<string, unknown> {
  const functions = ofType(resources, 'AWS::Lambda::Function').flatMap(
    ({ Properties, Metadata }) => {
      const { Variables = {} } = (Properties.Environment ?? {}) as {
        readonly Variables?: Readonly<Record<string, unknown>>;
      };
      const [name = ''] = (Metadata?.['aws:cdk:path'] ?? '').split('/').slice(-3);
      return 'TABLE_NAME' in Variables ? [[name, Variables.HISTORY_DAYS ?? null]] : [];
    },
  );
  return Object.fromEntries(functions);
}

describe('historyDays of a stack', () => {
  test.each([
    ['with', some],
    ['without', null],
  ])('the table removes by itself what says so of itself, %s it', (_, stack) => {
    const [table] = ofType(stack === null ? never : resourcesOf(stack), 'AWS::DynamoDB::Table');
    expect(table?.Properties.TimeToLiveSpecification).toEqual({
      AttributeName: 'expiresAt',
      Enabled: true,
    });
  });

  test('every function that may close a rollout knows it, and only with it', () => {
    const { start, ...closing } = daysByFunction(resourcesOf(some));
    // It only records rollouts that begin.
    expect(start).toBeNull();
    expect(closing).toEqual({
      ...{ openRollout: '90', roll: '90', look: '90', turnAround: '90' },
      ...{ stop: '90', closeRollout: '90', janitor: '90', sweep: '90' },
    });
    expect(new Set(Object.values(daysByFunction(never)))).toEqual(new Set([null]));
  });

  test('the command line finds it among the outputs', () => {
    const outputs = (stack: ReturnType<typeof createStack>) =>
      Object.keys(Template.fromStack(stack).findOutputs('*'));
    expect(outputs(some)).toContain('RolloutsHistoryDays');
    expect(outputs(createStack())).not.toContain('RolloutsHistoryDays');
  });
});
