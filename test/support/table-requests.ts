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
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly ExpressionAttributeNames?: Readonly<Record<string, string>>;
}
export interface TableBody extends Keyed {
  readonly IndexName?: string;
  readonly KeyConditionExpression?: string;
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
 * What IAM is asked about a call: each action of it on the table or an index, with the partition keys that it reaches,
 * and the attributes that a write names, also in its condition.
 *
 * @param tableArn As the policies name it.
 */
export function iamRequestsOf({ action, body }: TableCall, tableArn: string): IamRequest[] {
  const { IndexName, RequestItems, TransactItems } = body;
  const resource = IndexName === undefined ? tableArn : `${tableArn}/index/${IndexName}`;
  const about = (name: string, keys: readonly string[], written?: Keyed): IamRequest => {
    // A call that is not understood must not look like one that reaches no item.
    if (keys.length === 0) throw new Error(`Nobody knows which items ${name} reaches`);
    const named = written && { 'dynamodb:attributes': attributesOf(written) };
    const context = { 'dynamodb:leadingkeys': keys, ...named };
    return { action: `dynamodb:${name}`, resource, context };
  };
  if (TransactItems !== undefined) {
    return TransactItems.flatMap((one) =>
      Object.entries(one).map(([kind, keyed]) =>
        about(
          kind === 'ConditionCheck' ? 'ConditionCheckItem' : `${kind}Item`,
          keysOf(keyed),
          keyed,
        ),
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
  if (action === 'Query') return [about(action, keysAsked(body))];
  return [about(action, keysOf(body), body)];
}

function keysOf({ Key, Item }: Keyed): string[] {
  const key = (Key ?? Item)?.pk?.S;
  return key === undefined ? [] : [key];
}

/** Those of the key, and all that stand in an expression, by a placeholder or by their name. */
function attributesOf(write: Keyed): string[] {
  const { Key = {}, Item = {}, UpdateExpression = '', ConditionExpression = '' } = write;
  const bare = `${UpdateExpression} ${ConditionExpression}`.match(/(?<![#:\w])[a-z_]\w*/gi) ?? [];
  return [
    ...Object.keys({ ...Key, ...Item }),
    ...Object.values(write.ExpressionAttributeNames ?? {}),
    ...bare.filter((word) => !WORDS.test(word)),
  ];
}

const WORDS =
  /^(SET|REMOVE|ADD|DELETE|AND|OR|NOT|IN|BETWEEN|attribute_\w+|begins_with|contains|size|list_append|if_not_exists)$/i;

/** The partition key of a query stands first in its condition: `pk = :pk`, `#key = :value`. */
function keysAsked({ KeyConditionExpression = '', ExpressionAttributeValues = {} }: TableBody) {
  const [, value = ''] = /^\(?\s*#?\w+\s*=\s*(:\w+)/.exec(KeyConditionExpression) ?? [];
  const key = ExpressionAttributeValues[value]?.S;
  return key === undefined ? [] : [key];
}
