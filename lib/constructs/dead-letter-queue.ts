import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { addAlarm } from './alarms.ts';

export interface DeadLetterQueueProps {
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
