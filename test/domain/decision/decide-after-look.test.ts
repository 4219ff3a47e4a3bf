import { describe, expect, test } from '@jest/globals';
import { decideAfterLook } from '../../../lib/domain/decision/after-look.ts';
import type { JournalEntry, WriteResult } from '../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import { findToleratedLosses } from '../../../lib/domain/wave/tolerated-losses.ts';
import {
  heardOf,
  line,
  planBackOf,
  plannedBack,
  planOf,
  progressOf,
  recordOf,
  seen,
  signal,
} from '../examples.ts';

const DEADLINE_MS = 600_000;
const plan = planOf([1, 3, 2], { maxUnavailable: 2 });
const journal = ['web-1', 'web-2', 'web-3'].map((id) => line('roll', id, 'accepted'));
const converged = seen('converged', 2);

/** When nothing has been rolled long enough for anything rarer. */
const SECONDS = DEFAULT_POLICY.pollSeconds;
const wait = { next: 'wait', step: 'look', seconds: SECONDS };
/** For however long: next-poll.test.ts knows. */
const waiting = { next: 'wait', step: 'look', seconds: expect.any(Number) };

/** What follows a read of wave 2 of 3: `web-2`, `web-3` and `web-4`, after `web-1` in wave 1. */
function decide(
  observations: readonly Observation[],
  now = 0,
  written: readonly JournalEntry[] = journal,
  first = converged,
) {
  const progress = progressOf(1, [first, ...observations], { readAt: now, stuckMs: now });
  return decideAfterLook(recordOf(written), plan, progress);
}

const failed = seen('failed', 2);
const pending = seen('pending');
const progressing = seen('progressing');
const superseded = seen('superseded');

