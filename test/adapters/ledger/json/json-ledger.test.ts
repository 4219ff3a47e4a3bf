import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from '@jest/globals';
import { createJsonLedger } from '../../../support/json-storage.ts';
import { describeLedger } from '../ledger-contract.ts';
import { describeProcesses } from '../ledger-processes-contract.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-json-'));
let count = 0;

afterAll(() => rmSync(folder, { recursive: true }));

const newFile = () => {
  count += 1;
  return join(folder, `${count}.json`);
};
const NAME = 'a ledger whose storage somebody has written for a JSON file';

describeLedger(NAME, () => createJsonLedger(newFile()));
describeProcesses(NAME, () => {
  const file = newFile();
  return (owner) => createJsonLedger(file, owner);
});
