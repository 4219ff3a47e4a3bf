import { expect, test } from '@jest/globals';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { drawFaults, FAULT_LEVELS } from '../../lib/rehearsal/draw-faults.ts';
import { rehearseChunk, rehearseMany, rehearseSeed, seriesOf } from '../../lib/rehearsal/many.ts';
import { toRun } from '../../lib/rehearsal/summary.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';

const scenario = parseScenario({
  runtimes: [{ id: 'shop', version: 1, rollSeconds: 60, endpoints: 4 }],
});
const rehearsal = {
  scenario,
  runtimeId: 'shop',
  version: 2,
  policy: { ...DEFAULT_POLICY, bakeSeconds: 60 },
  endpointUrl: 'http://127.0.0.1:8080',
  startsAt: Date.UTC(2026, 0, 1),
};

test('many rehearsals are the same on all processors as on one', async () => {
  const series = seriesOf(rehearsal, 'few');
  const progress: number[] = [];

  const runs = await rehearseMany(series, {
    runs: 210,
    seed: 5,
    onProgress: (n) => progress.push(n),
  });

  expect(runs).toEqual(await rehearseChunk({ series, from: 5, count: 210 }));
  expect(runs.map(({ seed }) => seed)).toEqual(
    Array.from({ length: 210 }, (_, index) => index + 5),
  );
  expect(progress.at(-1)).toBe(210);
});

test('one of many is the same again by its seed', async () => {
  const series = seriesOf(rehearsal, 'many');
  const [, second] = await rehearseMany(series, { runs: 2, seed: 40 });

  expect(toRun(41, await rehearseSeed(series, 41))).toEqual(second);
});

test.each(FAULT_LEVELS)('with %s faults the rollouts end in many ways', async (level) => {
  const series = seriesOf(rehearsal, level);
  const runs = await rehearseMany(series, { runs: 100, seed: 1 });

  const reasons = new Set(runs.map(({ reason }) => reason));
  expect(reasons.size).toBeGreaterThan(3);
  expect(reasons).toContain('Converged');
  const isSafe = runs.every(({ toll }) => toll.fewestServing >= 2);
  expect({ level, isSafe: level === 'many' || isSafe }).toEqual({ level, isSafe: true });
});

test('a bad version is bad on one endpoint at least', () => {
  const { drawing } = seriesOf(rehearsal, 'many');
  const drawn = Array.from({ length: 500 }, (_, index) =>
    drawFaults({ ...drawing, endpoints: ['endpoint-01'], seed: index + 1 }),
  );

  const bad = drawn.flatMap(({ badVersion }) => (badVersion === null ? [] : [badVersion]));
  expect(bad.length).toBeGreaterThan(0);
  expect(bad.filter(({ endpoints }) => endpoints.length === 0)).toEqual([]);
});

test('an abort ends them', async () => {
  const signal = AbortSignal.abort(new Error('enough'));

  const many = rehearseMany(seriesOf(rehearsal, 'few'), { runs: 1_000_000, seed: 1, signal });

  await expect(many).rejects.toThrow('enough');
});
