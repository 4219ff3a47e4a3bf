import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { openSqliteLedger } from '../../../../lib/adapters/ledger/sqlite/ledger.ts';
import { NOW, requestOf, UNTIL } from '../ledger-examples.ts';

// Others get ten seconds to be done.
test('L06: a file that another process keeps locked: it says what that means and what to do, and goes on after it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-ledger-'));
  const file = join(folder, 'ledger.db');
  const { ledger, end } = openSqliteLedger(file);
  const { rolloutId } = await ledger.open(requestOf(randomUUID()), NOW, UNTIL);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  const locked = {
    name: 'LedgerUnavailable',
    message: expect.stringMatching(
      new RegExp(`^The ledger ${file} is locked: another process .*stands still.* try again\\.$`),
    ),
    cause: expect.objectContaining({ message: 'database is locked' }),
  };

  await expect(ledger.read(rolloutId)).rejects.toMatchObject(locked);
  expect(() => openSqliteLedger(file)).toThrow(expect.objectContaining(locked));

  other.close();
  expect(await ledger.read(rolloutId)).toMatchObject({ outcome: null });
  end();
  rmSync(folder, { recursive: true });
});
