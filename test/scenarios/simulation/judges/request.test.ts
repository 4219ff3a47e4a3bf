import { expect, test } from '@jest/globals';
import type { Ordeal } from '../ordeal.ts';
import { QUIET } from '../quiet.ts';
import { tryOrdeal } from '../try-ordeal.ts';
import { versionIsLookedFor } from './request.ts';

test('a rollout that begins late after its version was made is noticed, unless a hold keeps it', async () => {
  const free: Ordeal = {
    ...QUIET,
    asked: { kind: 'listed', version: 2, state: 'making', seconds: 20, isNewest: false },
  };
  const frozen: Ordeal = {
    ...free,
    held: {
      holds: [
        { kind: 'freeze', on: 'everything', from: 'before', seconds: 1500, liftedAfter: null },
      ],
      isOfGroup: false,
      refuses: false,
      isAgain: false,
      listens: false,
    },
  };
  const run = await tryOrdeal(frozen);

  expect(versionIsLookedFor(frozen, run)).toEqual([]);
  expect(versionIsLookedFor(free, run)).toHaveLength(1);
});
