import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { readJsonFile } from '../../../lib/adapters/machine/files.ts';
import { Janitor } from '../../../lib/constructs/flow/janitor.ts';
import { RolloutLedger } from '../../../lib/constructs/flow/ledger.ts';
import { OPEN_INDEX } from '../../../lib/contract/ledger/table.ts';
import { createApp } from '../../support/create-app.ts';
import { JANITOR_ACTIONS } from '../../support/janitor-actions.ts';

const stack = stackWithJanitor();
const template = Template.fromStack(stack);
const refOf = (type: string): string => Object.keys(template.findResources(type))[0] ?? '';
const machine = refOf('AWS::StepFunctions::StateMachine');
const table = refOf('AWS::DynamoDB::Table');
const queueArn = { 'Fn::GetAtt': [refOf('AWS::SQS::Queue'), 'Arn'] };
const functionOf = (name: string) => ({
  'Fn::GetAtt': [Match.stringLikeRegexp(`^Janitor${name}Function`), 'Arn'],
});

describe('the rules', () => {
  const target = (name: string) => [
    Match.objectLike({
      Arn: functionOf(name),
      DeadLetterConfig: { Arn: queueArn },
      RetryPolicy: { MaximumEventAgeInSeconds: 300, MaximumRetryAttempts: 3 },
    }),
  ];

  test('executions of our own machine that ended otherwise than well go to the janitor', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      EventPattern: {
        source: ['aws.states'],
        'detail-type': ['Step Functions Execution Status Change'],
        detail: {
          stateMachineArn: [{ Ref: machine }],
          status: ['FAILED', 'TIMED_OUT', 'ABORTED'],
        },
      },
      Targets: target('janitor'),
    });
  });

  test('A09: the sweep runs every five minutes', () => {
    template.hasResourceProperties('AWS::Events::Rule', {
      ScheduleExpression: 'rate(5 minutes)',
      State: 'ENABLED',
      Targets: target('sweep'),
    });
    template.resourceCountIs('AWS::Events::Rule', 2);
  });

  test('a sweep that does not run rings, also when nothing is counted any more', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'Invocations',
      Dimensions: [{ Name: 'FunctionName', Value: { Ref: functionOf('sweep')['Fn::GetAtt'][0] } }],
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
    });
  });

  test('each may invoke its function, and nobody else may', () => {
    const permissions = Object.values(template.findResources('AWS::Lambda::Permission'));
    expect(permissions.map(({ Properties }) => Properties)).toEqual(
      ['Ended', 'Regularly'].map((rule) => ({
        Action: 'lambda:InvokeFunction',
        FunctionName: expect.anything(),
        Principal: 'events.amazonaws.com',
        SourceArn: { 'Fn::GetAtt': [expect.stringMatching(`^Janitor${rule}`), 'Arn'] },
      })),
    );
  });
});

describe.each(['janitor', 'sweep'])('the function %s', (name) => {
  test('knows the machine and the table, is tried again by Lambda when it crashed, and loses no event', () => {
    template.hasResourceProperties('AWS::Lambda::Function', {
      Environment: {
        Variables: { TABLE_NAME: { Ref: table }, STATE_MACHINE_ARN: { Ref: machine } },
      },
      DeadLetterConfig: { TargetArn: queueArn },
      Role: { 'Fn::GetAtt': [Match.stringLikeRegexp(`^Janitor${name}Role`), 'Arn'] },
    });
    template.allResourcesProperties('AWS::Lambda::EventInvokeConfig', { MaximumRetryAttempts: 2 });
  });

  test('may do what it does, and no more', () => {
    const tableArn = { 'Fn::GetAtt': [table, 'Arn'] };
    const ownStatements = statementsOf(name).filter(
      ({ Action }) => !/^(logs|xray):/.test([Action].flat()[0] ?? ''),
    );
    const dynamodb = (actions: readonly string[]) => {
      const [first, ...rest] = actions.map((action) => `dynamodb:${action}`);
      return rest.length > 0 ? [first, ...rest] : first;
    };
    expect(ownStatements).toHaveLength(5);
    expect(ownStatements).toEqual(
      expect.arrayContaining([
        { Action: 'sqs:SendMessage', Effect: 'Allow', Resource: queueArn },
        {
          Action: 'events:PutEvents',
          Effect: 'Allow',
          Resource: { 'Fn::GetAtt': [refOf('AWS::Events::EventBus'), 'Arn'] },
          Condition: { StringEquals: { 'events:source': 'steproll' } },
        },
        { Action: dynamodb(JANITOR_ACTIONS.table), Effect: 'Allow', Resource: tableArn },
        {
          Action: dynamodb(JANITOR_ACTIONS.index),
          Effect: 'Allow',
          Resource: { 'Fn::Join': ['', [tableArn, `/index/${OPEN_INDEX.name}`]] },
        },
        {
          Action: 'states:DescribeExecution',
          Effect: 'Allow',
          Resource: executionsOf(machine),
        },
      ]),
    );
  });
});

