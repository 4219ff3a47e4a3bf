import { describe, expect, test } from '@jest/globals';
import { decideAfterCheck } from '../../../lib/domain/judge/decide-after-check.ts';
import type { JournalEntry, Observation, WriteResult } from '../../../lib/domain/rollout.ts';
import { line, planOf, progressOf, recordOf, seen } from '../examples.ts';

const DEADLINE_MS = 600_000;
const plan = planOf([1, 3, 2], { maxUnavailable: 2 });
const journal = ['web-1', 'web-2', 'web-3'].map((id) => line('roll', id, 'accepted'));
const converged = seen('converged', 2);

/** What follows a read of wave 2 of 3: `web-2`, `web-3` and `web-4`, after `web-1` in wave 1. */
function decide(
  observations: readonly Observation[],
  now = 0,
  written: readonly JournalEntry[] = journal,
  first = converged,
) {
  const progress = progressOf(1, [first, ...observations]);
  return decideAfterCheck(recordOf(written), plan, progress, now);
}

const failed = seen('failed', 2);
const pending = seen('pending');
const progressing = seen('progressing');
const superseded = seen('superseded');

describe('decideAfterCheck', () => {
  test.each<[string, Observation[], object]>([
    [
      'bakes when the wave has converged',
      [converged, converged, converged],
      { next: 'bake', seconds: 300 },
    ],
    ['waits for those in mid-roll', [converged, progressing, seen('requested')], { next: 'wait' }],
    [
      'rolls on as far as may be unavailable',
      [converged, progressing, pending],
      { next: 'roll', wave: 1, positions: [3] },
    ],
    ['does not roll beyond that', [progressing, progressing, pending], { next: 'wait' }],
    [
      'rolls again what was refused or not sent',
      [pending, pending, pending],
      { next: 'roll', wave: 1, positions: [1, 2] },
    ],
    ['rolls nothing more once one has failed', [failed, progressing, pending], { next: 'wait' }],
  ])('%s', (_, observations, decision) => {
    expect(decide(observations)).toEqual(decision);
  });

  test('contains a failure: the old endpoints are those that were rolled and are not live', () => {
    expect(decide([converged, failed, pending])).toEqual({
      next: 'contain',
      ending: expect.objectContaining({ outcome: 'Failed', reason: 'EndpointFailed' }),
      oldEndpoints: [2],
    });
  });

  test('A07: contains a wave at its deadline', () => {
    expect(decide([converged, progressing, pending], DEADLINE_MS - 1)).toMatchObject({
      next: 'roll',
    });
    expect(decide([converged, progressing, pending], DEADLINE_MS)).toEqual({
      next: 'contain',
      ending: expect.objectContaining({ outcome: 'Failed', reason: 'Stalled' }),
      oldEndpoints: [2],
    });
  });

  test('X09: success wins over the deadline', () => {
    expect(decide([converged, converged, converged], DEADLINE_MS)).toMatchObject({ next: 'bake' });
  });

  test('H10: a wave that somebody else took over ends the rollout, and nothing is contained', () => {
    expect(decide([converged, superseded, pending])).toEqual({
      next: 'close',
      ending: expect.objectContaining({ outcome: 'Superseded', reason: 'Superseded' }),
    });
  });

  test('H18: refused credentials end the rollout at once', () => {
    const denied = line('roll', 'web-3', 'rejected', 'UpstreamAuth', 'PUT /x: 403');
    const decision = decide([converged, progressing, pending], 0, [...journal, denied]);
    expect(decision).toEqual({
      next: 'close',
      ending: { outcome: 'Errored', reason: 'UpstreamAuth', message: 'PUT /x: 403' },
    });
  });

  test('H20: a refused version ends the rollout with the reason for the refusal', () => {
    const refused = line(
      'roll',
      'web-2',
      'rejected',
      'UpstreamRejected',
      'PUT /x: 422 no such version',
    );
    expect(decide([failed, pending, pending], 0, [refused])).toEqual({
      next: 'contain',
      ending: expect.objectContaining({ outcome: 'Failed', reason: 'UpstreamRejected' }),
      oldEndpoints: [],
    });
  });

  test('H20: one goes alone until a roll was accepted', () => {
    const doubt = [line('roll', 'web-2', 'unknown')];
    expect(decide([converged, pending, pending], 0, doubt)).toEqual({
      next: 'roll',
      wave: 1,
      positions: [2],
    });
  });

  test('H20: refused once is not refused for good: the rest waits for the one that goes alone', () => {
    const busy = [line('roll', 'web-2', 'rejected', 'UpstreamConflict')];
    expect(decide([pending, pending, pending], 0, busy)).toEqual({
      next: 'roll',
      wave: 1,
      positions: [1],
    });
  });
});

