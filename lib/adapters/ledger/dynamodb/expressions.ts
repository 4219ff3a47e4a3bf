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
  const names: Record<string, string> = {};
  const values: Record<string, NativeAttributeValue> = {};
  const nameOf = (field: string) => {
    names[`#${field}`] = field;
    return `#${field}`;
  };
  const placeholderOf = (value: NativeAttributeValue) => {
    const name = `:v${Object.keys(values).length}`;
    values[name] = value;
    return name;
  };
  const entries = Object.entries(set);
  const sets = entries.flatMap(([field, value]) =>
    value === null ? [] : [`${nameOf(field)} = ${placeholderOf(value)}`],
  );
  for (const [field, added] of Object.entries(add)) {
    const [before, none, more] = [nameOf(field), placeholderOf([]), placeholderOf(added.map(pack))];
    sets.push(`${before} = list_append(if_not_exists(${before}, ${none}), ${more})`);
  }
  const removes = entries.flatMap(([field, value]) => (value === null ? [nameOf(field)] : []));
  const conditions = Object.entries(only).map(([field, test]) => {
    return toCondition(nameOf(field), test, placeholderOf);
  });
  return {
    UpdateExpression: [
      ...(sets.length > 0 ? [`SET ${sets.join(', ')}`] : []),
      ...(removes.length > 0 ? [`REMOVE ${removes.join(', ')}`] : []),
      ...(count === undefined ? [] : [`ADD ${nameOf(count)} ${placeholderOf(1)}`]),
    ].join(' '),
    ConditionExpression: conditions.join(' AND '),
    ExpressionAttributeNames: names,
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

function toCondition(
  name: string,
  test: Test,
  placeholderOf: (value: NativeAttributeValue) => string,
): string {
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
