import { Duration, Lazy, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { IRule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { addAlarm } from './alarm.ts';

interface DeadLetterQueueProps {
  /** Of the alarm that rings while something is in it: what happened, and where help is. */
  readonly alarmDescription: string;
  /** Between two looks of the alarm. */
  readonly alarmPeriod: Duration;
}

/** Where events end up that nobody could handle: encrypted, over TLS only, with an alarm. */
export class DeadLetterQueue extends Construct {
  readonly queue: Queue;

  constructor(scope: Construct, id: string, props: DeadLetterQueueProps) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const reason = 'It is the end of the line: a person reads what is in it.';
    Validations.of(this.queue).acknowledge(
      { id: 'AwsSolutions-SQS3', reason },
      { id: 'Serverless-SQSRedrivePolicy', reason },
    );
    addAlarm(this, 'NotEmpty', {
      description: props.alarmDescription,
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: props.alarmPeriod }),
    });
  }
}

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
