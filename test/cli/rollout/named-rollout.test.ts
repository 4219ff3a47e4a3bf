import { expect, test } from '@jest/globals';
import { findNamed } from '../../../lib/cli/rollout/named-rollout.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import type { RolloutSummary } from '../../../lib/domain/rollout/record.ts';

const ONE = `shop-v2-3f9a1${'0'.repeat(15)}`;
const TWO = `cart-v2-3f9a2${'0'.repeat(15)}`;

function ledgerOf(ids: readonly string[]) {
  const summaries = ids.map((rolloutId) => ({ rolloutId }) as RolloutSummary);
  return {
    list: async () => summaries,
    readSummary: async (id: string) => summaries.find(({ rolloutId }) => rolloutId === id) ?? null,
  };
}

test.each([
  ['a few characters of its hash', '3f9a1', ONE],
  ['the beginning of its id', 'cart', TWO],
  ['its whole id', TWO, TWO],
  ['an id of its own', 'mine', 'mine'],
  ['what nobody knows, which stays as it is', 'nothing', 'nothing'],
])('a rollout is named by %s', async (_, text, meant) => {
  expect(await findNamed(text, ledgerOf([ONE, TWO, 'mine', 'mine-2']))).toBe(meant);
});

test('what may be several is refused, and they are listed', async () => {
  await expect(findNamed('3f9a', ledgerOf([ONE, TWO]))).rejects.toMatchObject({
    name: ErrorName.InvalidInput,
    message: expect.stringContaining(
      'rollout-id: "3f9a" may be shop-v2-3f9a1, cart-v2-3f9a2; use more characters',
    ),
  });
});

test('an id counts as it is while the ledger cannot be read, so that an abort can be sent', async () => {
  const away = async () => {
    throw new SteprollError(ErrorName.LedgerUnavailable, 'away');
  };
  expect(await findNamed('3f9a', { list: away, readSummary: away })).toBe('3f9a');
});
