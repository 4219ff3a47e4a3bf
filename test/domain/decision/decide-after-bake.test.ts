import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideAfterBake, hasHeld } from '../../../lib/domain/decision/after-bake.ts';
import { hasConverged, type Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { RolloutRecord, WaveProgress } from '../../../lib/domain/rollout/record.ts';
import { observation } from '../arbitraries.ts';
import { line, planOf, progressOf, recordOf, seen, signal } from '../examples.ts';

const POLICY = { progressDeadlineSeconds: 600, pollSeconds: 7 };
/** How long every wave of these examples bakes. */
const BAKED_MS = 300_000;
/** The progress deadline: the longest that doubt may last. */
const LONGEST_DOUBT_MS = 600_000;

const plan = planOf([1, 2], { maxUnavailable: 2 });
const converged = seen('converged', 2);
const superseded = seen('superseded');

/** What follows a read of the list after the bake, everything up to the end of the wave rolled. */
function decide(
  wave: number,
  observations: readonly Observation[],
  bakedMs = BAKED_MS,
  said: Partial<RolloutRecord> = {},
  doubt: Partial<WaveProgress> = {},
  before = observations,
) {
  const rolled = plan.ids.slice(0, observations.length);
  const journal = rolled.map((id) => line('roll', id, 'accepted'));
  const record = { ...recordOf(journal, POLICY), ...said };
  const progress = progressOf(wave, observations, { bakedMs, ...doubt });
  return decideAfterBake(record, plan, { observations: before }, progress);
}

/** The same of a wave that has baked, and in which there has been doubt for a while. */
const decideInDoubt = (observations: readonly Observation[], doubtMs: number, looksInDoubt = 0) =>
  decide(1, observations, BAKED_MS, {}, { doubtMs, looksInDoubt });

/** So many looks come after the deadline of a doubt, for what the last one before it showed first. */
const MOST_LOOKS = 3;

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

describe('decideAfterBake', () => {
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

  test('invariant 14: doubt does not last longer than the deadline', () => {
    const flapping = [converged, seen('converged', 1), seen('failed', 1)];
    expect(decideInDoubt(flapping, LONGEST_DOUBT_MS - 7_000)).toMatchObject(readAgain);
    expect(decideInDoubt(flapping, LONGEST_DOUBT_MS - 1)).toMatchObject({
      ...readAgain,
      seconds: 1,
    });
    expect(decideInDoubt(flapping, LONGEST_DOUBT_MS, MOST_LOOKS)).toMatchObject(regress([2]));
    const fickle = [converged, seen('converged', 1), seen('missing', 1)];
    expect(decideInDoubt(fickle, LONGEST_DOUBT_MS, MOST_LOOKS)).toMatchObject(unknown);
  });

  test('H02: one read against the wave is confirmed, though a gate was silent up to the deadline', () => {
    const once = [converged, converged, seen('missing', 1)];
    expect(decideInDoubt(once, LONGEST_DOUBT_MS)).toMatchObject(readAgain);
    expect(decideInDoubt(once, 9 * LONGEST_DOUBT_MS, MOST_LOOKS - 1)).toMatchObject(readAgain);
    expect(
      decideInDoubt([converged, converged, seen('missing', 3)], LONGEST_DOUBT_MS),
    ).toMatchObject(regress([2]));
  });

  test('H07: when the last look shows all of it live again, the read that confirms it decides', () => {
    const late = [LONGEST_DOUBT_MS, MOST_LOOKS] as const;
    expect(decideInDoubt([converged, seen('converged', 1)], ...late)).toMatchObject(readAgain);
    expect(decideInDoubt([converged, converged], ...late)).toBeUndefined();
    expect(decideInDoubt([converged, seen('failed', 1)], ...late)).toMatchObject(regress([1]));
    expect(decideInDoubt([converged, seen('missing', 1)], ...late)).toMatchObject(unknown);
  });

  test('H23: one read that says nothing of an endpoint is not the last one', () => {
    const silent = { ...converged, reads: 0, isSilent: true as const };
    expect(decideInDoubt([converged, silent], LONGEST_DOUBT_MS)).toMatchObject(readAgain);
    expect(decideInDoubt([converged, silent], LONGEST_DOUBT_MS, MOST_LOOKS)).toMatchObject(unknown);
  });

  test('a long bake is no doubt: its first cause for it is looked at again', () => {
    expect(decide(0, [seen('missing', 1)], 10 * LONGEST_DOUBT_MS)).toMatchObject(readAgain);
  });

  test('X06: an earlier target is no loss however often it is read, until doubt has to end', () => {
    const reverted = [converged, converged, seen('reverted', 9)];
    expect(decideInDoubt(reverted, LONGEST_DOUBT_MS - 7_000)).toMatchObject(readAgain);
    expect(decideInDoubt(reverted, LONGEST_DOUBT_MS)).toMatchObject(regress([2]));
  });

  test('X09: proven success wins however late it is', () => {
    expect(
      decide(0, [converged], BAKED_MS, {}, { doubtMs: 10 * LONGEST_DOUBT_MS }),
    ).toBeUndefined();
  });

  test('the policy says what happens to what has regressed', () => {
    const journal = [line('roll', 'web-1', 'accepted')];
    const record = recordOf(journal, { ...POLICY, onFailure: 'roll-back' });
    const progress = progressOf(0, [seen('progressing', 2)], { bakedMs: BAKED_MS });
    expect(decideAfterBake(record, plan, progress, progress)).toMatchObject({
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
    const decideBack = (
      each: Observation,
      loss = seen('failed', 2),
      doubtMs: number | null = null,
    ) => {
      const before = [converged, converged, loss];
      const now = [converged, converged, each];
      return decide(1, now, BAKED_MS, { request }, { doubtMs }, before);
    };
    const checkAgain = { next: 'wait', step: 'look', seconds: POLICY.pollSeconds };

    test.each<[string, Observation]>([
      ['is not rolled yet', seen('pending', 1)],
      ['does not show its roll', seen('requested', 1)],
      ['is on its way', seen('progressing', 1)],
      ['is on its way again, after it was live', { ...seen('progressing', 1), furthest: 4 }],
      ['looks live', { ...seen('progressing', 1), since: 0 }],
      ['is live', seen('converged', 1)],
      ['has failed once, after it was missing', seen('failed', 1)],
    ])('and %s, has to get there like any other', (_, again) => {
      expect(decideBack(again)).toMatchObject(checkAgain);
      expect(decideBack(again, seen('missing', 3))).toMatchObject(checkAgain);
    });

    test('X04: a look that died after it had seen it, and runs again, answers the same', () => {
      const progress = progressOf(1, [converged, converged, seen('progressing', 2)], {
        bakedMs: 0,
      });
      const again = { ...progress, isCheckedAgain: true as const };
      const record = { ...recordOf([], POLICY), request };
      expect(decideAfterBake(record, plan, again, progress)).toMatchObject(checkAgain);
      expect(decideAfterBake(record, plan, progress, progress)).toMatchObject({ next: 'contain' });
    });

    test('and is still lost, or somebody else has it, is not checked again', () => {
      expect(decideBack(seen('failed', 3))).toBeUndefined();
      expect(decideBack(seen('missing', 3))).toBeUndefined();
      expect(decideBack(superseded)).toMatchObject(taken);
    });
  });
});

describe('hasHeld', () => {
  const held = (observations: readonly Observation[], failureThreshold = { endpoints: 0 }) =>
    hasHeld(recordOf([], { failureThreshold }), plan, progressOf(1, observations));

  test('a wave has held while all that counts is converged', () => {
    expect(held([converged, converged, converged])).toBe(true);
    expect(held([converged, converged, seen('progressing')])).toBe(false);
    expect(held([seen('missing'), converged, converged])).toBe(false);
    expect(held([converged, converged, seen('failed', 2)])).toBe(false);
    expect(held([converged, converged, seen('failed', 2)], { endpoints: 1 })).toBe(true);
  });
});

describe('whatever was observed', () => {
  const anyObservations = fc.array(fc.oneof(fc.constant(converged), observation), {
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

  test('invariant 14: past the bound it is decided, or by the next read when this one shows all of it live', () => {
    fc.assert(
      fc.property(anyObservations, fc.nat(), (observations, late) => {
        const { next } =
          decideInDoubt(observations, LONGEST_DOUBT_MS + late, MOST_LOOKS + late) ?? {};
        const isJustThere = observations.some(
          ({ state, reads }) => state === 'converged' && reads === 1,
        );
        // One that has been missing since these looks began has its time.
        const isGoing = observations.some(({ state, reads, isGone }) => {
          return state === 'missing' && isGone !== true && late + MOST_LOOKS - reads < 2;
        });
        expect(next === 'wait' && !isJustThere && !isGoing).toBe(false);
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
