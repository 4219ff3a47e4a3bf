import { RemovalPolicy } from 'aws-cdk-lib';
import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
} from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import { LEDGER_VERSION } from '../../contract/ledger/envelope.ts';
import { EXPIRES_AT, LEDGER_INDEXES } from '../../contract/ledger/table.ts';
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
}
