import { expect, test } from '@jest/globals';
import { CORPUS, cameTo, toOrdeal } from './simulation/corpus.ts';
import { simulate } from './simulation/simulate.ts';
import { tryOrdeal } from './simulation/try-ordeal.ts';

// A first look, for whoever changes something. `npm run proof` looks at many more.

const ROLLOUTS = 50;

test('invariants 1 to 14: whatever goes wrong, every step is safe and every end is the truth', async () => {
  const { violation, tally } = await simulate({ count: ROLLOUTS, seed: 3 });
  expect(violation).toBeNull();
  expect(tally.rollouts).toBe(ROLLOUTS);
});

test('invariants 1 to 14: they hold in every rollout of the corpus', async () => {
  const objections: string[] = [];
  for (const kept of CORPUS) {
    const { shows, drawn } = kept;
    await tryOrdeal(toOrdeal(drawn)).then(
      (run) => objections.push(...cameTo(kept, run).map((wrong) => `${shows}: ${wrong}`)),
      (error: unknown) => objections.push(`${shows}: ${error}`),
    );
  }
  expect(objections).toEqual([]);
});
