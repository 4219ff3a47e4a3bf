import { Duration, Lazy } from 'aws-cdk-lib';
import type { IRule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DeadLetterQueue } from './dead-letter-queue.ts';

/** Where triggers end up that started nothing because they could not be delivered or were refused. */
export class TriggerQueue extends DeadLetterQueue {
  /**
   * The same for the targets of rules. Given the queue itself, each would add a statement to its policy,
   * and that holds 20.
   */
  readonly forTargets: IQueue;
  private readonly ruleArns: string[] = [];

  constructor(scope: Construct, id: string) {
    super(scope, id, {
      alarmDescription:
        'A release event or a schedule started no rollout and waits in the dead-letter queue: docs/runbook.md, "A trigger started nothing"',
      alarmPeriod: Duration.minutes(1),
    });
    this.queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.queue.queueArn],
        conditions: {
          // Until the synthesis rules are still added.
          ArnEquals: { 'aws:SourceArn': Lazy.list({ produce: () => this.ruleArns }) },
        },
      }),
    );
    this.forTargets = Queue.fromQueueArn(this, 'ForTargets', this.queue.queueArn);
  }

  /** Lets a rule give to it what it could not deliver. */
  takeFrom({ ruleArn }: IRule): void {
    this.ruleArns.push(ruleArn);
  }
}
