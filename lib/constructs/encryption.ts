import { AspectPriority, Aspects, RemovalPolicy, Stack, Token } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { CREATE_KEY } from '../contract/kms-key.ts';
import { invalidInput } from '../contract/parse-input.ts';
import { keyStatements } from './key-statements.ts';

export interface EncryptionProps {
  /** `create`, or the ARN of a key whose policy has `keyStatements`. */
  readonly kmsKey: string;
  /** All tables, queues and log groups below it, whoever adds them, are encrypted. */
  readonly everythingIn: IConstruct;
}

/**
 * Encrypts what is kept with a customer managed key. A topic has one of its own, whose policy names the
 * services that publish.
 */
export class Encryption extends Construct {
  readonly key: IKey;

  /** @throws `InvalidInput` for a key that the stack cannot use. */
  constructor(scope: Construct, id: string, { kmsKey, everythingIn }: EncryptionProps) {
    super(scope, id);
    this.key = kmsKey === CREATE_KEY ? createKey(this) : importKey(this, kmsKey);
    // Before the aspects of others look whether it is encrypted.
    const { MUTATING } = AspectPriority;
    Aspects.of(everythingIn).add(
      { visit: (construct) => encrypt(construct, this.key) },
      { priority: MUTATING },
    );
  }
}

function createKey(scope: Construct): Key {
  const key = new Key(scope, 'Key', {
    description: `Encrypts the ledger, the dead letters and the logs of ${Stack.of(scope).stackName}`,
    enableKeyRotation: true,
    // The ledger outlives the stack, and nobody could read it without its key.
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  for (const statement of keyStatements(Stack.of(scope))) key.addToResourcePolicy(statement);
  return key;
}

/** A key of elsewhere would be found out in the middle of a deployment, or of a rollout. */
function importKey(scope: Construct, arn: string): IKey {
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
