import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideAfterLook } from '../../../lib/domain/decision/after-look.ts';
import { hasConverged, type Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { RolloutRecord, WaveProgress } from '../../../lib/domain/rollout/record.ts';
import { findToleratedLosses } from '../../../lib/domain/wave/tolerated-losses.ts';
import { observation } from '../arbitraries.ts';
import { heardOf, line, planOf, progressOf, recordOf, seen, signal } from '../examples.ts';

const POLICY = { progressDeadlineSeconds: 600, pollSeconds: 7 };
/** How long every wave of these examples bakes. */
const BAKED_MS = 300_000;
/** The progress deadline: the longest that doubt may last. */
const LONGEST_DOUBT_MS = 600_000;

const plan = planOf([1, 2], { maxUnavailable: 2 });
const converged = seen('converged', 2);
const superseded = seen('superseded');

/** What follows a look at the list in the bake or after it, everything up to the end of the wave rolled and live once. */
function decide(
  wave: number,
  observations: readonly Observation[],
  bakedMs = BAKED_MS,
  said: Partial<RolloutRecord> = {},
  times: Partial<WaveProgress> = {},
) {
  const rolled = plan.ids.slice(0, observations.length);
  const journal = rolled.map((id) => line('roll', id, 'accepted'));
  const record = { ...recordOf(journal, POLICY), ...said };
  const now = observations.map((one): Observation => ({ furthest: 4, ...one }));
  const tolerated = findToleratedLosses(plan, now, record.request.policy);
  const heard = heardOf(now.filter((_, index) => !tolerated.has(index)));
  return decideAfterLook(record, plan, progressOf(wave, now, { heard, bakedMs, ...times }));
}

/** The same of a wave that has baked, and that something has kept from going on for a while. */
const decideHeld = (observations: readonly Observation[], ms: number) =>
  decide(1, observations, BAKED_MS, {}, { stuckMs: ms, silentMs: ms });

const unknown = { next: 'close', ending: { outcome: 'Errored', reason: 'EndpointUnknown' } };
const readAgain = { next: 'wait', step: 'look', seconds: POLICY.pollSeconds };
const regress = (oldEndpoints: readonly number[]) => ({
  next: 'contain',
  onFailure: 'roll-back',
  ending: expect.objectContaining({ outcome: 'Failed', reason: 'LiveRegressed' }),
  oldEndpoints,
});
const taken = {
  next: 'close',
  ending: expect.objectContaining({ outcome: 'Superseded', reason: 'Superseded' }),
};

describe('decideAfterLook, of a wave that has converged', () => {
  test('invariant 4: a wave that has baked and is still converged is for the gates to judge', () => {
    expect(decide(0, [converged])).toBeUndefined();
    expect(decide(1, [converged, converged, converged])).toBeUndefined();
  });

  test('invariant 4: until it has baked it bakes on, and is looked at again and again', () => {
    expect(decide(0, [converged], 0)).toMatchObject({ next: 'wait', step: 'look', seconds: 60 });
    expect(decide(0, [converged], BAKED_MS - 1)).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds: 1,
    });
  });

  test('a regress is contained before the bake is over', () => {
    expect(decide(0, [seen('progressing', 1)], 1000)).toMatchObject(readAgain);
    expect(decide(0, [seen('progressing', 2)], 1000)).toMatchObject(regress([0]));
  });

  test.each<[string, Observation]>([
    ['H07: live went back', seen('progressing', 1)],
    ['H07: live came back', seen('converged', 1)],
    ['it failed', seen('failed', 1)],
    ['H23: the target is not known', seen('requested', 1)],
    ['X06: moved back', seen('reverted', 1)],
    ['H02: missing', seen('missing', 1)],
    ['H02: missing, for the second time', seen('missing', 2)],
  ])('one read against it is no proof, and no success: %s', (_, doubtful) => {
    expect(decide(0, [doubtful])).toMatchObject(readAgain);
    expect(decide(1, [converged, converged, doubtful])).toMatchObject(readAgain);
    expect(decide(1, [doubtful, converged, converged])).toMatchObject(readAgain);
  });

  test.each<[string, Observation]>([
    ['H07: live went back', seen('progressing', 2)],
    ['it failed', seen('failed', 2)],
    ['H23: the target is not known', seen('requested', 2)],
    ['H02: missing', seen('missing', 3)],
  ])('the gate fails when reads agree, and the old endpoint is contained: %s', (_, lost) => {
    expect(decide(0, [lost])).toMatchObject(regress([0]));
    expect(decide(1, [converged, converged, lost])).toMatchObject(regress([2]));
    expect(decide(1, [lost, converged, converged])).toMatchObject(regress([0]));
  });

  test('X06: moved by somebody else during the bake, in this wave or one before', () => {
    expect(decide(1, [converged, converged, superseded])).toMatchObject(taken);
    expect(decide(1, [superseded, converged, converged])).toMatchObject(taken);
  });

  test('taken back during the bake, by its first read: the reads before it have shown that for long enough', () => {
    expect(decide(1, [converged, converged, seen('taken-back')])).toMatchObject({
      ending: { outcome: 'Failed', reason: 'TakenBack' },
    });
  });

  test('a loss beside what somebody else moved is a failure', () => {
    expect(decide(1, [superseded, converged, seen('progressing', 2)])).toMatchObject(
      regress([0, 2]),
    );
  });

  test('invariant 14: it is held no longer than until the deadline', () => {
    const flapping = [converged, seen('converged', 1), seen('failed', 1)];
    expect(decideHeld(flapping, LONGEST_DOUBT_MS - 7_000)).toMatchObject(readAgain);
    expect(decideHeld(flapping, LONGEST_DOUBT_MS - 1)).toMatchObject({ ...readAgain, seconds: 1 });
    expect(decideHeld(flapping, LONGEST_DOUBT_MS)).toMatchObject(regress([2]));
    const fickle = [converged, seen('converged', 1), seen('missing', 1)];
    expect(decideHeld(fickle, LONGEST_DOUBT_MS)).toMatchObject(unknown);
  });

  test('H07: when the last look shows all of it live again, the read that confirms it decides', () => {
    expect(decideHeld([converged, seen('converged', 1)], LONGEST_DOUBT_MS)).toMatchObject(
      readAgain,
    );
    expect(decideHeld([converged, converged], LONGEST_DOUBT_MS)).toBeUndefined();
  });

  test('H23: a list that tells no versions sends nothing back', () => {
    const silent = { ...converged, reads: 0, isSilent: true as const };
    expect(decideHeld([converged, silent], LONGEST_DOUBT_MS - 7_000)).toMatchObject(readAgain);
    expect(decideHeld([converged, silent], LONGEST_DOUBT_MS)).toMatchObject(unknown);
  });

  test('what agrees, and has to be seen for longer, has its time beyond the deadline', () => {
    const gone = [converged, seen('missing', 2)];
    const times = { heard: 'proof', stuckMs: LONGEST_DOUBT_MS, silentMs: 0 } as const;
    expect(decide(1, gone, BAKED_MS, {}, times)).toMatchObject(readAgain);
  });

  test('a long bake is no doubt: its first cause for it is looked at again', () => {
    expect(decide(0, [seen('missing', 1)], 10 * LONGEST_DOUBT_MS)).toMatchObject(readAgain);
  });

  test('X06: an earlier target is no loss however often it is read, until doubt has to end', () => {
    const reverted = [converged, converged, seen('reverted', 9)];
    expect(decideHeld(reverted, LONGEST_DOUBT_MS - 7_000)).toMatchObject(readAgain);
    expect(decideHeld(reverted, LONGEST_DOUBT_MS)).toMatchObject(regress([2]));
  });

  test('X09: proven success wins however late it is', () => {
    expect(
      decide(0, [converged], BAKED_MS, {}, { stuckMs: 10 * LONGEST_DOUBT_MS }),
    ).toBeUndefined();
  });

  test('the policy says what happens to what has regressed', () => {
    const journal = [line('roll', 'web-1', 'accepted')];
    const record = recordOf(journal, { ...POLICY, onFailure: 'roll-back' });
    const seenOnce = { ...seen('progressing', 2), furthest: 4 };
    const progress = progressOf(0, [seenOnce], { heard: 'work', bakedMs: BAKED_MS });
    expect(decideAfterLook(record, plan, progress)).toMatchObject({
      next: 'contain',
      onFailure: 'roll-back',
    });
  });

  test('an abort is heard during the bake, though everything is as it should be', () => {
    expect(decide(0, [converged], 0, { signals: [signal('abort')] })).toMatchObject({
      next: 'contain',
      onFailure: 'hold',
      ending: { outcome: 'Aborted' },
    });
  });

  test('an endpoint that was lost within the failure threshold keeps nobody from going on', () => {
    const { request } = recordOf([], { ...POLICY, failureThreshold: { endpoints: 1 } });
    const lost = [converged, converged, seen('failed', 2)];
    expect(decide(1, lost, BAKED_MS, { request })).toBeUndefined();
    expect(decide(1, lost, 0, { request })).toMatchObject({
      next: 'wait',
      step: 'look',
      seconds: 60,
    });
    expect(decide(1, lost)).toMatchObject(regress([2]));
    const more = [converged, seen('progressing', 2), seen('failed', 2)];
    expect(decide(1, more, BAKED_MS, { request })).toMatchObject(regress([1, 2]));
  });

  describe('H06: a loss that was tolerated', () => {
    const { request } = recordOf([], { ...POLICY, failureThreshold: { endpoints: 1 } });
    const decideBack = (each: Observation) =>
      decide(1, [converged, converged, { furthest: 0, ...each }], BAKED_MS, { request });

    test.each<[string, Observation]>([
      ['does not show its roll', seen('requested', 9)],
      ['is on its way', seen('progressing', 9)],
      [
        'is on its way again, after it was live on one read',
        { ...seen('progressing', 9), furthest: 3 },
      ],
      ['looks live', { ...seen('progressing', 1), since: 0 }],
      ['is live', seen('converged', 1)],
      ['has failed once, after it was missing', seen('failed', 1)],
    ])('and %s, has to get there like any other', (_, again) => {
      expect(decideBack(again)).toMatchObject({ next: 'wait', step: 'look' });
    });

    test('and is not rolled yet, is rolled', () => {
      expect(decideBack(seen('pending', 1))).toMatchObject({ next: 'roll', wave: 1, indexes: [2] });
    });

    test('and is still lost, or somebody else has it, is not waited for', () => {
      expect(decideBack(seen('failed', 3))).toBeUndefined();
      expect(decideBack(seen('missing', 3))).toBeUndefined();
      expect(decideBack(superseded)).toMatchObject(taken);
    });
  });
});

