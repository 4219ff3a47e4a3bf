import { expect, test } from '@jest/globals';
import { ASKED } from './gates-asked.ts';
import { countAsked, countSize, readResults } from './results.ts';

// Larger fleets and groups take minutes to count, and what changes these counts changes theirs: `npm run bench`.
const { sizes, asked } = readResults();

test.each([1, 10])('a rollout of %i endpoints takes what docs/cost.md says', async (endpoints) => {
  const written = sizes.find((one) => one.endpoints === endpoints);
  expect(await countSize(endpoints)).toEqual(written);
});

test('so does one under a check that is at work before it begins', async () => {
  const [before] = ASKED.filter(([, , workSeconds]) => workSeconds > 0);
  expect(before).toBeDefined();
  if (before === undefined) return;
  expect(await countAsked(before)).toEqual(asked[ASKED.indexOf(before)]);
});
