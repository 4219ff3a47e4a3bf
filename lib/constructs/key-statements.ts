import { AnyPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';

export interface KeyUse {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
}

const READ_AND_WRITE = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/**
 * What the policy of a customer managed key has to allow. It is what the policies of AWS's own keys for
 * these services say: whoever in the account may use a table or a queue may use its key, through that service
 * alone.
 *
 * - https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 * - https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 * - https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
export function keyStatements({ partition, region, account }: KeyUse): PolicyStatement[] {
  const hereThrough = (service: string) => ({
    StringEquals: {
      'kms:ViaService': `${service}.${region}.amazonaws.com`,
      'kms:CallerAccount': account,
    },
  });
  const ofThisAccount = (context: string, service: string, resource: string) => ({
    ArnLike: {
      [`kms:EncryptionContext:${context}`]: `arn:${partition}:${service}:${region}:${account}:${resource}`,
    },
  });
  return [
    new PolicyStatement({
      sid: 'Ledger',
      principals: [new AnyPrincipal()],
      actions: [
        ...READ_AND_WRITE,
        ...['kms:Encrypt', 'kms:ReEncrypt*', 'kms:CreateGrant', 'kms:DescribeKey'],
      ],
      resources: ['*'],
      conditions: hereThrough('dynamodb'),
    }),
    new PolicyStatement({
      sid: 'Queues',
      principals: [new AnyPrincipal()],
      actions: READ_AND_WRITE,
      resources: ['*'],
      conditions: hereThrough('sqs'),
    }),
    // Services that give to the queues are no principals of the account.
    new PolicyStatement({
      sid: 'DeadLetters',
      principals: ['events', 'sns'].map((name) => new ServicePrincipal(`${name}.amazonaws.com`)),
      actions: READ_AND_WRITE,
      resources: ['*'],
      conditions: ofThisAccount('aws:sqs:arn', 'sqs', '*'),
    }),
    new PolicyStatement({
      sid: 'Logs',
      principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
      actions: [
        ...['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*'],
        ...['kms:GenerateDataKey*', 'kms:DescribeKey'],
      ],
      resources: ['*'],
      conditions: ofThisAccount('aws:logs:arn', 'logs', 'log-group:*'),
    }),
  ];
}