describe('whatever was observed', () => {
  // In a bake nothing is left to roll.
  const rolled = observation.filter(({ state }) => state !== 'pending');
  const anyObservations = fc.array(fc.oneof(fc.constant(converged), rolled), {
    minLength: 3,
    maxLength: 3,
  });

  test('invariants 4, 9: trusted only when every endpoint of every wave has converged, and has baked', () => {
    fc.assert(
      fc.property(anyObservations, fc.nat(2 * LONGEST_DOUBT_MS), (observations, since) => {
        const isTrusted = decide(1, observations, since) === undefined;
        expect(isTrusted).toBe(observations.every(hasConverged) && since >= BAKED_MS);
      }),
    );
  });

  test('invariant 14: at the deadline it is decided, or by the next read when this one shows all of it live', () => {
    fc.assert(
      fc.property(anyObservations, fc.nat(), (observations, late) => {
        const { next } = decideHeld(observations, LONGEST_DOUBT_MS + late) ?? {};
        const isLive = observations.every(({ state, reads }) => state === 'converged' && reads > 0);
        expect(next === 'wait' && !isLive).toBe(false);
      }),
    );
  });

  test('one that is lost does not make one read against another count', () => {
    expect(decide(1, [converged, seen('progressing'), seen('superseded')])).toMatchObject({
      next: 'wait',
      step: 'look',
    });
    expect(decide(1, [converged, seen('converged'), seen('superseded')])).toMatchObject({
      next: 'wait',
      step: 'look',
    });
  });
});
