import { Duration, Lazy, RemovalPolicy, Validations } from 'aws-cdk-lib';
import type { IRule } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { addAlarm } from './alarm.ts';
import type { AlarmGroup } from './tuning.ts';

interface DeadLetterQueueProps {
  readonly alarmGroup: AlarmGroup;
  /** @default - the alarm is not among the few that are always wanted */
  readonly isVital?: true;
  /** Text of the alarm that rings while the queue is not empty: what happened, and where to find help. */
  readonly alarmDescription: string;
  /** The time between two looks of the alarm. */
  readonly alarmPeriod: Duration;
}

/** A queue for events that nobody could handle. It is encrypted, takes messages over TLS only, and has an alarm. */
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
      group: props.alarmGroup,
      ...(props.isVital && { isVital: true as const }),
      description: props.alarmDescription,
      metric: this.queue.metricApproximateNumberOfMessagesVisible({ period: props.alarmPeriod }),
    });
  }
}

/** A queue for triggers that started nothing, because they could not be delivered or were refused. */
export class TriggerQueue extends DeadLetterQueue {
  /**
   * The same queue, to be used as a target of rules. With the queue itself, each rule would add a statement to its
   * policy, and the policy holds only 20.
   */
  readonly forTargets: IQueue;
  private readonly ruleArns: string[] = [];

  constructor(scope: Construct, id: string) {
    super(scope, id, {
      alarmGroup: 'triggers',
      isVital: true,
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
          // The list is read at synthesis, because rules may be added until then.
          ArnEquals: { 'aws:SourceArn': Lazy.list({ produce: () => this.ruleArns }) },
        },
      }),
    );
    this.forTargets = Queue.fromQueueArn(this, 'ForTargets', this.queue.queueArn);
  }

  /** Lets a rule send the events here that it could not deliver. */
  takeFrom({ ruleArn }: Pick<IRule, 'ruleArn'>): void {
    this.ruleArns.push(ruleArn);
  }
}
