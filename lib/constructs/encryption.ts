import { Aspects, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { CREATE_KEY } from '../contract/kms-key.ts';
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
  constructor(scope: Construct, id: string, { kmsKey, everythingIn }: EncryptionProps) {
    super(scope, id);
    const key = kmsKey === CREATE_KEY ? createKey(this) : Key.fromKeyArn(this, 'Key', kmsKey);
    Aspects.of(everythingIn).add({ visit: (construct) => encrypt(construct, key) });
  }
}

function createKey(scope: Construct): Key {
  const key = new Key(scope, 'Key', {
    description: 'Encrypts the ledger, the dead letters and the logs of rollouts',
    enableKeyRotation: true,
    // The ledger outlives the stack, and nobody could read it without its key.
    removalPolicy: RemovalPolicy.RETAIN,
  });
  for (const statement of keyStatements(Stack.of(scope))) key.addToResourcePolicy(statement);
  return key;
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
