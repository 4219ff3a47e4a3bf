import { type IMetric, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import { LEDGER_INDEXES } from '../contract/ledger-table.ts';

/**
 * Reads and writes that DynamoDB refused because there were too many. It counts those of the table and
 * those of each index apart:
 * https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/metrics-dimensions.html
 */
export function ledgerThrottles({ tableName }: Table): IMetric[] {
  const ofTable = { TableName: tableName };
  const ofIndexes = LEDGER_INDEXES.map(({ name }) => ({
    ...ofTable,
    GlobalSecondaryIndexName: name,
  }));
  return [ofTable, ...ofIndexes].flatMap((dimensionsMap) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].map(
      (metricName) =>
        new Metric({
          namespace: 'AWS/DynamoDB',
          metricName,
          dimensionsMap,
          statistic: Stats.SUM,
        }),
    ),
  );
}