describe('a roll that does not show', () => {
  const REGISTERING_MS = 60_000;
  const again = (positions: readonly number[]) => ({ next: 'roll', wave: 1, positions });
  const sent = (...results: WriteResult[]) => results.map((each) => line('roll', 'web-3', each));
  const hidden = [converged, seen('requested', 3), converged];

  test.each<[string, JournalEntry[]]>([
    ['H08: accepted', sent('intended', 'accepted')],
    ['H11: without an answer', sent('intended', 'unknown')],
    ['A01: died around it', sent('intended')],
  ])('is made once more after a minute and three reads: %s', (_, written) => {
    expect(decide(hidden, REGISTERING_MS, written)).toEqual(again([2]));
    expect(decide(hidden, REGISTERING_MS - 1, written)).toEqual({ next: 'wait' });
    const twice = [converged, seen('requested', 2), converged];
    expect(decide(twice, REGISTERING_MS, written)).toEqual({ next: 'wait' });
  });

  test.each<[string, Observation[], JournalEntry[]]>([
    ['it was made twice', hidden, sent('intended', 'accepted', 'intended', 'accepted')],
    ['it shows', [converged, seen('progressing', 9), converged], sent('intended', 'accepted')],
    ['it is missing', [converged, seen('missing', 2), converged], sent('intended', 'accepted')],
    ['another endpoint is lost', [failed, seen('requested', 3), pending], sent('intended')],
  ])('is not made again when %s', (_, observations, written) => {
    expect(decide(observations, REGISTERING_MS, written)).toEqual({ next: 'wait' });
  });

  test('takes no room from those that are pending, and goes in the order of the plan', () => {
    const accepted = [...journal, line('roll', 'web-4', 'accepted')];
    const observations = [pending, converged, seen('requested', 3)];
    expect(decide(observations, REGISTERING_MS, accepted)).toEqual(again([1, 3]));
  });

  test('is made again before anything else is rolled, while the service has taken none', () => {
    const written = sent('intended', 'unknown');
    expect(decide([pending, seen('requested', 3), pending], REGISTERING_MS, written)).toEqual(
      again([2]),
    );
  });
});

describe('an endpoint of a wave before', () => {
  const all = [converged, converged, converged];

  test('H07: keeps the wave from its bake while it is not converged', () => {
    expect(decide(all, 0, journal, seen('progressing'))).toEqual({ next: 'wait' });
    expect(decide(all, 0, journal, seen('converged', 1))).toEqual({ next: 'wait' });
    expect(decide(all, DEADLINE_MS, journal, seen('progressing', 2))).toMatchObject({
      next: 'contain',
      ending: { reason: 'Stalled' },
      oldEndpoints: [0],
    });
  });

  test('invariant 3: takes room while it is in mid-roll', () => {
    const observations = [converged, progressing, pending];
    expect(decide(observations, 0, journal, progressing)).toEqual({ next: 'wait' });
  });

  test('ends the rollout when it fails, and is contained', () => {
    expect(decide([converged, converged, pending], 0, journal, failed)).toEqual({
      next: 'contain',
      ending: expect.objectContaining({ outcome: 'Failed', reason: 'EndpointFailed' }),
      oldEndpoints: [0],
    });
  });

  test('X06: ends the rollout when somebody else moves it', () => {
    expect(decide([converged, converged, pending], 0, journal, superseded)).toMatchObject({
      next: 'close',
      ending: { outcome: 'Superseded' },
    });
  });
});
