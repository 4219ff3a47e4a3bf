import { Duration, Stack, Validations } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBusRef } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ReleaseSource } from '../../contract/config/releases.ts';
import type { RolloutSchedule } from '../../contract/config/schedules.ts';
import type { Triggers } from '../../contract/config/triggers.ts';
import {
  type KnownTriggers,
  TRIGGERS_FILE,
  writeTriggers,
} from '../../contract/functions/code-files.ts';
import { writeFunctionEnv } from '../../contract/functions/environment.ts';
import { RELEASE_KEY_PREFIX, ROLLOUT_KEY_PREFIX } from '../../contract/ledger/table.ts';
import type { AgentCoreResource } from '../../contract/service/services.ts';
import { addAlarm } from '../resources/alarm.ts';
import { TriggerQueue } from '../resources/dead-letters.ts';
import { EndpointFunction } from '../resources/endpoint-function.ts';
import type { ServiceNetwork } from '../resources/service-network.ts';
import { ReleaseRules } from './releases.ts';
import { RolloutSchedules } from './schedules.ts';

interface RolloutTriggersProps extends Pick<Triggers, 'accounts' | 'maxAgeSeconds' | 'once'> {
  /** First part of the names of the rules. */
  readonly name: string;
  /** The bus on which releases are announced. */
  readonly bus: IEventBusRef;
  /** What AgentCore has those of. */
  readonly of: AgentCoreResource;
  /** Ids of the runtimes that may be rolled. */
  readonly runtimes: readonly string[];
  /** Names of the groups that may be rolled. */
  readonly groups: readonly string[];
  /** ARN of the workflow. */
  readonly stateMachineArn: string;
  readonly table: Table;
  /** @default - its function stays outside of any network */
  readonly network?: ServiceNetwork | undefined;
}

/** Everything that starts rollouts without a person: release events, schedules, and the function that they call. */
export class RolloutTriggers extends Construct {
  readonly lambda: IFunction;
  /** Triggers that started nothing. */
  readonly queue: IQueue;
  private readonly releases: ReleaseSource[] = [];
  private readonly releaseRules: ReleaseRules;
  private readonly schedules: RolloutSchedules;

  constructor(scope: Construct, id: string, props: RolloutTriggersProps) {
    super(scope, id);
    const { name, bus, of, runtimes, groups, maxAgeSeconds, once } = props;
    const deadLetters = new TriggerQueue(this, 'DeadLetters');
    this.queue = deadLetters.queue;
    const known = { rules: { runtimes, groups, maxAgeSeconds, once }, releases: this.releases };
    this.lambda = addStartFunction(new Construct(this, 'Start'), known, this.queue, props);
    const common = { name, start: this.lambda, queue: deadLetters };
    this.releaseRules = new ReleaseRules(this, 'ReleaseRules', {
      ...common,
      maxAge: Duration.seconds(maxAgeSeconds),
      bus,
      accounts: [Stack.of(this).account, ...props.accounts],
      of,
      runtimes,
    });
    this.schedules = new RolloutSchedules(this, 'Schedules', common);
  }

  /** @param bus The bus that the source names, where it was given. @default - it is imported */
  addRelease(source: ReleaseSource, bus?: IEventBusRef): void {
    this.releases.push(source);
    this.releaseRules.add(source, bus);
  }

  addSchedule(schedule: RolloutSchedule): void {
    this.schedules.add(schedule);
  }
}

/**
 * The function that starts executions of the workflow for triggers. The workflow itself starts those to which it hands
 * over, and those of the runtimes of a group.
 *
 * @param triggers Read at synthesis, because releases may be added until then.
 * @param queue The queue for triggers that were refused or failed.
 */
function addStartFunction(
  scope: Construct,
  triggers: KnownTriggers,
  queue: IQueue,
  {
    stateMachineArn,
    table,
    network,
  }: Pick<RolloutTriggersProps, 'stateMachineArn' | 'table' | 'network'>,
): IFunction {
  const { lambda } = new EndpointFunction(scope, 'start', {
    entry: 'start',
    network,
    description: 'Starts the rollout that a release event or a schedule asks for',
    timeout: Duration.seconds(30),
    environment: writeFunctionEnv({ stateMachineArn, tableName: table.tableName }),
    file: { name: TRIGGERS_FILE, write: () => writeTriggers(triggers) },
    // However often a trigger comes, it starts one execution.
    async: {
      maxEventAge: Duration.seconds(triggers.rules.maxAgeSeconds),
      onFailure: { bind: () => ({ destination: queue.queueArn }) },
    },
  });
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: ['states:StartExecution'],
      resources: [stateMachineArn],
    }),
  );
  // The function may record the rollout that it starts. It has no access to leases and latest requests.
  const { once } = triggers.rules;
  const prefixes = [ROLLOUT_KEY_PREFIX, ...(once === undefined ? [] : [RELEASE_KEY_PREFIX])];
  lambda.addToRolePolicy(
    new PolicyStatement({
      actions: [...(once === undefined ? [] : ['dynamodb:GetItem']), 'dynamodb:UpdateItem'],
      resources: [table.tableArn],
      conditions: {
        'ForAllValues:StringLike': {
          'dynamodb:LeadingKeys': prefixes.map((prefix) => `${prefix}*`),
        },
      },
    }),
  );
  lambda.addToRolePolicy(
    new PolicyStatement({ actions: ['sqs:SendMessage'], resources: [queue.queueArn] }),
  );
  Validations.of(lambda).acknowledge({
    id: 'Serverless-LambdaDLQ',
    reason: 'Its failed events go to the queue as their destination, which adds the error to them.',
  });
  addAlarm(scope, 'Errors', {
    group: 'triggers',
    description:
      'The start function refused a trigger or could not start a rollout: docs/runbook.md, "A trigger started nothing"',
    metric: lambda.metricErrors({ period: Duration.minutes(1) }),
  });
  return lambda;
}
