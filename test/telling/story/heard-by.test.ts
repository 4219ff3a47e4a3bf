import { expect, test } from '@jest/globals';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { heardBy } from '../../../lib/telling/story/quiet.ts';
import { line, planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';

/** It has looked at 0, and looks again after so many seconds. */
function looksAfter(seconds: number): RolloutRecord {
  const progress = progressOf(0, [seen('progressing')]);
  const wait = waitFor('bake', { lookAt: seconds * 1000 });
  return { ...recordOf(), plan: planOf([1, 1]), progress, wait };
}

test.each<[string, RolloutRecord, number]>([
  ['looks in 5 s', looksAfter(5), 65],
  ['looks in 5 minutes', looksAfter(300), 360],
  ['is looking just now', looksAfter(0), 61],
  ['is at work on something that has no next look yet', recordOf(), 301],
])(
  'a rollout on AWS that %s hears by the end of its next look, and one here within 2 s',
  (_, record, by) => {
    const hears = (listens: boolean) => heardBy(record, 1_000, { listens, isAbandoned: false });
    expect([hears(false), hears(true)]).toEqual([by * 1000, 3_000]);
  },
);

test('a write that is under way here is finished first, and so are those of a failure', () => {
  const hears = (record: RolloutRecord) =>
    heardBy(record, 1_000, { listens: true, isAbandoned: false });
  const writes = { ...looksAfter(5), journal: [line('roll', 'web-1', 'intended')] };
  const has = { ...writes, journal: [...writes.journal, line('roll', 'web-1', 'accepted')] };
  const contains = { ...looksAfter(5), wait: null };
  expect([writes, has, contains].map(hears)).toEqual([15_000, 3_000, 15_000]);
});

test('nobody hears when the process is dead, or was not heard of for too long', () => {
  const record = looksAfter(5);
  expect(heardBy(record, 1_000, { listens: true, isAbandoned: true })).toBeNull();
  expect(heardBy(record, 3_600_000, { listens: true, isAbandoned: false })).toBeNull();
});