test('the index holds the attributes that a held lease has', () => {
  template.hasResourceProperties('AWS::DynamoDB::Table', {
    GlobalSecondaryIndexes: Match.arrayWith([
      {
        IndexName: 'open',
        KeySchema: [{ AttributeName: 'openAs', KeyType: 'HASH' }],
        Projection: {
          ProjectionType: 'INCLUDE',
          NonKeyAttributes: ['runtimeId', 'rolloutId', 'epoch', 'leaseUntil'],
        },
      },
    ]),
  });
});

describe('the alarms', () => {
  const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  const common = {
    Period: 300,
    EvaluationPeriods: 3,
    DatapointsToAlarm: 1,
    Threshold: 1,
    ComparisonOperator: 'GreaterThanOrEqualToThreshold',
    TreatMissingData: 'notBreaching',
  };

  test('one rings at the first rollout that was left open', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...common,
      Namespace: 'steproll',
      MetricName: 'abandoned',
      Dimensions: [
        { Name: 'service', Value: 'steproll' },
        { Name: 'stateMachine', Value: { 'Fn::GetAtt': [machine, 'Name'] } },
      ],
      Statistic: 'Sum',
    });
  });

  test('E12: one rings at the first event that got lost or that a function failed on', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      ...common,
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [
        {
          Name: 'QueueName',
          Value: { 'Fn::GetAtt': [refOf('AWS::SQS::Queue'), 'QueueName'] },
        },
      ],
      Statistic: 'Maximum',
    });
    expect(alarms).toHaveLength(3);
  });

  test('each names a section of the runbook that is there', () => {
    for (const { Properties } of alarms) {
      const [, file = '', section] =
        /(docs\/\S+\.md), "(.+)"/.exec(Properties.AlarmDescription) ?? [];
      expect(readFileSync(file, 'utf8')).toContain(`\n## ${section}\n`);
    }
  });
});

test('the dead letters are encrypted, kept for two weeks, and open to these rules alone, over TLS', () => {
  template.hasResourceProperties('AWS::SQS::Queue', {
    SqsManagedSseEnabled: true,
    MessageRetentionPeriod: 1_209_600,
  });
  const [policy] = Object.values(template.findResources('AWS::SQS::QueuePolicy'));
  const statements: Record<string, unknown>[] = policy?.Properties.PolicyDocument.Statement;
  const [tls, ...rest] = statements;
  expect(tls).toMatchObject({
    Effect: 'Deny',
    Action: 'sqs:*',
    Principal: { AWS: '*' },
    Condition: { Bool: { 'aws:SecureTransport': 'false' } },
  });
  expect(rest).toEqual(
    ['Ended', 'Regularly'].map((rule) => ({
      Sid: expect.any(String),
      Effect: 'Allow',
      Action: 'sqs:SendMessage',
      Principal: { Service: 'events.amazonaws.com' },
      Resource: queueArn,
      Condition: {
        ArnEquals: {
          'aws:SourceArn': { 'Fn::GetAtt': [expect.stringMatching(`^Janitor${rule}`), 'Arn'] },
        },
      },
    })),
  );
});

function stackWithJanitor(): Stack {
  const { context } = readJsonFile('cdk.json').value as { readonly context: object };
  const own = new Stack(
    createApp({ context: { ...context, 'aws:cdk:bundling-stacks': [] } }),
    'Own',
  );
  const { table } = new RolloutLedger(own, 'Ledger');
  const stateMachine = new StateMachine(own, 'Machine', {
    definitionBody: DefinitionBody.fromChainable(new Pass(own, 'Pass')),
  });
  const bus = new EventBus(own, 'Bus');
  new Janitor(own, 'Janitor', { stateMachine, table, bus, stackName: own.stackName });
  return own;
}

interface Statement {
  readonly Action: string | readonly string[];
}

function statementsOf(name: string): Statement[] {
  return Object.entries(template.findResources('AWS::IAM::Policy'))
    .filter(([id]) => id.startsWith(`Janitor${name}Role`))
    .flatMap(([, { Properties }]) => Properties.PolicyDocument.Statement as Statement[]);
}

/** The executions of a state machine: its ARN with another kind of resource, and any name. */
function executionsOf(stateMachine: string): object {
  const arnPart = (index: number) => ({
    'Fn::Select': [index, { 'Fn::Split': [':', { Ref: stateMachine }] }],
  });
  return {
    'Fn::Join': [
      '',
      [
        'arn:',
        { Ref: 'AWS::Partition' },
        ':states:',
        { Ref: 'AWS::Region' },
        ':',
        { Ref: 'AWS::AccountId' },
        ':execution:',
        arnPart(6),
        ':*',
      ],
    ],
  };
}
