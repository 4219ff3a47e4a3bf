import * as z from 'zod';
import { ScenarioFile } from '../../lib/simulation/scenario.ts';
import { rowsBelow, tableOfRows } from './config-tables.ts';
import { tableOf } from './markdown-table.ts';
import { type SchemaNode, typeOf } from './schema-type.ts';

/** Every key of a scenario, and every kind of fault with the keys that it has alone. */
export function scenarioTables(): string {
  const file = z.toJSONSchema(ScenarioFile, { io: 'input' }) as SchemaNode;
  const { faults: all = {}, ...others } = file.properties ?? {};
  const kinds = all.items?.oneOf ?? [];
  // The kinds have a table of their own.
  const items = {
    type: 'object',
    required: ['endpoint', 'kind'],
    properties: kinds[0]?.properties ?? {},
  };
  const faults = kinds.map(({ description = '', properties = {} }) => [
    `\`${properties.kind?.const}\``,
    description,
    // What all faults have, and nothing else, has a word about it.
    Object.entries(properties)
      .filter(([name, { description }]) => name !== 'kind' && description === undefined)
      .map(fieldText)
      .join('; '),
  ]);
  return [
    tableOfRows(rowsBelow({ properties: { ...others, faults: { ...all, items } } }, '')),
    tableOf(['`kind`', 'what happens', 'fields'], faults),
  ].join('\n\n');
}

function fieldText([name, node]: readonly [string, SchemaNode]): string {
  const byDefault = node.default === undefined ? '' : `, default ${node.default}`;
  return `\`${name}\`: ${typeOf(node)}${byDefault}`;
}
