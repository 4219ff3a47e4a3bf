import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

export interface NotificationTopicProps {
  /** Whom the messages are from, where people read them. */
  readonly name: string;
  /** Addresses that subscribe. */
  readonly emails: readonly string[];
  /** Takes what cannot be delivered to them. */
  readonly deadLetterQueue: IQueue;
}

/**
 * A topic that EventBridge and the alarms of this account may publish to: over TLS only, encrypted with a
 * key of its own, because these services cannot use the key that AWS manages for SNS.
 */
export class NotificationTopic extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, props: NotificationTopicProps) {
    super(scope, id);
    const { name, emails, deadLetterQueue } = props;
    const { account } = Stack.of(this);
    const arnOf = (service: string, resource: string) =>
      Stack.of(this).formatArn({ service, resource });

    const key = new Key(this, 'Key', {
      description: 'Encrypts the notifications of rollouts',
      enableKeyRotation: true,
      // Messages are gone within hours.
      removalPolicy: RemovalPolicy.DESTROY,
      pendingWindow: Duration.days(7),
    });
    this.topic = new Topic(this, 'Topic', {
      displayName: name,
      masterKey: key,
      enforceSSL: true,
    });
    // EventBridge tells neither topics nor their keys which rule it acts for: conditions on the source
    // would shut it out.
    const events = new ServicePrincipal('events.amazonaws.com');
    const alarms = new ServicePrincipal('cloudwatch.amazonaws.com');
    const ofThisAccount = { StringEquals: { 'aws:SourceAccount': account } };
    const forTopicsHere = {
      ArnLike: { 'kms:EncryptionContext:aws:sns:topicArn': arnOf('sns', '*') },
    };
    const useKey = { actions: ['kms:Decrypt', 'kms:GenerateDataKey*'], resources: ['*'] };
    key.addToResourcePolicy(
      new PolicyStatement({ ...useKey, principals: [events], conditions: forTopicsHere }),
    );
    key.addToResourcePolicy(
      new PolicyStatement({
        ...useKey,
        principals: [alarms],
        conditions: { ...forTopicsHere, ...ofThisAccount },
      }),
    );
    const publish = { actions: ['sns:Publish'], resources: [this.topic.topicArn] };
    this.topic.addToResourcePolicy(new PolicyStatement({ ...publish, principals: [events] }));
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        ...publish,
        principals: [alarms],
        conditions: {
          ...ofThisAccount,
          ArnLike: { 'aws:SourceArn': arnOf('cloudwatch', 'alarm:*') },
        },
      }),
    );
    for (const email of emails) {
      this.topic.addSubscription(new EmailSubscription(email, { deadLetterQueue }));
    }
  }
}
