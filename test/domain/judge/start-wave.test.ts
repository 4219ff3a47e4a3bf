import { expect, test } from '@jest/globals';
import { startWave } from '../../../lib/domain/judge/start-wave.ts';
import { line, planOf, seen } from '../examples.ts';

const converged = seen('converged', 2);
const accepted = [line('roll', 'web-1', 'accepted')];

test('begins with as many of the wave as may be unavailable, by their place in the plan', () => {
  const plan = planOf([1, 4], { maxUnavailable: 3 });
  expect(startWave(plan, 1, [converged], accepted)).toEqual({
    next: 'roll',
    wave: 1,
    positions: [1, 2, 3],
  });
});

test.each([
  ['nothing was rolled', []],
  ['no roll was accepted', [line('roll', 'web-1', 'unknown')]],
  ['only a stop was accepted', [line('stop', 'web-1', 'accepted')]],
])('H20: begins with one while %s', (_, journal) => {
  expect(startWave(planOf([4]), 0, [], journal)).toEqual({
    next: 'roll',
    wave: 0,
    positions: [0],
  });
});

test('invariant 4: never reaches into the next wave', () => {
  const three = planOf([2, 2, 5]);
  expect(startWave(three, 0, [], accepted)).toEqual({ next: 'roll', wave: 0, positions: [0, 1] });
  expect(startWave(three, 1, [converged, converged], accepted)).toEqual({
    next: 'roll',
    wave: 1,
    positions: [2, 3],
  });
});

test('invariant 3: what is unsettled in the waves before takes room', () => {
  const plan = planOf([2, 4], { maxUnavailable: 3 });
  const earlier = [converged, seen('progressing')];
  expect(startWave(plan, 1, earlier, accepted)).toEqual({
    next: 'roll',
    wave: 1,
    positions: [2, 3],
  });
});
