import { expect, test } from '@jest/globals';
import { type RehearsedRun, summarize } from '../../lib/rehearsal/summary.ts';

function run(seed: number, said: Partial<RehearsedRun> = {}): RehearsedRun {
  return {
    seed,
    outcome: 'Succeeded',
    reason: 'Converged',
    cleanup: 'none',
    seconds: seed,
    stopped: 0,
    rolledBack: 0,
    requests: 10 * seed,
    transitions: 100,
    ...said,
    toll: { mostInMidRoll: 2, fewestServing: 9, badSeconds: 0, badAtEnd: 0, ...said.toll },
  };
}

const FAILED = { outcome: 'Failed', reason: 'Stalled', cleanup: 'stopped' } as const;

test('half of the rehearsals take at most p50, and 95 % at most p95', () => {
  const runs = Array.from({ length: 100 }, (_, index) => run(index + 1));

  const { durations, requests, transitions } = summarize(runs);

  expect(durations).toEqual({ p50: 50, p95: 95, most: 100 });
  expect(requests).toEqual({ p50: 500, p95: 950, most: 1000 });
  expect(transitions).toEqual({ p50: 100, p95: 100, most: 100 });
});

test('outcomes are counted, the most frequent one first, each with the first seed that shows it', () => {
  const { outcomes } = summarize([run(1, FAILED), run(2), run(3), run(4, FAILED), run(5)]);

  expect(outcomes).toEqual([
    { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none', runs: 3, seed: 2 },
    { ...FAILED, runs: 2, seed: 1 },
  ]);
});

test('the worst rehearsal of each measure is named by its seed', () => {
  const bad = { mostInMidRoll: 4, fewestServing: 7, badSeconds: 120, badAtEnd: 1 };

  const summary = summarize([run(1), run(2, { ...FAILED, stopped: 2, toll: bad }), run(3)]);

  expect(summary.worst).toEqual([
    {
      measure: 'seconds',
      value: 3,
      seed: 3,
      outcome: 'Succeeded',
      reason: 'Converged',
      cleanup: 'none',
    },
    { measure: 'inMidRoll', value: 4, seed: 2, ...FAILED },
    { measure: 'serving', value: 7, seed: 2, ...FAILED },
    { measure: 'stopped', value: 2, seed: 2, ...FAILED },
    { measure: 'badVersion', value: 120, seed: 2, ...FAILED },
  ]);
  expect(summary.stopped).toEqual({ runs: 1, most: 2 });
  expect(summary.rolledBack).toEqual({ runs: 0, most: 0 });
  expect(summary.badVersion).toEqual({ runs: 1, p50: 120, p95: 120, most: 120, liveAtEnd: 1 });
  expect(summary.serving).toEqual({ p50: 9, p95: 7, fewest: 7 });
});
