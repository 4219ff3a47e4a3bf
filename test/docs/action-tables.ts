import { parse } from 'yaml';
import { readDoc } from './code-blocks.ts';
import { tableOf } from './markdown-table.ts';

type Described = Readonly<Record<string, { readonly description: string }>>;

/** What the action of GitHub takes and answers, in its own words. */
export function actionTables(): string {
  const { inputs, outputs } = parse(readDoc('action.yml')) as {
    readonly inputs: Described;
    readonly outputs: Described;
  };
  return [describedTable('input', inputs), describedTable('output', outputs)].join('\n\n');
}

function describedTable(head: string, described: Described): string {
  const rows = Object.entries(described).map(([name, { description }]) => [
    `\`${name}\``,
    description,
  ]);
  return tableOf([head, ''], rows);
}
