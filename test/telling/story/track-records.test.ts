import { expect, test } from '@jest/globals';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import { trackRecordsOf } from '../../../lib/telling/story/track-records.ts';
import { recordAt } from '../../support/record-at.ts';

const GATE = 'alarm shop-5xx';

function ended(outcome: Outcome['outcome'], failure: Outcome['failure'], says?: boolean): Outcome {
  const watched = says !== undefined && { watched: [{ gate: GATE, wouldHaveFailed: says }] };
  const kind = failure !== undefined && { failure };
  return { outcome, reason: '', message: '', cleanup: 'none', ...kind, ...watched };
}

async function trackOf(...outcomes: readonly (Outcome | null)[]) {
  const { record } = await recordAt(10);
  const progress = record.progress && { ...record.progress, watched: [{ gate: GATE }] };
  return trackRecordsOf(
    { progress },
    outcomes.map((outcome) => ({ outcome })),
  );
}

test.each<[string, Outcome | null, right: number, of: number]>([
  ['it said no, and the version was bad', ended('Failed', 'bad', true), 1, 1],
  ['it said yes, and the version was bad', ended('Failed', 'bad', false), 0, 1],
  ['it said no, and the rollout succeeded', ended('Succeeded', undefined, true), 0, 1],
  ['it said yes, and the rollout succeeded', ended('Succeeded', undefined, false), 1, 1],
  ['it never answered', ended('Succeeded', undefined), 0, 0],
  ['it never answered, and the version was bad', ended('Failed', 'bad'), 0, 0],
  ['an endpoint was stuck', ended('Failed', 'stuck', true), 0, 0],
  ['it was aborted', ended('Aborted', undefined, true), 0, 0],
  ['it has not ended', null, 0, 0],
])('a gate that only watches: %s', async (_, outcome, right, of) => {
  expect(await trackOf(outcome)).toEqual([{ gate: GATE, right, of }]);
});

test('of many rollouts those are counted in which it can be said', async () => {
  const all = [
    ended('Succeeded', undefined, true),
    ended('Succeeded', undefined, false),
    ended('Failed', 'bad', true),
    ended('Failed', 'stuck', true),
  ];
  expect(await trackOf(...all)).toEqual([{ gate: GATE, right: 2, of: 3 }]);
});
