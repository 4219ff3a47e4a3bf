import type { DatabaseSync } from 'node:sqlite';
import { encodeRecord } from '../../lib/contract/ledger/envelope.ts';
import type { Field } from '../../lib/contract/ledger/fields.ts';
import { rolloutKey } from '../../lib/ledger/keys.ts';

/** Writes the first row of a field of a rollout, or of another item of it, past the ledger. */
export function storeField(
  database: DatabaseSync,
  rolloutId: string,
  field: Field,
  value: unknown,
  { pk, sk } = rolloutKey(rolloutId),
): void {
  const text = typeof value === 'string' ? value : encodeRecord(value);
  database
    .prepare('INSERT OR REPLACE INTO field (pk, sk, name, seq, value) VALUES (?, ?, ?, 0, ?)')
    .run(pk, sk, field, text);
}
