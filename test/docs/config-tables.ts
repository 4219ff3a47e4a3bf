import { configJsonSchema } from '../../lib/contract/config/config.ts';
import { PRESETS } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import { describeSeconds } from '../../lib/domain/sentences.ts';
import { tableOf } from './markdown-table.ts';
import { type SchemaNode, typeOf } from './schema-type.ts';

interface Row {
  /** From the section's own key: `windows[].from`. */
  readonly key: string;
  readonly type: string;
  readonly byDefault: string;
  readonly meaning: string;
}

/** Every key of the configuration: a table of the file itself, and one for each key that is an object. */
export function configTables(): string {
  const { properties = {} } = configJsonSchema() as SchemaNode;
  const fields = Object.entries(properties).filter(([name]) => name !== '$schema');
  const sections = fields.flatMap(([name, node]) => {
    const rows = rowsBelow(BY_NAME.includes(name) ? entryIn(node) : node, '');
    return rows.length === 0 ? [] : [`### \`${name}\``, textOf(node).meaning, tableOfRows(rows)];
  });
  const top = fields.map(([name, node]) => rowOf(name, node, false));
  return ['### The file', tableOfRows(top), ...sections].join('\n\n');
}

/** Objects by their names, each of which is drawn as one of them. That of a group has a table of its own. */
const BY_NAME = ['policies', 'runtimes'];

function entryIn({ additionalProperties }: SchemaNode): SchemaNode {
  return additionalProperties as SchemaNode;
}

/** What the policy of a group may say: a row for each key, but for what is inside of it. */
export function groupPolicyTable(): string {
  const { properties: { groups } = {} } = configJsonSchema() as SchemaNode;
  const { policy } = entryIn(groups ?? {}).properties ?? {};
  const keys = Object.entries(policy?.properties ?? {});
  return tableOfRows(keys.map(([name, node]) => rowOf(name, node, false)));
}

/** The waves of each preset, in endpoints or percent, with the bakes that are its own. */
export function presetsTable(): string {
  const rows = Object.entries(PRESETS).map(([name, { waves = [] }]) => [
    `\`${name}\``,
    waves.map(describeWave).join(', '),
  ]);
  return tableOf(['preset', 'waves'], rows);
}

function describeWave(wave: RolloutPolicy['waves'][number]): string {
  const size = 'percent' in wave ? `${wave.percent} %` : 'endpoints' in wave && wave.endpoints;
  const bake = wave.bakeSeconds === undefined ? '' : ` (bake ${describeSeconds(wave.bakeSeconds)})`;
  return `${size}${bake}`;
}

/** The rows of what is in an object, a list or a choice of them. */
export function rowsBelow(node: SchemaNode, path: string): Row[] {
  if (node.items !== undefined) return rowsBelow(node.items, `${path}[]`);
  const variants = (node.anyOf ?? node.oneOf ?? [node]).filter((one) => one.properties);
  const names = new Set(variants.flatMap(({ properties = {} }) => Object.keys(properties)));
  return [...names].flatMap((name) => {
    const found = variants.flatMap(({ properties }) => properties?.[name] ?? []);
    const [first] = found;
    // Without a word about it, it is the format of somebody else.
    if (first?.description === undefined) return [];
    const node = first.const === undefined ? first : { ...first, anyOf: found };
    const isRequired = variants.every(({ required }) => required?.includes(name));
    const key = path === '' ? name : `${path}.${name}`;
    return [rowOf(key, node, isRequired), ...rowsBelow(first, key)];
  });
}

function rowOf(key: string, node: SchemaNode, isRequired: boolean): Row {
  const { meaning, byDefault } = textOf(node);
  return {
    key,
    type: typeOf(node),
    byDefault: byDefault ?? (isRequired ? requiredOr(node.default) : defaultOf(node.default)),
    meaning,
  };
}

/** A description may end in what holds where nothing is said. */
function textOf({ description = '' }: SchemaNode) {
  const [, meaning = description, byDefault] = /^(.*?) ?Default: (.+)\.$/s.exec(description) ?? [];
  return { meaning, byDefault };
}

function requiredOr(value: unknown): string {
  return value === undefined ? 'required' : defaultOf(value);
}

function defaultOf(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  // An object without keys stands for the defaults of all of them.
  return value === undefined || typeof value === 'object' ? '' : String(value);
}

export function tableOfRows(rows: readonly Row[]): string {
  return tableOf(
    ['key', 'value', 'default', ''],
    rows.map(({ key, type, byDefault, meaning }) => [`\`${key}\``, type, byDefault, meaning]),
  );
}
