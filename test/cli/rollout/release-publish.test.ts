import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';

let local: LocalLedger;

beforeAll(() => {
  local = createLocalLedger();
});
afterAll(() => local.remove());

test('where no listener runs: exit 3, and how to start one', async () => {
  expect(await local.run('release', 'publish', 'shop', '--version', '7')).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^EventsUnavailable: No listener runs .*steproll listen\.\n$/),
  });
});

test('without a version: exit 2, and nothing is announced', async () => {
  expect(await local.run('release', 'publish', 'shop')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--version: missing'),
  });
});

test('C01: without a runtime and with a version that is none: exit 2, both at once', async () => {
  const { code, stderr } = await local.run('release', 'publish', '--version', '0');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/2 mistakes:\n.*runtime-id: missing.*\n.*--version: "0"/),
  });
});
