import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { createJsonLedger } from '../../../support/json-storage.ts';
import { describeLedger } from '../ledger-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-json-'));
let count = 0;

afterAll(() => rmSync(folder, { recursive: true }));

describeLedger('a ledger whose storage somebody has written for a JSON file', () => {
  count += 1;
  return createJsonLedger(join(folder, `${count}.json`));
});
