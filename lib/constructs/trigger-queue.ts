import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** Where triggers end up that started nothing because they could not be delivered or were refused. */
export class TriggerQueue extends Construct {
  readonly queue: Queue;
  /**
   * The same for the targets of rules. Given the queue itself, each would add a statement to its policy,
   * and that holds 20.
   */
  readonly forRules: IQueue;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: Duration.days(14),
      removalPolicy: RemovalPolicy.DESTROY,
    });
    this.queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [this.queue.queueArn],
        conditions: {
          // Rules of the default bus, and of others.
          ArnLike: {
            'aws:SourceArn': [ruleArn(this, 'steproll-*'), ruleArn(this, '*/steproll-*')],
          },
        },
      }),
    );
    this.forRules = Queue.fromQueueArn(this, 'ForRules', this.queue.queueArn);
    this.queue
      .metricApproximateNumberOfMessagesVisible({ period: Duration.minutes(1) })
      .createAlarm(this, 'NotEmpty', {
        alarmDescription:
          'A release event or a schedule started no rollout and waits in the dead-letter queue: docs/triggers.md, "Dead letters"',
        threshold: 1,
        evaluationPeriods: 1,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      });
  }
}

function ruleArn(scope: Construct, resourceName: string): string {
  return Stack.of(scope).formatArn({ service: 'events', resource: 'rule', resourceName });
}
