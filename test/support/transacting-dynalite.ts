import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import dynalite from 'dynalite';
import type { TableBody } from './table-requests.ts';

/**
 * An in-memory DynamoDB that also knows transactions of checks and one change behind them, which is all that a ledger sends.
 * It answers one request after the other, so nothing comes in between. `listen` starts it, `close` ends it.
 *
 * @param note Gets each request before its answer. @default - nobody does
 */
export function transactingDynalite(note: (asked: AskedOfTable) => void = () => {}): Server {
  const database = dynalite({ createTableMs: 0 });
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((request, response) => {
    last = last
      .then(() => answer(database, request, response, note))
      .catch(() => response.destroy());
  });
  server.on('close', () => database.close());
  return server;
}

/** What somebody asked of the table, and with which key of an account. */
export interface AskedOfTable {
  /** `UpdateItem`; the parts of a transaction are asked one by one. */
  readonly action: string;
  readonly input: TableBody;
  readonly by: string;
}

async function answer(
  database: Server,
  request: IncomingMessage,
  response: ServerResponse,
  note: (asked: AskedOfTable) => void,
) {
  const isOver = once(response, 'close');
  const target = String(request.headers['x-amz-target']);
  const by = /Credential=([^/]+)/.exec(request.headers.authorization ?? '')?.[1] ?? '';
  // The database reads it, too.
  const said: Buffer[] = [];
  request.on('data', (part) => said.push(part));
  request.on('end', () => {
    const input = JSON.parse(Buffer.concat(said).toString());
    const action = target.slice(target.indexOf('.') + 1);
    if (action !== 'TransactWriteItems') return note({ action, input, by });
    for (const { ConditionCheck, Update } of input.TransactItems) {
      if (ConditionCheck) note({ action: 'ConditionCheckItem', input: ConditionCheck, by });
      else note({ action: 'UpdateItem', input: Update, by });
    }
  });
  if (target.endsWith('.TransactWriteItems')) await transact(database, request, response);
  else database.emit('request', request, response);
  await isOver;
}

interface Part {
  readonly ConditionCheck?: object;
  readonly Update?: object;
}

async function transact(database: Server, request: IncomingMessage, response: ServerResponse) {
  const parts: readonly Part[] = JSON.parse(await text(request)).TransactItems;
  const codes: string[] = [];
  for (const { ConditionCheck, Update } of parts) {
    const isUnmet = codes.some((code) => code !== 'None');
    codes.push(
      isUnmet ? 'None' : await send(database, request, Update ?? asUpdate(ConditionCheck)),
    );
  }
  const isDone = codes.every((code) => code === 'None');
  response.writeHead(isDone ? 200 : 400, { 'content-type': 'application/x-amz-json-1.0' });
  const __type = 'com.amazonaws.dynamodb.v20120810#TransactionCanceledException';
  const CancellationReasons = codes.map((Code) => ({ Code }));
  response.end(JSON.stringify(isDone ? {} : { __type, Message: 'Cancelled', CancellationReasons }));
}

/** A change that changes nothing. */
function asUpdate(check: Part['ConditionCheck']): object {
  const { ExpressionAttributeNames = {}, ...of } = (check ?? {}) as Record<string, object>;
  const names = { ...ExpressionAttributeNames, '#nothing': 'nothing' };
  return { ...of, UpdateExpression: 'REMOVE #nothing', ExpressionAttributeNames: names };
}

async function send(database: Server, { headers }: IncomingMessage, update: object) {
  if (!database.listening) {
    database.listen(0, '127.0.0.1').unref();
    await once(database, 'listening');
  }
  const { port } = database.address() as AddressInfo;
  const answered = await fetch(`http://127.0.0.1:${port}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': 'DynamoDB_20120810.UpdateItem',
      authorization: String(headers.authorization),
      'x-amz-date': String(headers['x-amz-date']),
      connection: 'close',
    },
    body: JSON.stringify(update),
  });
  const { __type = 'None' } = (await answered.json()) as { readonly __type?: string };
  return __type.includes('ConditionalCheckFailed') ? 'ConditionalCheckFailed' : __type;
}
