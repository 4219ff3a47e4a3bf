import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decideAfterBake } from '../../../lib/domain/judge/decide-after-bake.ts';
import { hasConverged } from '../../../lib/domain/judge/judge-wave.ts';
import type { Observation } from '../../../lib/domain/rollout.ts';
import { observation } from '../arbitraries.ts';
import { line, planOf, progressOf, recordOf, seen } from '../examples.ts';

const POLICY = { bakeSeconds: 300, progressDeadlineSeconds: 600, pollSeconds: 7 };
/** The bake and the progress deadline together: the longest that doubt may last. */
const LONGEST_DOUBT_MS = 900_000;

const plan = planOf([1, 2], { maxUnavailable: 2 });
const converged = seen('converged', 2);
const superseded = seen('superseded');

/** What follows a read of the list after the bake, everything up to the end of the wave rolled. */
function decide(wave: number, observations: readonly Observation[], sinceProgressMs = 300_000) {
  const rolled = plan.ids.slice(0, observations.length);
  const journal = rolled.map((id) => line('roll', id, 'accepted'));
  const record = recordOf(journal, POLICY);
  return decideAfterBake(record, plan, progressOf(wave, observations), sinceProgressMs);
}

const readAgain = { next: 'bake', seconds: POLICY.pollSeconds };
const regress = (oldEndpoints: readonly number[]) => ({
  next: 'contain',
  ending: expect.objectContaining({ outcome: 'Failed', reason: 'LiveRegressed' }),
  oldEndpoints,
});
const taken = {
  next: 'close',
  ending: expect.objectContaining({ outcome: 'Superseded', reason: 'Superseded' }),
};

describe('decideAfterBake', () => {
  test('invariant 4: starts the next wave when this one is still converged', () => {
    expect(decide(0, [converged])).toEqual({ next: 'roll', wave: 1, positions: [1, 2] });
  });

  test('the last wave closes the rollout with success', () => {
    expect(decide(1, [converged, converged, converged])).toEqual({
      next: 'close',
      ending: expect.objectContaining({ outcome: 'Succeeded', reason: 'Converged' }),
    });
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
    expect(decide(0, [doubtful])).toEqual(readAgain);
    expect(decide(1, [converged, converged, doubtful])).toEqual(readAgain);
    expect(decide(1, [doubtful, converged, converged])).toEqual(readAgain);
  });

  test.each<[string, Observation]>([
    ['H07: live went back', seen('progressing', 2)],
    ['it failed', seen('failed', 2)],
    ['H23: the target is not known', seen('requested', 2)],
    ['H02: missing', seen('missing', 3)],
  ])('the gate fails when reads agree, and the old endpoint is contained: %s', (_, lost) => {
    expect(decide(0, [lost])).toEqual(regress([0]));
    expect(decide(1, [converged, converged, lost])).toEqual(regress([2]));
    expect(decide(1, [lost, converged, converged])).toEqual(regress([0]));
  });

  test('X06: moved by somebody else during the bake, in this wave or one before', () => {
    expect(decide(1, [converged, converged, superseded])).toEqual(taken);
    expect(decide(1, [superseded, converged, converged])).toEqual(taken);
  });

  test('a loss beside what somebody else moved is a failure', () => {
    expect(decide(1, [superseded, converged, seen('progressing', 2)])).toEqual(regress([0, 2]));
  });

  test('invariant 14: doubt does not last longer than the bake and the deadline', () => {
    const flapping = [converged, seen('converged', 1), seen('missing', 1)];
    expect(decide(1, flapping, LONGEST_DOUBT_MS - 1)).toEqual(readAgain);
    expect(decide(1, flapping, LONGEST_DOUBT_MS)).toEqual(regress([2]));
  });

  test('X09: proven success wins however late it is', () => {
    expect(decide(0, [converged], 10 * LONGEST_DOUBT_MS)).toMatchObject({ next: 'roll' });
  });
});

describe('whatever was observed', () => {
  const anyObservations = fc.array(fc.oneof(fc.constant(converged), observation), {
    minLength: 3,
    maxLength: 3,
  });

  test('invariant 9: success only when every endpoint of every wave has converged', () => {
    fc.assert(
      fc.property(anyObservations, fc.nat(2 * LONGEST_DOUBT_MS), (observations, since) => {
        const decision = decide(1, observations, since);
        const isSuccess = decision.next === 'close' && decision.ending.outcome === 'Succeeded';
        expect(isSuccess).toBe(observations.every(hasConverged));
      }),
    );
  });

  test('invariant 14: past the bound it is decided', () => {
    fc.assert(
      fc.property(anyObservations, fc.nat(), (observations, late) => {
        expect(decide(1, observations, LONGEST_DOUBT_MS + late).next).not.toBe('bake');
      }),
    );
  });

  test('one that is lost does not make one read against another count', () => {
    expect(decide(1, [converged, seen('progressing'), seen('superseded')])).toMatchObject({
      next: 'bake',
    });
    expect(decide(1, [converged, seen('converged'), seen('superseded')])).toMatchObject({
      next: 'bake',
    });
  });
});
