import type { NativeAttributeValue } from '@aws-sdk/lib-dynamodb';
import type { Field } from '../../../contract/ledger/fields.ts';
import type { ItemCondition, Test } from '../../../ledger/condition.ts';
import type { Update } from '../../../ledger/storage.ts';
import { pack } from './packing.ts';

interface Change {
  readonly set?: Readonly<Record<string, NativeAttributeValue | null>>;
  readonly add?: NonNullable<Update['add']>;
  /** A number that becomes higher by one. */
  readonly count?: Field;
  readonly only: ItemCondition;
}

/** A change in the words of DynamoDB. Every name is a placeholder, because many words are reserved. */
export function toExpressions({ set = {}, add = {}, count, only }: Change) {
  const { names, nameOf, values, placeholderOf } = placeholders();
  const entries = Object.entries(set);
  const sets = entries.flatMap(([field, value]) =>
    value === null ? [] : [`${nameOf(field)} = ${placeholderOf(value)}`],
  );
  for (const [field, added] of Object.entries(add)) {
    const [before, none, more] = [nameOf(field), placeholderOf([]), placeholderOf(added.map(pack))];
    sets.push(`${before} = list_append(if_not_exists(${before}, ${none}), ${more})`);
  }
  const removes = entries.flatMap(([field, value]) => (value === null ? [nameOf(field)] : []));
  return {
    UpdateExpression: [
      ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
      ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
      ...(count === undefined ? [] : [`ADD ${nameOf(count)} ${placeholderOf(1)}`]),
    ].join(' '),
    ConditionExpression: toConditions(only, nameOf, placeholderOf),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

function toConditions(only: ItemCondition, nameOf: NameOf, placeholderOf: PlaceholderOf): string {
  return Object.entries(only)
    .map(([field, test]) => toCondition(nameOf(field), test, placeholderOf))
    .join(' AND ');
}

/** A condition alone, of an item that is not changed. */
export function toCheck(only: ItemCondition) {
  const { names, nameOf, values, placeholderOf } = placeholders();
  const ConditionExpression = toConditions(only, nameOf, placeholderOf);
  return {
    ConditionExpression,
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

type NameOf = (field: string) => string;
type PlaceholderOf = (value: NativeAttributeValue) => string;

function placeholders() {
  const names: Record<string, string> = {};
  const values: Record<string, NativeAttributeValue> = {};
  const nameOf: NameOf = (field) => {
    names[`#${field}`] = field;
    return `#${field}`;
  };
  const placeholderOf: PlaceholderOf = (value) => {
    const name = `:v${Object.keys(values).length}`;
    values[name] = value;
    return name;
  };
  return { names, nameOf, values, placeholderOf };
}

function toCondition(name: string, test: Test, placeholderOf: PlaceholderOf): string {
  if (test === 'absent') return `attribute_not_exists(${name})`;
  if (test === 'present') return `attribute_exists(${name})`;
  if ('is' in test) return `${name} = ${placeholderOf(test.is)}`;
  if ('below' in test) return `${name} < ${placeholderOf(test.below)}`;
  if ('has' in test) {
    return test.has.map((word) => `contains(${name}, ${placeholderOf(word)})`).join(' AND ');
  }
  if ('lacks' in test) return `NOT contains(${name}, ${placeholderOf(pack(test.lacks))})`;
  // A list to which nothing was added is not there.
  if (test.size === 0) return `attribute_not_exists(${name})`;
  return `size(${name}) = ${placeholderOf(test.size)}`;
}
