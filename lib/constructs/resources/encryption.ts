import { AspectPriority, Aspects, Stack, Token } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { AnyPrincipal, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { CREATE_KEY } from '../../contract/config/auth.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { viaService } from './partition.ts';
import { tuningOf } from './tuning.ts';

interface EncryptionProps {
  /** `create`, or the ARN of a key whose policy has `keyStatements`. */
  readonly kmsKey: string;
  /** The key itself, where it was given. If it is one of this app, it gets `keyStatements`. @default - it is imported */
  readonly given?: IKey | undefined;
  /** All tables, queues and log groups below this construct are encrypted, whoever adds them. */
  readonly everythingIn: IConstruct;
}

/**
 * Encrypts the data of the stack with a customer managed key. A topic has its own key, whose policy names the
 * services that publish.
 */
export class Encryption extends Construct {
  readonly key: IKey;

  /** @throws `InvalidInput` for a key that the stack cannot use. */
  constructor(scope: Construct, id: string, { kmsKey, given, everythingIn }: EncryptionProps) {
    super(scope, id);
    this.key = kmsKey === CREATE_KEY ? createKey(this) : (given ?? importKey(this, kmsKey));
    if (kmsKey === CREATE_KEY || given !== undefined) {
      for (const statement of keyStatements(Stack.of(this))) {
        this.key.addToResourcePolicy(statement);
      }
    }
    // This has to run before other aspects check whether something is encrypted.
    const { MUTATING } = AspectPriority;
    Aspects.of(everythingIn).add(
      { visit: (construct) => encrypt(construct, this.key) },
      { priority: MUTATING },
    );
  }
}

function createKey(scope: Construct): Key {
  return new Key(scope, 'Key', {
    description: `Encrypts the ledger, the dead letters and the logs of ${Stack.of(scope).stackName}`,
    enableKeyRotation: true,
    // Where the table outlives the stack, also a first deployment that fails, nobody could read it without its key.
    removalPolicy: tuningOf(scope).removalPolicy,
  });
}

/** A key from another place would otherwise be noticed only in the middle of a deployment, or of a rollout. */
function importKey(scope: Construct, arn: string): IKey {
  if (Token.isUnresolved(arn)) return Key.fromKeyArn(scope, 'Key', arn);
  const { region, account } = Stack.of(scope);
  const [, , , itsRegion, itsAccount] = arn.split(':');
  const mistakes = [
    { own: region, its: itsRegion, where: `region ${region}` },
    { own: account, its: itsAccount, where: `account ${account}` },
  ]
    .filter(({ own, its }) => !Token.isUnresolved(own) && own !== its)
    .map(({ where }) => `kmsKey: "${arn}" is not allowed; use a key of the ${where}`);
  if (mistakes.length > 0) throw invalidInput('configuration', mistakes);
  return Key.fromKeyArn(scope, 'Key', arn);
}

function encrypt(construct: IConstruct, { keyArn }: IKey): void {
  if (construct instanceof CfnTable) {
    construct.sseSpecification = { sseEnabled: true, sseType: 'KMS', kmsMasterKeyId: keyArn };
  }
  if (construct instanceof CfnQueue) {
    construct.sqsManagedSseEnabled = undefined;
    construct.kmsMasterKeyId = keyArn;
  }
  if (construct instanceof CfnLogGroup) construct.kmsKeyId = keyArn;
}

const READ_AND_WRITE = ['kms:Decrypt', 'kms:GenerateDataKey*'];

/**
 * What the policy of a customer managed key has to allow. The policies of AWS's own keys for these services say the
 * same: whoever in the account may use a table or a queue may use its key, only through that service.
 *
 * - https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/encryption.usagenotes.html
 * - https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-key-management.html
 * - https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/encrypt-log-data-kms.html
 */
export function keyStatements({
  partition,
  region,
  account,
  urlSuffix,
}: Pick<Stack, 'partition' | 'region' | 'account' | 'urlSuffix'>): PolicyStatement[] {
  const hereThrough = (service: string) => ({
    StringEquals: {
      'kms:ViaService': viaService(service, region),
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
    // The services that send to the queues are not principals of the account.
    new PolicyStatement({
      sid: 'DeadLetters',
      principals: ['events', 'sns'].map((name) => new ServicePrincipal(`${name}.amazonaws.com`)),
      actions: READ_AND_WRITE,
      resources: ['*'],
      conditions: ofThisAccount('aws:sqs:arn', 'sqs', '*'),
    }),
    new PolicyStatement({
      sid: 'Logs',
      principals: [new ServicePrincipal(`logs.${region}.${urlSuffix}`)],
      actions: [
        ...['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*'],
        ...['kms:GenerateDataKey*', 'kms:DescribeKey'],
      ],
      resources: ['*'],
      conditions: ofThisAccount('aws:logs:arn', 'logs', 'log-group:*'),
    }),
  ];
}
