import { describe, expect, test } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { DefinitionBody, Pass, StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { RolloutLedger } from '../../../lib/constructs/flow/ledger.ts';
import { RolloutAlarms } from '../../../lib/constructs/on-call/alarms.ts';
import { alarmsWithin } from '../../../lib/constructs/resources/alarm.ts';
import { LEDGER_INDEXES } from '../../../lib/contract/ledger/table.ts';
import { WORKFLOW_FUNCTIONS } from '../../../lib/workflow/functions.ts';
import { createApp } from '../../support/create-app.ts';

const stack = stackWithAlarms();
const template = Template.fromStack(stack);
const machine = { StateMachineArn: { Ref: idsOf('AWS::StepFunctions::StateMachine')[0] } };
const functions = idsOf('AWS::Lambda::Function').map((id) => ({ FunctionName: { Ref: id } }));

describe('what rings', () => {
  test('one rollout that did not end well, within a minute; one that gave way is none', () => {
    const { FunctionName } = functions[WORKFLOW_FUNCTIONS.indexOf('closeRollout')] ?? {};
    const of = { service: 'steproll', operation: 'closeRollout', function: FunctionName };
    const metrics = [
      ...['Failed', 'Errored'].map((outcome) => ['steproll', 'rollouts', { ...of, outcome }, 60]),
      ...['ExecutionsTimedOut', 'ExecutionsAborted'].map((name) => [
        'AWS/States',
        name,
        machine,
        60,
      ]),
    ];
    expect(alarm('A rollout failed')).toEqual({ metrics, threshold: 1 });
  });

  test('five errors of steps in five minutes: the first few were tried again', () => {
    const metrics = functions.map((of) => ['AWS/Lambda', 'Errors', of, 300]);
    expect(alarm('Steps of rollouts')).toEqual({ metrics, threshold: 5 });
    expect(metrics).toHaveLength(WORKFLOW_FUNCTIONS.length);
  });

  test('throttling by Lambda', () => {
    const metrics = functions.map((of) => ['AWS/Lambda', 'Throttles', of, 300]);
    expect(alarm('Lambda throttles')).toEqual({ metrics, threshold: 1 });
  });

  test('throttling by Step Functions', () => {
    const metrics = [['AWS/States', 'ExecutionThrottled', machine, 300]];
    expect(alarm('Step Functions throttles')).toEqual({ metrics, threshold: 1 });
  });

  test('throttling by DynamoDB, of the table and of each of its indexes', () => {
    const TableName = { Ref: idsOf('AWS::DynamoDB::Table')[0] };
    const indexes = LEDGER_INDEXES.map(({ name }) => ({ GlobalSecondaryIndexName: name }));
    const metrics = [{}, ...indexes].flatMap((index) =>
      ['ReadThrottleEvents', 'WriteThrottleEvents'].map((name) => [
        'AWS/DynamoDB',
        name,
        { TableName, ...index },
        300,
      ]),
    );
    const { metrics: shown, threshold } = alarm('DynamoDB throttles');
    expect([threshold, shown.length]).toEqual([1, metrics.length]);
    expect(shown).toEqual(expect.arrayContaining(metrics));
  });

  test('is a sum: in arithmetic CloudWatch takes what is missing as 0', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      Metrics: [
        { Expression: 'm0 + m1 + m2 + m3', ReturnData: true },
        { ReturnData: false },
        { ReturnData: false },
        { ReturnData: false },
        { ReturnData: false },
      ],
    });
  });
});

test('all of them are found from above', () => {
  expect(alarmsWithin(stack)).toHaveLength(5);
});

interface Metric {
  readonly Namespace: string;
  readonly MetricName: string;
  readonly Dimensions: readonly { readonly Name: string; readonly Value: unknown }[];
}

interface Properties extends Metric {
  readonly AlarmDescription: string;
  readonly Threshold: number;
  readonly Period: number;
  readonly Statistic?: string;
  readonly Metrics?: readonly {
    readonly MetricStat?: {
      readonly Metric: Metric;
      readonly Period: number;
      readonly Stat: string;
    };
  }[];
}

/** The alarm whose text starts so: what it sums up, and from when on it rings. */
function alarm(text: string) {
  const all = Object.values(template.findResources('AWS::CloudWatch::Alarm'));
  const [found, ...others] = all
    .map(({ Properties }) => Properties as Properties)
    .filter(({ AlarmDescription }) => AlarmDescription.startsWith(text));
  if (found === undefined || others.length > 0) throw new Error(`not one alarm: ${text}`);
  const single = { MetricStat: { Metric: found, Period: found.Period, Stat: found.Statistic } };
  const metrics = (found.Metrics ?? [single]).flatMap(({ MetricStat }) => {
    if (MetricStat === undefined) return [];
    expect(MetricStat.Stat).toBe('Sum');
    const { Namespace, MetricName, Dimensions } = MetricStat.Metric;
    const of = Object.fromEntries(Dimensions.map(({ Name, Value }) => [Name, Value]));
    return [[Namespace, MetricName, of, MetricStat.Period]];
  });
  return { metrics, threshold: found.Threshold };
}

function idsOf(type: string): string[] {
  return Object.keys(template.findResources(type));
}

function stackWithAlarms(): Stack {
  const own = new Stack(createApp(), 'Stack');
  const lambdas = WORKFLOW_FUNCTIONS.map((name) => [
    name,
    new LambdaFunction(own, name, {
      runtime: Runtime.NODEJS_24_X,
      handler: 'index.handler',
      code: Code.fromInline('exports.handler = () => {};'),
    }),
  ]);
  const stateMachine = new StateMachine(own, 'Machine', {
    definitionBody: DefinitionBody.fromChainable(new Pass(own, 'Pass')),
  });
  const { table } = new RolloutLedger(own, 'Ledger');
  new RolloutAlarms(own, 'Alarms', { stateMachine, table, steps: Object.fromEntries(lambdas) });
  return own;
}
