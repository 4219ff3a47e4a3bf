import { expect, test } from '@jest/globals';
import type { BadNight } from '../../lib/rehearsal/bad-night.ts';
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
    toll: { mostInMidRoll: 2, fewestServing: 9, badVersion: null, ...said.toll },
  };
}

function night(said: Partial<BadNight> = {}): BadNight {
  return {
    badFor: 110,
    seenAfter: 40,
    sentBackAfter: 50,
    liveAtEnd: 0,
    isLiveThoughSeen: false,
    ...said,
  };
}

function nights(...said: readonly Partial<BadNight>[]) {
  const toll = { mostInMidRoll: 2, fewestServing: 9 };
  const runs = said.map((one, index) =>
    run(index + 1, { toll: { ...toll, badVersion: night(one) } }),
  );
  return summarize([...runs, run(said.length + 1)]);
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
  const bad = { mostInMidRoll: 4, fewestServing: 7, badVersion: night({ badFor: 120 }) };

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
    { measure: 'sentBackAfter', value: 50, seed: 2, ...FAILED },
  ]);
  expect(summary.stopped).toEqual({ runs: 1, most: 2 });
  expect(summary.rolledBack).toEqual({ runs: 0, most: 0 });
  expect(summary.serving).toEqual({ p50: 9, p95: 7, fewest: 7 });
});

test('a bad version that is still live at the end is bad without an end', () => {
  const live = { badFor: null, seenAfter: null, sentBackAfter: null, liveAtEnd: 3 };

  const { badVersion, worst } = nights({}, {}, { badFor: 20, seenAfter: 10 }, live);

  expect(badVersion).toMatchObject({ runs: 4, p50: 110, p95: null, most: null, liveAtEnd: 1 });
  expect(worst).toContainEqual(
    expect.objectContaining({ measure: 'badVersion', value: null, seed: 4 }),
  );
});

test('how soon a bad version was seen and sent back counts where it was', () => {
  const live = { badFor: null, liveAtEnd: 1, seenAfter: null, sentBackAfter: null };
  const held = { ...live, seenAfter: 90, isLiveThoughSeen: true };

  const { badVersion } = nights({}, { seenAfter: 5, sentBackAfter: 7 }, live, held);

  expect(badVersion.seenAfter).toEqual({ p50: 40, p95: 90, most: 90 });
  expect(badVersion.sentBackAfter).toEqual({ p50: 7, p95: 50, most: 50 });
  expect(badVersion).toMatchObject({ seen: 3, sentBack: 2, liveAtEnd: 2, liveThoughSeen: 1 });
});

test('what never came about has no number', () => {
  const { badVersion } = summarize([run(1)]);

  const none = { p50: null, p95: null, most: null };
  expect(badVersion).toMatchObject({ runs: 0, ...none, seenAfter: none, sentBackAfter: none });
});
