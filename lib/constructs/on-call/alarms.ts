import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IFunction, Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { IStateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { FUNCTION_METRICS } from '../../contract/functions/metrics.ts';
import { LEDGER_INDEXES } from '../../contract/ledger/table.ts';
import type { OutcomeKind } from '../../domain/rollout/outcome.ts';
import type { WorkflowFunction } from '../../workflow/functions.ts';
import { addAlarm, sumMetrics } from '../resources/alarm.ts';

/** What the people on call watch. */
export interface WatchedResources {
  readonly stateMachine: IStateMachine;
  readonly table: Table;
  /** The functions that the workflow calls: at most 10, because one alarm takes no more metrics. */
  readonly steps: Readonly<Record<WorkflowFunction, LambdaFunction>>;
  readonly functions: Readonly<Record<string, IFunction>>;
  /** Dead-letter queues, by the kind of their letters. */
  readonly queues: Readonly<Record<string, IQueue>>;
}

const AT_ONCE = Duration.minutes(1);
const PATIENTLY = Duration.minutes(5);

/** The workflow tries a step again, so this many errors are more than a single one that passed. */
const ERRORS_THAT_DID_NOT_HEAL = 5;

/** The alarms that ring when rollouts fail or run into the limits of the account. */
export class RolloutAlarms extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: Pick<WatchedResources, 'stateMachine' | 'table' | 'steps'>,
  ) {
    super(scope, id);
    const { stateMachine, table, steps } = props;
    const lambdas = Object.values(steps);
    addAlarm(this, 'Failed', {
      group: 'rollouts',
      isVital: true,
      description:
        'A rollout failed, ran out of time or was stopped: docs/runbook.md, "A rollout failed"',
      // This is not every execution that fails: a rollout that gave way to a newer one must wake nobody.
      metric: sumMetrics(
        [
          ...BAD_OUTCOMES.map((outcome) => closedRollouts(steps.closeRollout, outcome)),
          stateMachine.metricTimedOut(),
          stateMachine.metricAborted(),
        ],
        'Failed rollouts',
        AT_ONCE,
      ),
    });
    addAlarm(this, 'StepErrors', {
      group: 'steps',
      description: 'Steps of rollouts keep failing: docs/runbook.md, "Steps keep failing"',
      metric: sumMetrics(
        lambdas.map((lambda) => lambda.metricErrors()),
        'Errors of the steps',
        PATIENTLY,
      ),
      threshold: ERRORS_THAT_DID_NOT_HEAL,
    });
    addAlarm(this, 'StepThrottles', {
      group: 'throttling',
      description: 'Lambda throttles the steps of rollouts: docs/runbook.md, "Throttled by AWS"',
      metric: sumMetrics(
        lambdas.map((lambda) => lambda.metricThrottles()),
        'Throttled steps',
        PATIENTLY,
      ),
    });
    addAlarm(this, 'WorkflowThrottles', {
      group: 'throttling',
      description: 'Step Functions throttles rollouts: docs/runbook.md, "Throttled by AWS"',
      metric: stateMachine.metricThrottled({ period: PATIENTLY }),
    });
    addAlarm(this, 'LedgerThrottles', {
      group: 'throttling',
      description: 'DynamoDB throttles the ledger: docs/runbook.md, "Throttled by AWS"',
      metric: sumMetrics(ledgerThrottles(table), 'Throttled reads and writes', PATIENTLY),
    });
  }
}

const BAD_OUTCOMES = ['Failed', 'Errored'] as const satisfies OutcomeKind[];

function closedRollouts({ functionName }: IFunction, outcome: OutcomeKind): Metric {
  const { namespace, service, rollouts } = FUNCTION_METRICS;
  const operation: WorkflowFunction = 'closeRollout';
  return new Metric({
    namespace,
    metricName: rollouts.name,
    dimensionsMap: { service, operation, function: functionName, outcome },
    statistic: 'Sum',
  });
}

/**
 * Reads and writes that DynamoDB refused because there were too many. DynamoDB counts those of the table and those of
 * each index separately: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
 */
export function ledgerThrottles({ tableName }: Table): IMetric[] {
  const ofTable = { TableName: tableName };
  const ofIndexes = LEDGER_INDEXES.map(({ name }) => ({
    ...ofTable,
    GlobalSecondaryIndexName: name,
  }));
  return [ofTable, ...ofIndexes].flatMap((dimensionsMap) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
      (metricName) =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap,
          statistic: Stats.SUM,
        }),
    ),
  );
}
