import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { type Table, TableGrants } from 'aws-cdk-lib/aws-dynamodb';
import { type EventBus, type IRuleTarget, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { STATUS_CHANGE } from '../../contract/flow/execution-status.ts';
import { writeFunctionEnv } from '../../contract/functions/environment.ts';
import { ABANDONED_METRIC, abandonedDimensions } from '../../contract/functions/metrics.ts';
import { OPEN_INDEX } from '../../contract/ledger/table.ts';
import { addAlarm, addSilenceAlarm } from '../resources/alarm.ts';
import { DeadLetterQueue } from '../resources/dead-letters.ts';
import { EndpointFunction } from '../resources/endpoint-function.ts';
import { grantPublish } from '../resources/grants.ts';
import type { ServiceNetwork } from '../resources/service-network.ts';

interface JanitorProps {
  readonly stateMachine: StateMachine;
  readonly table: Table;
  /** For how many days rollouts that have ended stay. @default - for ever */
  readonly historyDays?: number | undefined;
  /** The bus on which the events of rollouts are published. */
  readonly bus: EventBus;
  /** What commands call the instance. */
  readonly stackName: string;
  /** @default - its functions stay outside of any network */
  readonly network?: ServiceNetwork | undefined;
}

const SWEEP_PERIOD = Duration.minutes(5);

const FUNCTIONS = {
  janitor: {
    description: 'Closes the rollout of an execution that ended without closing it',
    // Time to read and close the record of one rollout.
    timeout: Duration.seconds(60),
  },
  sweep: {
    description: 'Closes the rollouts that no event told the janitor of',
    // Time to do the same for each lease that is held, one after the other, before the next sweep starts.
    timeout: Duration.seconds(240),
  },
} as const;

/**
 * Closes the rollouts that their executions left open, because somebody stopped them, or they ran out of time or hit
 * a limit of Step Functions. It does so at once when an event reports the end, or else in the next sweep.
 */
export class Janitor extends Construct {
  readonly lambdas: { readonly janitor: IFunction; readonly sweep: IFunction };
  /** Events that the janitor could not handle. */
  readonly queue: IQueue;

  constructor(scope: Construct, id: string, props: JanitorProps) {
    super(scope, id);
    const { stateMachine } = props;
    const { queue } = new DeadLetterQueue(this, 'DeadLetters', {
      alarmGroup: 'janitor',
      alarmDescription:
        'The janitor failed, so a runtime may stay locked: docs/runbook.md, "The janitor failed"',
      alarmPeriod: SWEEP_PERIOD,
    });
    const janitor = this.addFunction('janitor', queue, props);
    const sweep = this.addFunction('sweep', queue, props);

    new Rule(this, 'Ended', {
      description: 'Executions that ended otherwise than well',
      eventPattern: {
        source: [STATUS_CHANGE.source],
        detailType: [STATUS_CHANGE.detailType],
        detail: {
          stateMachineArn: [stateMachine.stateMachineArn],
          status: [...STATUS_CHANGE.statuses],
        },
      },
      targets: [targetOf(janitor, queue)],
    });
    new Rule(this, 'Regularly', {
      description: 'Looks at every lease that is held',
      schedule: Schedule.rate(SWEEP_PERIOD),
      targets: [targetOf(sweep, queue)],
    });
    // Executions should close their rollouts themselves.
    addAlarm(this, 'HadWork', {
      group: 'janitor',
      description: `An execution of ${Stack.of(this).stackName} ended without closing its rollout, and the janitor closed it: docs/runbook.md, "The janitor had work"`,
      metric: new Metric({
        namespace: ABANDONED_METRIC.namespace,
        metricName: ABANDONED_METRIC.name,
        dimensionsMap: abandonedDimensions(stateMachine.stateMachineName),
        statistic: 'Sum',
        period: SWEEP_PERIOD,
      }),
    });
    // Nothing else tells that its rule was switched off or may not call it: then no data comes, which counts here.
    addSilenceAlarm(this, 'Silent', {
      group: 'janitor',
      isVital: true,
      description:
        'The sweep has not run for 30 minutes, so nobody closes what was left open: docs/runbook.md, "The sweep does not run"',
      metric: sweep.metricInvocations({ period: SILENCE }),
    });
    this.lambdas = { janitor, sweep };
    this.queue = queue;
  }

  private addFunction(
    entry: keyof typeof FUNCTIONS,
    deadLetterQueue: IQueue,
    { stateMachine, table, historyDays, bus, stackName, network }: JanitorProps,
  ): IFunction {
    const { lambda } = new EndpointFunction(this, entry, {
      entry,
      network,
      ...FUNCTIONS[entry],
      environment: writeFunctionEnv({
        tableName: table.tableName,
        ...(historyDays !== undefined && { historyDays }),
        eventBusName: bus.eventBusName,
        stackName,
        stateMachineArn: stateMachine.stateMachineArn,
      }),
      // To close a rollout twice has no further effect.
      async: { deadLetterQueue },
    });
    Validations.of(lambda).acknowledge({
      id: 'Serverless-LambdaAsyncFailureDestination',
      reason: 'Its failed events go to its dead-letter queue.',
    });
    stateMachine.grantExecution(lambda, 'states:DescribeExecution');
    grantPublish(lambda, bus);
    const tableGrants = new TableGrants({ table, hasIndex: false });
    tableGrants.actions(lambda, ...TABLE_ACTIONS);
    lambda.addToRolePolicy(
      new PolicyStatement({
        actions: ['dynamodb:Query'],
        resources: [`${table.tableArn}/index/${OPEN_INDEX.name}`],
      }),
    );
    return lambda;
  }
}

const TABLE_ACTIONS = ['GetItem', 'BatchGetItem', 'Query', 'UpdateItem'].map(
  (name) => `dynamodb:${name}`,
);

/** Three sweeps, and as much once more for counts that come late. */
const SILENCE = Duration.minutes(15);

/** An event that is older than this is left to the next sweep. */
function targetOf(lambda: IFunction, deadLetterQueue: IQueue): IRuleTarget {
  return new LambdaFunction(lambda, {
    deadLetterQueue,
    maxEventAge: SWEEP_PERIOD,
    retryAttempts: 3,
  });
}
