import { Duration, Stack } from 'aws-cdk-lib';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBusRef } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ReleaseSource } from '../../contract/config/releases.ts';
import type { RolloutSchedule } from '../../contract/config/schedules.ts';
import type { Triggers } from '../../contract/config/triggers.ts';
import { TriggerQueue } from '../blocks/dead-letters.ts';
import { ReleaseRules } from './releases.ts';
import { RolloutSchedules } from './schedules.ts';
import { StartFunction } from './start-function.ts';

interface RolloutTriggersProps extends Pick<Triggers, 'accounts' | 'maxAgeSeconds' | 'once'> {
  /** First part of the names of the rules. */
  readonly name: string;
  /** The bus on which releases are announced. */
  readonly bus: IEventBusRef;
  /** Ids of the runtimes that may be rolled. */
  readonly runtimes: readonly string[];
  /** Names of the groups that may be rolled. */
  readonly groups: readonly string[];
  /** ARN of the workflow. */
  readonly stateMachineArn: string;
  readonly table: Table;
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
    const { name, bus, runtimes, groups, maxAgeSeconds, once, stateMachineArn, table } = props;
    const deadLetters = new TriggerQueue(this, 'DeadLetters');
    this.queue = deadLetters.queue;
    this.lambda = new StartFunction(this, 'Start', {
      stateMachineArn,
      triggers: { rules: { runtimes, groups, maxAgeSeconds, once }, releases: this.releases },
      table,
      queue: this.queue,
    }).lambda;

    const maxAge = Duration.seconds(maxAgeSeconds);
    const common = { name, start: this.lambda, queue: deadLetters };
    const accounts = [Stack.of(this).account, ...props.accounts];
    this.releaseRules = new ReleaseRules(this, 'ReleaseRules', {
      ...common,
      maxAge,
      bus,
      accounts,
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
