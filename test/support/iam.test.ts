import { describe, expect, test } from '@jest/globals';
import { readDoc } from '../docs/code-blocks.ts';
import { isAllowed, type Statement } from './iam.ts';
import { iamRequestsOf } from './table-requests.ts';

const TABLE = 'arn:aws:dynamodb:REGION:ACCOUNT:table/TABLE';
const put = (keys: readonly string[] | null, userId?: string) => ({
  action: 'dynamodb:UpdateItem',
  resource: TABLE,
  context: {
    ...(keys && { 'dynamodb:leadingkeys': keys }),
    ...(userId !== undefined && { 'aws:userid': [userId] }),
  },
});
const may = (condition?: Statement['Condition'], more: Partial<Statement> = {}): Statement => ({
  ...{ Effect: 'Allow', Action: ['dynamodb:GetItem', 'dynamodb:Update*'], Resource: TABLE },
  ...(condition && { Condition: condition }),
  ...more,
});
const keyed = (operator: string, ...keys: string[]) => ({
  [operator]: { 'dynamodb:LeadingKeys': keys },
});

describe('what a policy allows', () => {
  test.each<[string, readonly Statement[], ReturnType<typeof put>, boolean]>([
    ['an action of its pattern', [may()], put(['a']), true],
    ['nothing else', [may({}, { Action: 'dynamodb:PutItem' })], put(['a']), false],
    ['nothing on another resource', [may({}, { Resource: `${TABLE}/index/x` })], put(['a']), false],
    ['nothing that is denied', [may(), may({}, { Effect: 'Deny' })], put(['a']), false],
    ['a key', [may(keyed('ForAllValues:StringEquals', 'a'))], put(['a']), true],
    ['all keys', [may(keyed('ForAllValues:StringEquals', 'a'))], put(['a', 'b']), false],
    [
      'a beginning',
      [may(keyed('ForAllValues:StringLike', 'r#*', 's#*'))],
      put(['r#1', 's#']),
      true,
    ],
    ['no other one', [may(keyed('ForAllValues:StringLike', 'r#*'))], put(['lease#r#1']), false],
    ['without keys, all of them', [may(keyed('ForAllValues:StringLike', 'r#*'))], put(null), true],
    ['any of them', [may(keyed('ForAnyValue:StringEquals', 'a'))], put(['b', 'a']), true],
    ['without keys, none of any', [may(keyed('ForAnyValue:StringEquals', 'a'))], put(null), false],
  ])('%s', (_, statements, request, allowed) => {
    expect(isAllowed(statements, request)).toBe(allowed);
  });

  test('a key with the name of the caller, and nobody else', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of IAM
    const own = [may(keyed('ForAllValues:StringEquals', 'yes#${aws:userid}'))];
    expect(isAllowed(own, put(['yes#AROA:ada'], 'AROA:ada'))).toBe(true);
    expect(isAllowed(own, put(['yes#AROA:ada'], 'AROA:bob'))).toBe(false);
    expect(isAllowed(own, put(['yes#AROA:ada']))).toBe(false);
  });

  test('no condition that nobody evaluates', () => {
    const odd = [may({ NumericLessThan: { 'aws:MultiFactorAuthAge': '300' } })];
    expect(() => isAllowed(odd, put(['a']))).toThrow('NumericLessThan');
  });
});

test('the role of docs/permissions.md may hold, and reach nothing else', () => {
  const text = readDoc('docs/permissions.md');
  const [, json = ''] =
    /```json\n(\{[^`]*"holds"[^`]*)```/.exec(text.slice(text.indexOf('## Who may hold'))) ?? [];
  const role = [JSON.parse(json)];
  expect(isAllowed(role, put(['holds']))).toBe(true);
  const named = (...attributes: string[]) => {
    const { context, ...asked } = put(['holds']);
    return { ...asked, context: { ...context, 'dynamodb:attributes': attributes } };
  };
  expect(isAllowed(role, named('pk', 'sk', 'holds', 'revision'))).toBe(true);
  for (const attribute of ['openAs', 'runtimeId', 'listedIn', 'signals']) {
    expect(isAllowed(role, named('pk', 'sk', 'holds', attribute))).toBe(false);
  }
  for (const key of ['unlocks', 'rollout#1', 'lease#shop', 'holds#1']) {
    expect(isAllowed(role, put([key]))).toBe(false);
    expect(isAllowed(role, put(['holds', key]))).toBe(false);
  }
});

test('a transaction is asked about item by item', () => {
  const Key = { pk: { S: 'rollout#1' } };
  const TransactItems = [{ ConditionCheck: { Key } }, { Put: { Item: { pk: { S: 'holds' } } } }];
  const asked = iamRequestsOf({ action: 'TransactWriteItems', body: { TransactItems } }, TABLE);
  expect(asked.map(({ action, context }) => [action, context['dynamodb:leadingkeys']])).toEqual([
    ['dynamodb:ConditionCheckItem', ['rollout#1']],
    ['dynamodb:PutItem', ['holds']],
  ]);
});

test('a call whose items nobody knows does not pass', () => {
  expect(() => iamRequestsOf({ action: 'Scan', body: {} }, TABLE)).toThrow('Scan');
});
