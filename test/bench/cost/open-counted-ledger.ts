import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import dynalite from 'dynalite';
import { createDynamoDbLedger } from '../../../lib/adapters/aws/stack.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';

export interface CountedLedger {
  readonly ledger: Ledger;
  /** As the table reports them with every answer. */
  readonly units: Units;
  end(): void;
}

interface Units {
  read: number;
  write: number;
}

/**
 * The ledger of AWS, on a DynamoDB in memory.
 *
 * @param findUnits To what the units of a call are added. `null`: to nothing. @default - `units` of the answer
 */
export async function openCountedLedger(findUnits?: () => Units | null): Promise<CountedLedger> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
  const tableName = 'ledger';
  await createTable(client, tableName);
  const units = { read: 0, write: 0 };
  countUnits(client, findUnits ?? (() => units));
  return {
    ledger: createDynamoDbLedger({ tableName, client: DynamoDBDocumentClient.from(client) }),
    units,
    end() {
      client.destroy();
      server.close();
    },
  };
}

interface Consumed {
  readonly CapacityUnits?: number;
}

/** Asks for the units that each call took, and adds them up. */
function countUnits(client: DynamoDBClient, findUnits: () => Units | null): void {
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
        const answer = await next(args);
        const { ConsumedCapacity } = answer.output as {
          ConsumedCapacity?: Consumed | readonly Consumed[];
        };
        const kind = /^(Get|Query|BatchGet)/.test(commandName) ? 'read' : 'write';
        const units = findUnits();
        for (const { CapacityUnits = Number.NaN } of [ConsumedCapacity ?? {}].flat()) {
          if (units !== null) units[kind] += CapacityUnits;
        }
        return answer;
      },
    { step: 'initialize' },
  );
}

async function createTable(client: DynamoDBClient, TableName: string): Promise<void> {
  await client.send(
    new CreateTableCommand({
      TableName,
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [
        { AttributeName: 'pk', AttributeType: 'S' },
        { AttributeName: 'sk', AttributeType: 'S' },
      ],
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    }),
  );
}
