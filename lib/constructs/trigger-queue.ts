import { Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { DeadLetterQueue } from './dead-letter-queue.ts';

export interface TriggerQueueProps {
  /** First part of the names of the rules that may give to it. */
  readonly name: string;
}

/** Where triggers end up that started nothing because they could not be delivered or were refused. */
export class TriggerQueue extends DeadLetterQueue {
  /**
   * The same for the targets of rules. Given the queue itself, each would add a statement to its policy,
   * and that holds 20.
   */
  readonly forRules: IQueue;

  constructor(scope: Construct, id: string, { name }: TriggerQueueProps) {
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
          // Rules of the default bus, and of others.
          ArnLike: {
            'aws:SourceArn': [ruleArn(this, `${name}-*`), ruleArn(this, `*/${name}-*`)],
          },
        },
      }),
    );
    this.forRules = Queue.fromQueueArn(this, 'ForRules', this.queue.queueArn);
  }
}

function ruleArn(scope: Construct, resourceName: string): string {
  return Stack.of(scope).formatArn({ service: 'events', resource: 'rule', resourceName });
}
