import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

const ALARMS = new ServicePrincipal('cloudwatch.amazonaws.com');

/** What whoever publishes to an encrypted topic does with its key. */
export const USE_KEY = ['kms:Decrypt', 'kms:GenerateDataKey*'] as const;

interface NotificationTopicProps {
  /** The sender's name that people see in the messages. */
  readonly name: string;
  /** Addresses that subscribe to the topic. @default - none */
  readonly emails?: readonly string[];
  /** The key of another such topic. @default - its own */
  readonly key?: IKey | undefined;
  /** The queue for messages that cannot be delivered to them. */
  readonly deadLetterQueue: IQueue;
}

/**
 * A topic to which the alarms of this account may publish, and whoever has the right by a role, over TLS only. It is
 * encrypted with a key for such topics, because alarms cannot use the key that AWS manages for SNS.
 */
export class NotificationTopic extends Construct {
  readonly topic: Topic;
  readonly key: IKey;

  constructor(scope: Construct, id: string, props: NotificationTopicProps) {
    super(scope, id);
    const { name, emails = [], deadLetterQueue, key = this.addKey() } = props;
    this.key = key;
    this.topic = new Topic(this, 'Topic', {
      displayName: name,
      masterKey: key,
      enforceSSL: true,
    });
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        principals: [ALARMS],
        conditions: {
          ...this.ofThisAccount(),
          ArnLike: { 'aws:SourceArn': this.arnOf('cloudwatch', 'alarm:*') },
        },
      }),
    );
    for (const email of emails) {
      this.topic.addSubscription(new EmailSubscription(email, { deadLetterQueue }));
    }
  }

  private addKey(): IKey {
    const key = new Key(this, 'Key', {
      description: 'Encrypts the notifications of rollouts',
      enableKeyRotation: true,
      // The key need not be kept, because messages are gone within hours.
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    });
    const forTopicsHere = {
      ArnLike: { 'kms:EncryptionContext:aws:sns:topicArn': this.arnOf('sns', '*') },
    };
    key.addToResourcePolicy(
      new PolicyStatement({
        actions: [...USE_KEY],
        resources: ['*'],
        principals: [ALARMS],
        conditions: { ...forTopicsHere, ...this.ofThisAccount() },
      }),
    );
    return key;
  }

  private ofThisAccount() {
    return { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } };
  }

  private arnOf(service: string, resource: string): string {
    return Stack.of(this).formatArn({ service, resource });
  }
}
