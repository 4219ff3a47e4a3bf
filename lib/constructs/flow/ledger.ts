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
import { LEDGER_INDEXES } from '../../contract/ledger/table.ts';

/** The table of the ledger. It outlives the stack, because it is the history of all rollouts. */
export class RolloutLedger extends Construct {
  readonly table: Table;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    // A deployment of another number makes a new table, and leaves the old one as it is.
    this.table = new Table(this, `Table${LEDGER_VERSION}`, {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      sortKey: { name: 'sk', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
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