describe('decideAfterLook', () => {
  test.each<[string, Observation[], object]>([
    [
      'bakes when the wave has converged',
      [converged, converged, converged],
      { next: 'wait', step: 'look', seconds: 60 },
    ],
    ['waits for those in mid-roll', [converged, progressing, seen('requested')], wait],
    [
      'rolls on as far as may be unavailable',
      [converged, progressing, pending],
      { next: 'roll', wave: 1, indexes: [3], wait: expect.objectContaining({ seconds: SECONDS }) },
    ],
    ['does not roll beyond that', [progressing, progressing, pending], wait],
    [
      'rolls again what was refused or not sent',
      [pending, pending, pending],
      {
        next: 'roll',
        wave: 1,
        indexes: [1, 2],
        wait: expect.objectContaining({ seconds: SECONDS }),
      },
    ],
    ['rolls nothing more once one has failed', [failed, progressing, pending], wait],
  ])('%s', (_, observations, decision) => {
    expect(decide(observations)).toMatchObject(decision);
  });

  test('contains a failure: the old endpoints are those that were rolled and are not live', () => {
    expect(decide([converged, failed, pending])).toMatchObject({
      next: 'contain',
      onFailure: 'stop-old',
      ending: expect.objectContaining({ outcome: 'Failed', reason: 'EndpointFailed' }),
      oldEndpoints: [2],
    });
  });

  test('A07: contains a wave at its deadline', () => {
    expect(decide([converged, progressing, pending], DEADLINE_MS - 1)).toMatchObject({
      next: 'roll',
    });
    expect(decide([converged, progressing, pending], DEADLINE_MS)).toMatchObject({
      next: 'contain',
      onFailure: 'stop-old',
      ending: expect.objectContaining({ outcome: 'Failed', reason: 'Stalled' }),
      oldEndpoints: [2],
    });
  });

  test('X09: success wins over the deadline', () => {
    expect(decide([converged, converged, converged], DEADLINE_MS)).toMatchObject({
      next: 'wait',
      step: 'look',
    });
  });

  test('H10: a wave that somebody else took over ends the rollout, and nothing is contained', () => {
    expect(decide([converged, superseded, pending])).toMatchObject({
      next: 'close',
      ending: expect.objectContaining({ outcome: 'Superseded', reason: 'Superseded' }),
    });
  });

  test('H18: refused credentials are waited for until the deadline, which then names them', () => {
    const denied = line('roll', 'web-4', 'rejected', 'UpstreamAuth', 'PUT /x: 403');
    const seen = [converged, converged, pending];
    expect(decide(seen, 0, [...journal, denied])).toMatchObject({ next: 'roll', indexes: [3] });
    expect(decide(seen, DEADLINE_MS, [...journal, denied])).toMatchObject({
      next: 'contain',
      ending: {
        outcome: 'Failed',
        reason: 'Stalled',
        message: expect.stringContaining('The credentials were refused: PUT /x: 403'),
      },
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
    expect(decide([failed, pending, pending], 0, [refused])).toMatchObject({
      next: 'contain',
      onFailure: 'stop-old',
      ending: expect.objectContaining({ outcome: 'Failed', reason: 'UpstreamRejected' }),
      oldEndpoints: [],
    });
  });

  test('H20: one goes alone until a roll was accepted', () => {
    const doubt = [line('roll', 'web-2', 'unknown')];
    expect(decide([converged, pending, pending], 0, doubt)).toMatchObject({
      next: 'roll',
      wave: 1,
      indexes: [2],
      wait: expect.objectContaining({ seconds: SECONDS }),
    });
  });

  test('H20: refused for now is not refused for good: another one goes alone', () => {
    const busy = [line('roll', 'web-2', 'rejected', 'UpstreamConflict')];
    expect(decide([pending, pending, pending], 0, busy)).toMatchObject({
      next: 'roll',
      wave: 1,
      indexes: [2],
      wait: expect.objectContaining({ seconds: SECONDS }),
    });
  });
});

describe('a roll that does not show', () => {
  const REGISTERING_MS = 60_000;
  const again = (indexes: readonly number[]) => ({
    next: 'roll',
    wave: 1,
    indexes,
    wait: expect.objectContaining({ seconds: expect.any(Number) }),
  });
  const sent = (...results: WriteResult[]) => results.map((each) => line('roll', 'web-3', each));
  const hidden = [converged, seen('requested', 3), converged];

  test.each<[string, JournalEntry[]]>([
    ['H08: accepted', sent('intended', 'accepted')],
    ['H11: without an answer', sent('intended', 'unknown')],
    ['A01: died around it', sent('intended')],
  ])('is made once more after a minute and three reads: %s', (_, written) => {
    expect(decide(hidden, REGISTERING_MS, written)).toMatchObject(again([2]));
    expect(decide(hidden, REGISTERING_MS - 1, written)).toMatchObject(waiting);
    const twice = [converged, seen('requested', 2), converged];
    expect(decide(twice, REGISTERING_MS, written)).toMatchObject(waiting);
  });

  test.each<[string, Observation[], JournalEntry[]]>([
    ['it was made twice', hidden, sent('intended', 'accepted', 'intended', 'accepted')],
    ['it shows', [converged, seen('progressing', 9), converged], sent('intended', 'accepted')],
    ['it is missing', [converged, seen('missing', 2), converged], sent('intended', 'accepted')],
    ['another endpoint is lost', [failed, seen('requested', 3), pending], sent('intended')],
  ])('is not made again when %s', (_, observations, written) => {
    expect(decide(observations, REGISTERING_MS, written)).toMatchObject(waiting);
  });

  test('takes no room from those that are pending, and goes in the order of the plan', () => {
    const accepted = [...journal, line('roll', 'web-4', 'accepted')];
    const observations = [pending, converged, seen('requested', 3)];
    expect(decide(observations, REGISTERING_MS, accepted)).toMatchObject(again([1, 3]));
  });

  test('is made again before anything else is rolled, while the service has taken none', () => {
    const written = sent('intended', 'unknown');
    expect(decide([pending, seen('requested', 3), pending], REGISTERING_MS, written)).toMatchObject(
      again([2]),
    );
  });
});

describe('an endpoint of a wave before', () => {
  const all = [converged, converged, converged];

  test('H07: keeps the wave from its bake while it is not converged', () => {
    expect(decide(all, 0, journal, seen('progressing'))).toMatchObject(waiting);
    expect(decide(all, 0, journal, seen('converged', 1))).toMatchObject(waiting);
    expect(decide(all, DEADLINE_MS, journal, seen('progressing', 2))).toMatchObject({
      next: 'contain',
      onFailure: 'stop-old',
      ending: { reason: 'Stalled' },
      oldEndpoints: [0],
    });
  });

  test('invariant 3: takes room while it is in mid-roll', () => {
    const observations = [converged, progressing, pending];
    expect(decide(observations, 0, journal, progressing)).toMatchObject(waiting);
  });

  test('ends the rollout when it fails, and is contained', () => {
    expect(decide([converged, converged, pending], 0, journal, failed)).toMatchObject({
      next: 'contain',
      onFailure: 'stop-old',
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

describe('an abort', () => {
  const record = { ...recordOf(journal), signals: [signal('abort')] };
  const aborted = {
    next: 'contain',
    onFailure: 'hold',
    ending: { outcome: 'Aborted', reason: 'Aborted', message: 'Aborted by ann: not today.' },
  };

  test.each<[string, Observation[]]>([
    ['on its way', [progressing, progressing, pending]],
    ['converged', [converged, converged, converged]],
    ['lost', [failed, converged, converged]],
    ['in the hands of somebody else', [superseded, converged, converged]],
  ])('ends a wave that is %s', (_, observations) => {
    const progress = progressOf(1, [converged, ...observations]);
    expect(decideAfterLook(record, plan, progress)).toMatchObject(aborted);
  });
});

test('E08: a group that a newer release waits for begins no other runtime while one is in mid-roll', () => {
  const record = recordOf(journal);
  const group = { ...record, request: { ...record.request, runtimeId: 'group:prod' } };
  const progress = progressOf(1, [converged, progressing, pending]);
  expect(decideAfterLook(group, plan, progress)).toMatchObject({ next: 'roll' });
  const told = { ...group, signals: [signal('give-way', { by: 'rollout-2' })] };
  expect(decideAfterLook(told, plan, progress)).toMatchObject({ next: 'wait', step: 'look' });
});

describe('a loss within the failure threshold', () => {
  const decideWith = (observations: readonly Observation[], now = 0) =>
    decideAfterLook(
      recordOf(journal, { failureThreshold: { endpoints: 1 } }),
      plan,
      progressOf(1, [converged, ...observations], { readAt: now, stuckMs: now }),
    );

  test('keeps nobody from being rolled, nor the wave from its bake', () => {
    expect(decideWith([failed, converged, pending])).toMatchObject({
      next: 'roll',
      indexes: [3],
    });
    expect(decideWith([failed, converged, converged])).toMatchObject({
      next: 'wait',
      step: 'look',
    });
  });

  test('in a wave before is no regress', () => {
    const twoFirst = planOf([2, 2]);
    const record = recordOf(journal, { failureThreshold: { endpoints: 1 } });
    const progress = progressOf(1, [failed, converged, progressing, pending]);
    expect(decideAfterLook(record, twoFirst, progress)).toMatchObject({
      next: 'roll',
      indexes: [3],
    });
  });

  test('is none of an endpoint that is stuck: at the deadline the wave has stalled', () => {
    expect(decideWith([progressing, converged, converged], 600_000)).toMatchObject({
      next: 'contain',
      ending: { reason: 'Stalled' },
    });
    expect(decideWith([failed, progressing, converged], 600_000)).toMatchObject({
      next: 'contain',
      ending: { reason: 'Stalled' },
    });
  });

  test('is one too many with the next', () => {
    expect(decideWith([failed, failed, converged])).toMatchObject({
      next: 'contain',
      ending: { reason: 'EndpointFailed' },
    });
  });
});

describe('on the way back', () => {
  const cause = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
  const back = planBackOf(2, {
    endpoints: [plannedBack('web-1', { leftAs: 'broken' }), plannedBack('web-2')],
    maxUnavailable: 1,
  });
  const record = { ...recordOf(journal), rollback: { cause, seen: [], plan: back } };
  const decideBack = (observations: readonly Observation[], said = record, now = 0) => {
    const tolerated = findToleratedLosses(back, observations, said.request.policy);
    const heard = heardOf(observations.filter((_, index) => !tolerated.has(index)));
    const progress = progressOf(0, observations, {
      ...{ direction: 'back', readAt: now, stuckMs: now, heard },
    });
    return decideAfterLook(said, back, progress);
  };

  test.each<[string, Observation[]]>([
    ['everything is back', [converged, converged]],
    ['what was broken stays broken', [failed, converged]],
    ['somebody else took one', [superseded, converged]],
    ['a healthy one was lost', [converged, failed]],
  ])(
    'ends for the reason that the rollout failed for, and does not bake: %s',
    (_, observations) => {
      expect(decideBack(observations)).toMatchObject({ next: 'close', ending: cause });
    },
  );

  test('a way back that stalls ends for that reason too: nothing is ever stopped', () => {
    expect(decideBack([converged, progressing], record, DEADLINE_MS - 1)).toMatchObject(waiting);
    expect(decideBack([converged, progressing], record, DEADLINE_MS)).toMatchObject({
      next: 'close',
      ending: cause,
    });
  });

  test('rolls on, what is broken first', () => {
    const broken = { ...pending, isBroken: true } as const;
    expect(decideBack([broken, pending])).toMatchObject({ next: 'roll', indexes: [0, 1] });
    expect(decideBack([pending, pending])).toMatchObject({ next: 'roll', indexes: [0] });
    expect(decideBack([pending, progressing])).toMatchObject(waiting);
    expect(decideBack([broken, progressing])).toMatchObject({ next: 'roll', indexes: [0] });
    expect(decideBack([converged, pending])).toMatchObject({ next: 'roll', indexes: [1] });
  });

  test.each([
    ['roll-back', 'roll'],
    ['hold', 'close'],
  ] as const)('aborted with %s, it goes on to: %s', (onFailure, next) => {
    const aborted = { ...record, signals: [signal('abort', { onFailure })] };
    expect(decideBack([converged, pending], aborted)).toMatchObject({ next });
  });
});

test('a wave that has converged is looked at within a minute, however long it bakes', () => {
  const waves = [{ from: 0, to: 1, bakeSeconds: 43_200 }];
  const long = planOf([1], { waves });
  expect(decideAfterLook(recordOf(), long, progressOf(0, [converged]))).toMatchObject({
    next: 'wait',
    step: 'look',
    seconds: 60,
  });
});

test('the policy says what happens to the old endpoints', () => {
  const record = recordOf(journal, { onFailure: 'roll-back' });
  const progress = progressOf(1, [converged, failed, converged, converged]);
  expect(decideAfterLook(record, plan, progress)).toMatchObject({
    next: 'contain',
    onFailure: 'roll-back',
  });
});
