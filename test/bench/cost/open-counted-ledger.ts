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
 * @param historyDays For how many days rollouts stay that have ended. @default - for ever
 */
export async function openCountedLedger(
  findUnits?: () => Units | null,
  historyDays?: number,
): Promise<CountedLedger> {
  const table = await startTable();
  const connected = connectCountedLedger(table.port, findUnits, historyDays);
  return {
    ...connected,
    end() {
      connected.end();
      table.end();
    },
  };
}

const TABLE_NAME = 'ledger';

/** A DynamoDB in memory, with the table of a ledger that has no indexes. */
export async function startTable(): Promise<{ readonly port: number; end(): void }> {
  const server = dynalite({ createTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const client = connect(port);
  await createTable(client, TABLE_NAME);
  client.destroy();
  return { port, end: () => server.close() };
}

/** The ledger in the table of a DynamoDB on this machine. The others are as above. */
export function connectCountedLedger(
  port: number,
  findUnits?: () => Units | null,
  historyDays?: number,
): CountedLedger {
  const client = connect(port);
  const units = { read: 0, write: 0 };
  countUnits(client, findUnits ?? (() => units));
  const ledger = createDynamoDbLedger(
    TABLE_NAME,
    // Rollouts end on a clock of their own, and none leaves the history here.
    { days: historyDays, now: () => 0 },
    DynamoDBDocumentClient.from(client),
  );
  return {
    // To list needs an index, and no rollout here has a past.
    ledger: { ...ledger, list: async () => [] },
    units,
    end: () => client.destroy(),
  };
}

function connect(port: number): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'bench', secretAccessKey: 'bench' },
  });
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
