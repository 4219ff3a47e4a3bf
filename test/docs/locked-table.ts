import { MAY_BE_ASKED } from '../../lib/contract/config/locked.ts';
import { tableOf } from './markdown-table.ts';

/** What an override may say of fields that are locked: those of one rule are one row. */
export function lockedTable(): string {
  const byRule = Map.groupBy(MAY_BE_ASKED, ({ may }) => may);
  const rows = [...byRule].map(([may, fields]) => [
    fields.map(({ field }) => `\`${field}\``).join(', '),
    may,
  ]);
  return tableOf(['locked', 'an override may say'], rows);
}
