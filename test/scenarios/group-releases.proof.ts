import { expect, test } from '@jest/globals';
import { simulateRelease } from './group-releases/simulate.ts';

test('random releases: never are more runtimes in mid-roll or lost than promised, there and back', async () => {
  const releases = [];
  for (let seed = 1; seed <= 40; seed += 1) releases.push(await simulateRelease(seed));

  expect(releases.filter(({ violations }) => violations.length > 0)).toEqual([]);
  // The promise is met to the full, and what is drawn is met.
  expect(releases.some(({ mostAtRisk, promised }) => mostAtRisk === promised)).toBe(true);
  expect(releases.some(({ lost, promised }) => lost === promised && promised > 1)).toBe(true);
  expect(new Set(releases.map(({ outcome }) => outcome))).toEqual(
    new Set(['Succeeded', 'Failed', 'Aborted']),
  );
  expect(releases.some(({ refused, wentBack }) => refused > 0 && wentBack)).toBe(true);
  expect(releases.some(({ mostAtRiskBack, promised }) => mostAtRiskBack === promised)).toBe(true);
  expect(new Set(releases.map(({ asked }) => asked))).toEqual(new Set(['one', 'own', 'latest']));
  expect(releases.some(({ wasKilled }) => wasKilled)).toBe(true);
});
