import * as z from 'zod';
import { eventSchemas, type HOLD_EVENTS, type LIFECYCLE_EVENTS } from '../../lib/contract/event.ts';
import { rolloutViewSchema } from '../../lib/telling/view/rollout-view.ts';
import { WATCH_LINES } from '../../lib/telling/view/watch-lines.ts';
import { tableOf } from './markdown-table.ts';
import { type SchemaNode, typeOf } from './schema-type.ts';

type Field = readonly [name: string, node: SchemaNode];

/** Every field of the record of a rollout. What a policy has is the configuration's, and its log has lines of `watch`. */
export function recordTable(): string {
  const fields = fieldsBelow(toNode(rolloutViewSchema), '');
  const own = fields.filter(([name]) => !/^policy\.|^log\[/.test(name));
  return fieldTable(own.map(([name, node]) => [name, name === 'log' ? asList(node) : node]));
}

function asList({ description = '' }: SchemaNode): SchemaNode {
  return { type: 'array', items: { type: 'object' }, description };
}

/** The lines of `watch`, and every field with the lines that have it. */
export function watchLineTables(): string {
  const lines = Object.entries(WATCH_LINES).map(
    ([kind, schema]) => [kind, toNode(schema)] as const,
  );
  const kinds = lines.map(([kind, { description = '' }]) => [`\`${kind}\``, description]);
  return [tableOf(['`kind`', ''], kinds), keyTable(lines, 'kind')].join('\n\n');
}

/** The events of rollouts, or of holds, and every key with the events that have it. */
export function eventTables(events: typeof LIFECYCLE_EVENTS | typeof HOLD_EVENTS): string {
  const own = new Set<unknown>(Object.values(events).map(({ detailType }) => detailType));
  const schemas = Object.entries<SchemaNode & { readonly title?: string }>(eventSchemas()).filter(
    ([, { title }]) => own.has(title),
  );
  const sent = schemas.map(([file, { title, description = '' }]) => [
    `[${title}](../schemas/events/${file})`,
    description,
  ]);
  const keys = schemas.map(([, node]) => [node.title ?? '', node] as const);
  return [tableOf(['detail type', 'when it is sent'], sent), keyTable(keys)].join('\n\n');
}

/** A row for each key but one, or for each thing that is said of it. */
function keyTable(nodes: readonly (readonly [string, SchemaNode])[], but?: string): string {
  const rows = new Map<string, { readonly field: Field; readonly names: string[] }>();
  for (const [name, node] of nodes) {
    for (const field of fieldsBelow(node, '').filter(([key]) => key !== but)) {
      const same = JSON.stringify([field[0], cellsOf(field[1])]);
      const row = rows.get(same) ?? { field, names: [] };
      row.names.push(name);
      rows.set(same, row);
    }
  }
  return tableOf(
    ['key', 'in', 'value', ''],
    [...rows.values()].map(({ field: [key, node], names }) => {
      const inAll = names.length === nodes.length;
      return [`\`${key}\``, inAll ? 'all' : names.join(', '), ...cellsOf(node)];
    }),
  );
}

function fieldTable(fields: readonly Field[]): string {
  return tableOf(
    ['field', 'value', ''],
    fields.map(([name, node]) => [`\`${name}\``, ...cellsOf(node)]),
  );
}

function cellsOf(node: SchemaNode): [string, string] {
  return [
    typeOf(inShort(node)).replace(/list of object$/, 'list of objects'),
    node.description ?? '',
  ];
}

/** Without ranges, which matter to whoever writes, and without the keys of objects, which have their own rows. */
function inShort({ minimum, maximum, properties, required, ...node }: SchemaNode): SchemaNode {
  const { additionalProperties, items, anyOf, ...rest } = node;
  return {
    ...rest,
    ...(items !== undefined && { items: inShort(items) }),
    ...(anyOf !== undefined && { anyOf: anyOf.map(inShort) }),
  };
}

/** The fields of an object, each before those of the object or the list in it. */
function fieldsBelow(node: SchemaNode, path: string): Field[] {
  if (node.items !== undefined) return fieldsBelow(node.items, `${path}[]`);
  const variants = node.anyOf ?? node.oneOf ?? [node];
  return variants.flatMap(({ properties = {} }) =>
    Object.entries(properties).flatMap(([name, field]): Field[] => {
      const own = path === '' ? name : `${path}.${name}`;
      return [[own, field], ...fieldsBelow(field, own)];
    }),
  );
}

function toNode(schema: z.ZodType): SchemaNode {
  return z.toJSONSchema(schema, { io: 'input' }) as SchemaNode;
}
