import { RemovalPolicy, Stack } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Grant, type IGrantable } from 'aws-cdk-lib/aws-iam';
import { Construct } from 'constructs';
import { LEDGER_VERSION } from '../../contract/ledger/envelope.ts';
import type { Field } from '../../contract/ledger/fields.ts';
import {
  ANSWER_KEY_PREFIX,
  ANSWERERS_KEY_PREFIX,
  EXPIRES_AT,
  LEDGER_INDEXES,
  ROLLOUT_KEY_PREFIX,
} from '../../contract/ledger/table.ts';
import { tuningOf } from '../resources/tuning.ts';

/** The table of the ledger. Unless it is tuned otherwise, it outlives the stack, because it is the history of all rollouts. */
export class RolloutLedger extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    const { removalPolicy } = tuningOf(this);
    // A deployment of another number makes a new table, and leaves the old one as it is.
    this.table = new Table(this, `Table${LEDGER_VERSION}`, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      // With `kmsKey` of a configuration, an aspect puts that key in its place.
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      // It is always on, because CloudFormation cannot switch it on and off within an hour. Few items have the attribute.
      timeToLiveAttribute: EXPIRES_AT,
      // A deleted table is the one fault that nothing repairs. A policy that keeps it only after it was deployed would let
      // a first deployment that fails try to delete what is protected.
      removalPolicy,
      deletionProtection: removalPolicy === RemovalPolicy.RETAIN,
    });
    for (const { name, key, sort, attributes } of LEDGER_INDEXES) {
      this.table.addGlobalSecondaryIndex({
        indexName: name,
        partitionKey: { name: key, type: AttributeType.STRING },
        ...(sort !== undefined && { sortKey: { name: sort, type: AttributeType.NUMBER } }),
        projectionType: ProjectionType.INCLUDE,
        nonKeyAttributes: [...attributes],
      });
    }
  }

  /** Lets a role or user of this account read, and answer the waves of rollouts under its own key alone. */
  grantApprove(grantee: IGrantable): Grant {
    const { tableArn } = this.table;
    const allow = (actions: string[], resourceArns: string[], conditions?: Conditions): Grant =>
      Grant.addToPrincipal({ grantee, actions, resourceArns, ...(conditions && { conditions }) });
    return allow(['cloudformation:DescribeStacks'], [Stack.of(this).stackId])
      .combine(allow(COMMANDS_READ, [tableArn, `${tableArn}/index/*`]))
      .combine(allow(['dynamodb:UpdateItem'], [tableArn], OWN_ANSWERS))
      .combine(allow(['dynamodb:UpdateItem'], [tableArn], NOTES_OF_ANSWERERS))
      .combine(allow(['dynamodb:ConditionCheckItem'], [tableArn], itemsOf(ROLLOUT_KEY_PREFIX)));
  }
}

const COMMANDS_READ = ['dynamodb:GetItem', 'dynamodb:Query', 'dynamodb:BatchGetItem'];

type Conditions = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

// Whoever may write any attribute may write that of an index, and so be listed among the rollouts and the leases.

const OWN_ANSWERS: Conditions = {
  'ForAllValues:StringEquals': {
    'dynamodb:LeadingKeys': [`${ANSWER_KEY_PREFIX}\${aws:userid}`],
    'dynamodb:Attributes': ['pk', 'sk', 'signals'] satisfies readonly (Field | 'pk' | 'sk')[],
  },
};

/** The notes that somebody may have answered, which are nobody's answer. */
const NOTES_OF_ANSWERERS: Conditions = {
  ...itemsOf(ANSWERERS_KEY_PREFIX),
  'ForAllValues:StringEquals': {
    'dynamodb:Attributes': ['pk', 'sk', 'rolloutId'] satisfies readonly (Field | 'pk' | 'sk')[],
  },
};

function itemsOf(prefix: string): Conditions {
  return { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [`${prefix}*`] } };
}
