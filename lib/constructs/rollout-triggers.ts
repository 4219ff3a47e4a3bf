import { Duration, Stack } from 'aws-cdk-lib';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Config } from '../contract/config.ts';
import { DEFAULT_TRIGGERS } from '../contract/triggers.ts';
import { ReleaseBus } from './release-bus.ts';
import { ReleaseRules } from './release-rules.ts';
import { RolloutSchedules } from './rollout-schedules.ts';
import { StartFunction } from './start-function.ts';
import { TriggerQueue } from './trigger-queue.ts';
import type { Delivery } from './trigger-rule.ts';

export interface RolloutTriggersProps {
  readonly config: Config;
  /** ARN of the workflow. */
  readonly stateMachineArn: string;
}

/** What starts rollouts without a person: release events, schedules, and the function that they call. */
export class RolloutTriggers extends Construct {
  /** The start function. */
  readonly lambda: IFunction;
  /** Releases are announced here. */
  readonly bus: EventBus;
  /** Triggers that started nothing. */
  readonly queue: IQueue;

  constructor(scope: Construct, id: string, { config, stateMachineArn }: RolloutTriggersProps) {
    super(scope, id);
    const { maxAgeSeconds, releases, schedules, ...others } = config.triggers ?? DEFAULT_TRIGGERS;
    const accounts = [Stack.of(this).account, ...others.accounts];
    const { queue, forRules } = new TriggerQueue(this, 'DeadLetters');
    this.queue = queue;
    this.bus = new ReleaseBus(this, 'Releases', { otherAccounts: others.accounts }).bus;
    this.lambda = new StartFunction(this, 'Start', {
      stateMachineArn,
      rules: { runtimes: Object.keys(config.runtimes), maxAgeSeconds },
      releases,
      queue,
    }).lambda;

    const maxAge = Duration.seconds(maxAgeSeconds);
    const delivery: Delivery = { start: this.lambda, queue: forRules, maxAge };
    new ReleaseRules(this, 'ReleaseRules', { ...delivery, bus: this.bus, accounts, releases });
    new RolloutSchedules(this, 'Schedules', { ...delivery, schedules });
  }
}
