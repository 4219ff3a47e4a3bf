import * as z from 'zod';
import { eventSchemas, type HOLD_EVENTS, type LIFECYCLE_EVENTS } from '../../lib/contract/event.ts';
import { configCheckSchema, planViewSchema } from '../../lib/telling/view/plan-view.ts';
import { rolloutViewSchema } from '../../lib/telling/view/rollout-view.ts';
import { WATCH_LINES } from '../../lib/telling/view/watch-lines.ts';
import { tableOf } from './markdown-table.ts';
import { type SchemaNode, typeOf } from './schema-type.ts';

type Field = readonly [name: string, node: SchemaNode];

/** The fields of the record of a rollout that people use. The schema has all. */
const USED = [
  ...[
    'rolloutId',
    'runtimeId',
    'version',
    'startedBy.kind',
    'startedBy.name',
    'startedAt',
    'endedAt',
  ],
  ...['outcome', 'failure', 'cleanup', 'reason', 'message', 'state', 'wait.for', 'stuck.message'],
  ...[
    'wants[].commands',
    'forecast.endAt',
    'next[].command',
    'endpoints[].name',
    'endpoints[].fate',
  ],
  ...['endpoints[].reason', 'waves[].gates[].answer', 'writes[].result'],
];

export function recordTable(): string {
  const fields = new Map(fieldsBelow(toNode(rolloutViewSchema), ''));
  return fieldTable(
    USED.map((name) => {
      const node = fields.get(name);
      if (node === undefined) throw new Error(`The record of a rollout has no ${name}.`);
      return [name, node];
    }),
  );
}

/** What the plan of a rollout says, without what is in its policy and in its plan. */
export function planTable(): string {
  const fields = fieldsBelow(toNode(planViewSchema), '');
  return fieldTable(
    fields.filter(([name]) => !/^(policy|plan|matches|words|unsaid)\b./.test(name)),
  );
}

export function configCheckTable(): string {
  return fieldTable(fieldsBelow(toNode(configCheckSchema), ''));
}

/** The lines of `watch`, each with its schema. */
export function watchLineTables(): string {
  const lines = Object.entries(WATCH_LINES).map(([kind, schema]) => [
    `[\`${kind}\`](../schemas/output/watch.${kind}.json)`,
    toNode(schema).description ?? '',
  ]);
  return tableOf(['`kind`', ''], lines);
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

/** A row for each key, or for each meaning that it has. */
function keyTable(nodes: readonly (readonly [string, SchemaNode])[]): string {
  const rows = new Map<string, { readonly field: Field; readonly names: string[] }>();
  for (const [name, node] of nodes) {
    for (const field of fieldsBelow(node, '')) {
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
