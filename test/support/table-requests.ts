import type { IncomingMessage } from 'node:http';
import type { IamRequest } from './iam.ts';

/** A call of DynamoDB, as it went over the wire. */
export interface TableCall {
  readonly action: string;
  readonly body: TableBody;
}

interface Keyed {
  readonly Key?: Item;
  readonly Item?: Item;
}
interface TableBody extends Keyed {
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
  readonly ExpressionAttributeValues?: Readonly<Record<string, { readonly S?: string }>>;
  readonly RequestItems?: Readonly<Record<string, { readonly Keys?: readonly Item[] }>>;
  readonly TransactItems?: readonly Readonly<Record<string, Keyed>>[];
}
type Item = Readonly<Record<string, { readonly S?: string }>>;

/** Reads a request to a DynamoDB in memory, and hands it on once all of it is there. */
export function readTableCall(request: IncomingMessage, heard: (call: TableCall) => void): void {
  const action = String(request.headers['x-amz-target']).replace(/^.*\./, '');
  let body = '';
  request.on('data', (chunk) => {
    body += chunk;
  });
  request.on('end', () => heard({ action, body: JSON.parse(body) }));
}

/**
 * What IAM is asked about a call: each action of it on the table or an index, with the partition keys that it reaches.
 *
 * @param tableArn As the policies name it.
 */
export function iamRequestsOf({ action, body }: TableCall, tableArn: string): IamRequest[] {
  const { IndexName, RequestItems, TransactItems } = body;
  const resource = IndexName === undefined ? tableArn : `${tableArn}/index/${IndexName}`;
  const about = (name: string, keys: readonly string[]): IamRequest => {
    // A call that is not understood must not look like one that reaches no item.
    if (keys.length === 0) throw new Error(`Nobody knows which items ${name} reaches`);
    return { action: `dynamodb:${name}`, resource, context: { 'dynamodb:leadingkeys': keys } };
  };
  if (TransactItems !== undefined) {
    return TransactItems.flatMap((one) =>
      Object.entries(one).map(([kind, keyed]) =>
        about(kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`, keysOf(keyed)),
      ),
    );
  }
  if (RequestItems !== undefined) {
    const items = Object.values(RequestItems).flatMap(({ Keys = [] }) => Keys);
    return [
      about(
        action,
        items.flatMap((Key) => keysOf({ Key })),
      ),
    ];
  }
  return [about(action, action === 'Query' ? keysAsked(body) : keysOf(body))];
}

function keysOf({ Key, Item }: Keyed): string[] {
  const key = (Key ?? Item)?.pk?.S;
  return key === undefined ? [] : [key];
}

/** The partition key of a query stands first in its condition: `pk = :pk`, `#key = :value`. */
function keysAsked({ KeyConditionExpression = '', ExpressionAttributeValues = {} }: TableBody) {
  const [, value = ''] = /^\(?\s*#?\w+\s*=\s*(:\w+)/.exec(KeyConditionExpression) ?? [];
  const key = ExpressionAttributeValues[value]?.S;
  return key === undefined ? [] : [key];
}
