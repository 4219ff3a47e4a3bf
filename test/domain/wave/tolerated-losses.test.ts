import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  hasFailed,
  hasVanished,
  type Observation,
} from '../../../lib/domain/endpoint/observation.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import type { Tolerance } from '../../../lib/domain/rollout/policy.ts';
import { findToleratedLosses } from '../../../lib/domain/wave/tolerated-losses.ts';
import { observation } from '../arbitraries.ts';
import { planBackOf, plannedBack, planOf, seen } from '../examples.ts';

const converged = seen('converged', 2);
const failed = seen('failed', 2);
const vanished = seen('missing', 3);
const superseded = seen('superseded');

const tolerated = (
  plan: RolloutPlan,
  observations: readonly Observation[],
  failureThreshold: Tolerance,
) => [...findToleratedLosses(plan, observations, { failureThreshold })];

const one = { endpoints: 1 };

describe('on the way forward, with a limit of what may be at risk', () => {
  test.each<[string, number[], Tolerance, Observation[], number[]]>([
    [
      'all waves have one threshold together',
      [2, 2],
      one,
      [failed, converged, converged, failed],
      [],
    ],
    ['as many as it allows', [2, 2], one, [converged, converged, converged, failed], [3]],
    ['never a whole wave', [1, 2], one, [failed, converged, converged], []],
    [
      'a share is one of all endpoints',
      [2, 2],
      { percent: 25 },
      [failed, converged, converged, converged],
      [0],
    ],
  ])('%s', (_, waves, threshold, observations, expected) => {
    const plan = { ...planOf(waves), maxAtRisk: 2 };
    expect(tolerated(plan, observations, threshold)).toEqual(expected);
  });
});

describe('on the way forward', () => {
  test.each<[string, number[], Tolerance, Observation[], number[]]>([
    ['none is allowed', [3], { endpoints: 0 }, [failed, converged, converged], []],
    ['one is allowed, one is lost', [3], one, [failed, converged, converged], [0]],
    ['one has vanished', [3], one, [converged, vanished, converged], [1]],
    ['one is lost, the rest is not rolled yet', [3], one, [converged, failed], [1]],
    ['one more than allowed: then none is', [3], one, [failed, vanished, converged], []],
    ['each wave has its own', [2, 2], one, [failed, converged, converged, failed], [0, 3]],
    [
      'one wave beyond it is no matter of the other',
      [3, 3],
      one,
      [failed, failed, converged, converged, failed, converged],
      [4],
    ],
    ['never a whole wave', [1, 2], one, [failed, converged, converged], []],
    ['never a whole wave, however many', [2], { percent: 100 }, [failed, vanished], []],
    ['failed on one read is not lost', [3], one, [seen('failed', 1), converged, converged], []],
    ['missing on two reads is not lost', [3], one, [seen('missing', 2), converged, converged], []],
    [
      'what somebody else moved is lost, and never tolerated',
      [3],
      one,
      [superseded, converged, converged],
      [],
    ],
    ['what hangs is not lost', [3], one, [seen('progressing', 99), converged, converged], []],
    [
      'a share is rounded down',
      [4, 6],
      { percent: 34 },
      [failed, converged, converged, converged, failed, failed, ...Array(4).fill(converged)],
      [0, 4, 5],
    ],
    ['a share of less than one is none', [3], { percent: 33 }, [failed, converged, converged], []],
    [
      'nothing of binary fractions: 29 % of 100 is 29',
      [100],
      { percent: 29 },
      [...Array(29).fill(failed), ...Array(71).fill(converged)],
      Array.from({ length: 29 }, (_, position) => position),
    ],
  ])('%s', (_, sizes, threshold, observations, indexes) => {
    expect(tolerated(planOf(sizes), observations, threshold)).toEqual(indexes);
  });

  test('only what is lost, in each wave all of it or nothing, and never a whole wave', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1, maxLength: 4 });
    const threshold = fc.oneof(
      fc.record({ endpoints: fc.nat(4) }),
      fc.record({ percent: fc.nat(100) }),
    );
    const frequent = fc.oneof(observation, fc.constant(failed), fc.constant(converged));
    const observations = fc.array(frequent, { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(sizes, threshold, observations, (each, allowed, read) => {
        const plan = planOf(each);
        const all = read.slice(0, plan.endpoints.length);
        const found = new Set(tolerated(plan, all, allowed));
        const isLost = (position: number) => {
          const observed = all[position];
          return observed !== undefined && (hasFailed(observed) || hasVanished(observed));
        };
        for (const { from, to } of plan.waves) {
          const wave = Array.from({ length: to - from }, (_, index) => from + index);
          const lost = wave.filter(isLost);
          const kept = wave.filter((position) => found.has(position));
          expect([[], lost]).toContainEqual(kept);
          expect(kept.length).toBeLessThan(to - from);
          if ('endpoints' in allowed) expect(kept.length).toBeLessThanOrEqual(allowed.endpoints);
        }
      }),
    );
  });
});

describe('on the way back', () => {
  const plan = planBackOf(3, {
    endpoints: [
      plannedBack('web-1', { leftAs: 'broken' }),
      plannedBack('web-2', { leftAs: 'unsettled' }),
      plannedBack('web-3', { wrongBefore: ['failed'] }),
    ],
  });

  test.each<[string, Observation[], number[]]>([
    ['those that were not live when it began', [failed, vanished, converged], [0, 1]],
    [
      'what was live and is lost, though it had failed before the rollout',
      [converged, converged, failed],
      [],
    ],
    [
      'what somebody else moved or stopped, broken or not',
      [superseded, converged, superseded],
      [0, 2],
    ],
    ['broken on one read', [seen('failed', 1), seen('missing', 2), converged], []],
    ['what was broken and hangs', [seen('progressing', 99), converged, converged], []],
    ['everything', [failed, failed, superseded], [0, 1, 2]],
  ])('%s', (_, observations, indexes) => {
    expect(tolerated(plan, observations, { endpoints: 0 })).toEqual(indexes);
  });

  test('the failure threshold is one of the way forward', () => {
    expect(tolerated(plan, [converged, converged, failed], { percent: 100 })).toEqual([]);
  });
});
