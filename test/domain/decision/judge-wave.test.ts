import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { judgeWave } from '../../../lib/domain/decision/after-look.ts';
import {
  hasConverged,
  hasFailed,
  hasVanished,
  type Observation,
} from '../../../lib/domain/endpoint/observation.ts';
import { observation } from '../arbitraries.ts';
import { heardOf, seen } from '../examples.ts';

const DEADLINE = 600_000;
const judge = (
  observations: readonly Observation[],
  stuckMs = 0,
  tolerated: readonly number[] = [],
) =>
  judgeCounting(
    observations.filter((_, index) => !tolerated.includes(index)),
    stuckMs,
  );

const judgeCounting = (observations: readonly Observation[], stuckMs: number) => {
  const heard = heardOf(observations);
  return judgeWave({
    observations,
    heard,
    isOver: stuckMs >= DEADLINE && heard !== 'proof',
    hasConverged: false,
    goesBack: false,
  });
};

const converged = seen('converged', 2);
const failed = seen('failed', 2);
const vanished = seen('missing', 3);
const superseded = seen('superseded');
const progressing = seen('progressing', 4);
const pending = seen('pending');

const mayRoll = { verdict: 'progressing', mayRoll: true };
const settling = { verdict: 'progressing', mayRoll: false };
const lost = (reason: string) => ({ verdict: 'failed', reason });

