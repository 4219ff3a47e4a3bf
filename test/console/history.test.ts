import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { historyQuerySchema } from '../../lib/console/asked.ts';
import { readHistory } from '../../lib/console/desk/history.ts';
import { createLocalLedger, type LocalLedger } from '../cli/local-ledger.ts';

let local: LocalLedger;
beforeAll(async () => {
  local = createLocalLedger();
  await local.begin({ rolloutId: 'older', runtimeId: 'shop' }, 'Failed');
});
afterAll(() => local.remove());

test('a rollout of a group that is under way is found by its id, also when it has gone well', async () => {
  const { ledger } = local;
  await local.begin({ rolloutId: 'group-1', runtimeId: 'group:prod' });
  await local.begin({ rolloutId: 'child-1', runtimeId: 'eu-1', parent: 'group-1' }, 'Succeeded');
  const find = async (query: object) => {
    const { rollouts } = await readHistory(ledger, historyQuerySchema.parse(query), Date.now(), '');
    return rollouts.map(({ rolloutId }) => rolloutId);
  };
  expect(await find({ id: 'child-1' })).toEqual(['child-1']);
  expect(await find({})).toEqual(['older']);
});

test.each([
  ['older', ['older']],
  ['old', []],
  ['nobody', []],
])('a rollout that is not among the newest is found by its whole id: %s', async (id, found) => {
  const { ledger } = local;
  // As after 1,000 more.
  const later = { ...ledger, list: async () => [] };
  const { rollouts } = await readHistory(later, historyQuerySchema.parse({ id }), Date.now(), '');
  expect(rollouts.map(({ rolloutId }) => rolloutId)).toEqual(found);
});

test('what helps after a failure is said until its runtime is rolled again, because then it would be refused', async () => {
  const { ledger } = local;
  const helpOf = async () => {
    const { failed } = await readHistory(ledger, historyQuerySchema.parse({}), Date.now(), '');
    return failed.find(({ rolloutId }) => rolloutId === 'older')?.next;
  };
  expect(await helpOf()).toEqual(expect.any(String));
  await local.begin({ rolloutId: 'newer', runtimeId: 'shop', desiredVersion: 4 });
  expect(await helpOf()).toBeNull();
});

test('what failed and was passed by another version, and what was refused, wants nobody to look', async () => {
  const { ledger } = local;
  await local.begin({ rolloutId: 'bad', runtimeId: 'cart', desiredVersion: 3 }, 'Failed');
  await local.begin({ rolloutId: 'typo', runtimeId: 'nosuch', desiredVersion: 3 }, 'Refused');
  const read = async () => {
    const told = await readHistory(ledger, historyQuerySchema.parse({}), Date.now(), '');
    const ids = (all: readonly { readonly rolloutId: string }[]) =>
      all.map(({ rolloutId }) => rolloutId).filter((id) => id !== 'older');
    return { failed: ids(told.failed), passed: ids(told.passed), refused: ids(told.refused) };
  };
  expect(await read()).toEqual({ failed: ['bad'], passed: [], refused: ['typo'] });
  await local.begin({ rolloutId: 'good', runtimeId: 'cart', desiredVersion: 4 }, 'Succeeded');
  expect(await read()).toEqual({ failed: [], passed: ['bad'], refused: ['typo'] });
});