describe('judgeWave', () => {
  test.each<[string, Observation[], object, object]>([
    // before the deadline, and at it
    ['all converged', [converged, converged], { verdict: 'converged' }, { verdict: 'converged' }],
    ['H07: converged on one read', [converged, seen('converged', 1)], mayRoll, mayRoll],
    [
      'converged on one read, and another one on its way',
      [seen('converged', 1), progressing],
      mayRoll,
      lost('Stalled'),
    ],
    ['H23: converged, and no version since', [seen('converged', 0)], mayRoll, lost('Stalled')],
    ['some on their way', [converged, progressing], mayRoll, lost('Stalled')],
    ['some not rolled yet', [converged, pending], mayRoll, lost('Stalled')],
    ['a roll that shows nowhere', [seen('requested', 9)], mayRoll, lost('Stalled')],
    ['failed on one read', [seen('failed', 1)], mayRoll, lost('Stalled')],
    ['failed', [failed, converged], lost('EndpointFailed'), lost('EndpointFailed')],
    ['failed, others settling', [failed, progressing], settling, lost('EndpointFailed')],
    [
      'failed, others not rolled yet',
      [failed, pending],
      lost('EndpointFailed'),
      lost('EndpointFailed'),
    ],
    ['H02: missing on two reads', [seen('missing', 2)], mayRoll, { verdict: 'unknown' }],
    [
      'H02: missing on two reads beside one on its way',
      [seen('missing', 2), progressing],
      mayRoll,
      lost('Stalled'),
    ],
    [
      'H23: no versions of one, and another one live on one read',
      [{ ...seen('converged', 0), isSilent: true }, seen('converged', 1)],
      mayRoll,
      { verdict: 'unknown' },
    ],
    [
      'H02: missing on three',
      [vanished, pending],
      lost('EndpointVanished'),
      lost('EndpointVanished'),
    ],
    ['vanished, others settling', [vanished, progressing], settling, lost('EndpointVanished')],
    ['X06: moved back on one read', [seen('reverted')], mayRoll, lost('Stalled')],
    [
      'H10: superseded',
      [superseded, pending],
      { verdict: 'superseded' },
      { verdict: 'superseded' },
    ],
    ['H10: superseded, others settling', [superseded, progressing], settling, lost('Stalled')],
    ['failed and superseded', [superseded, failed], lost('EndpointFailed'), lost('EndpointFailed')],
    ['failed and vanished', [vanished, failed], lost('EndpointFailed'), lost('EndpointFailed')],
  ])('%s', (_, observations, before, at) => {
    expect(judge(observations, DEADLINE - 1)).toEqual(before);
    expect(judge(observations, DEADLINE)).toEqual(at);
  });

  test.each<[string, Observation[], object, object]>([
    [
      'the rest has converged',
      [failed, converged],
      { verdict: 'converged' },
      { verdict: 'converged' },
    ],
    ['the rest is on its way', [failed, progressing], mayRoll, lost('Stalled')],
    ['the rest is not rolled yet', [failed, pending], mayRoll, lost('Stalled')],
    [
      'another one fails too',
      [vanished, failed, converged],
      lost('EndpointFailed'),
      lost('EndpointFailed'),
    ],
    [
      'somebody else took the rest',
      [failed, superseded],
      { verdict: 'superseded' },
      { verdict: 'superseded' },
    ],
    ['nothing else was rolled', [failed], { verdict: 'converged' }, { verdict: 'converged' }],
  ])('a loss that is tolerated keeps nobody from going on: %s', (_, observations, before, at) => {
    expect(judge(observations, DEADLINE - 1, [0])).toEqual(before);
    expect(judge(observations, DEADLINE, [0])).toEqual(at);
  });

  test('what is tolerated changes nothing for the others', () => {
    fc.assert(
      fc.property(
        waveWith(),
        waveWith(failed),
        fc.nat(2 * DEADLINE),
        (observations, losses, since) => {
          const tolerated = losses.map((_, index) => observations.length + index);
          expect(judge([...observations, ...losses], since, tolerated)).toEqual(
            judge(observations, since),
          );
        },
      ),
    );
  });

  test('invariant 9: never converged unless every endpoint was on two reads or more', () => {
    fc.assert(
      fc.property(waveWith(seen('converged', 2)), fc.nat(2 * DEADLINE), (observations, since) => {
        const proven = observations.every(
          ({ state, reads }) => state === 'converged' && reads >= 2,
        );
        expect(judge(observations, since).verdict === 'converged').toBe(proven);
      }),
    );
  });

  test('X09: proven success wins over the deadline', () => {
    const provenSuccess = fc.array(fc.integer({ min: 2, max: 9 }), { minLength: 1 });
    fc.assert(
      fc.property(provenSuccess, fc.nat(), (reads, late) => {
        const observations = reads.map((count) => seen('converged', count));
        expect(judge(observations, DEADLINE + late).verdict).toBe('converged');
      }),
    );
  });

  test('invariant 14: at the deadline a wave is still progressing only if nothing but proof is missing', () => {
    fc.assert(
      fc.property(waveWith(), fc.nat(), (observations, late) => {
        const { verdict } = judge(observations, DEADLINE + late);
        expect(verdict === 'progressing').toBe(heardOf(observations) === 'proof');
      }),
    );
  });

  test('H10: a wave is superseded only when that is the only loss', () => {
    fc.assert(
      fc.property(waveWith(superseded), fc.nat(2 * DEADLINE), (observations, since) => {
        const { verdict } = judge(observations, since);
        fc.pre(verdict === 'superseded');
        expect(observations.some(({ state }) => state === 'superseded')).toBe(true);
        expect(observations.some(hasFailed) || observations.some(hasVanished)).toBe(false);
      }),
    );
  });

  test('nothing new is rolled once an endpoint is lost', () => {
    fc.assert(
      fc.property(waveWith(), fc.nat(2 * DEADLINE), (observations, since) => {
        const verdict = judge(observations, since);
        fc.pre(verdict.verdict === 'progressing' && verdict.mayRoll);
        expect(
          observations.some(
            (one) => one.state === 'superseded' || hasFailed(one) || hasVanished(one),
          ),
        ).toBe(false);
      }),
    );
  });

  test('a wave that has failed has no reason to be called a success', () => {
    fc.assert(
      fc.property(waveWith(), fc.nat(2 * DEADLINE), (observations, since) => {
        fc.pre(judge(observations, since).verdict === 'failed');
        expect(observations.every(hasConverged)).toBe(false);
      }),
    );
  });
});

/** Waves in which one kind of observation comes up more often than by chance. */
function waveWith(frequent: Observation = converged): fc.Arbitrary<Observation[]> {
  return fc.array(fc.oneof(fc.constant(frequent), observation), { minLength: 1, maxLength: 8 });
}
