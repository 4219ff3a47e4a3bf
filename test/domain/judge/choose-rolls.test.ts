import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { chooseRolls } from '../../../lib/domain/judge/choose-rolls.ts';
import { isInMidRoll } from '../../../lib/domain/judge/judge-wave.ts';
import type { Observation } from '../../../lib/domain/rollout.ts';
import { observation } from '../arbitraries.ts';
import { seen } from '../examples.ts';

const wave = fc.array(observation, { maxLength: 40 });
const limit = fc.integer({ min: 1, max: 40 });
const pending = seen('pending');

describe('chooseRolls', () => {
  test.each<[string, Observation[], number, number[]]>([
    ['as many as may be unavailable', [pending, pending, pending], 2, [0, 1]],
    ['those in mid-roll count', [seen('progressing'), pending, pending], 2, [1]],
    ['a roll that shows nowhere yet counts', [seen('requested'), pending], 1, []],
    ['one read of convergence does not make room', [seen('converged', 1), pending], 1, []],
    ['two reads of convergence do', [seen('converged', 2), pending], 1, [1]],
    ['one that is missing counts until it has vanished', [seen('missing', 2), pending], 1, []],
    ['one that was moved back counts', [seen('reverted'), pending], 1, []],
    ['more in mid-roll than allowed', [seen('progressing'), seen('requested'), pending], 1, []],
    ['nothing is pending', [seen('converged', 2), seen('superseded')], 5, []],
  ])('%s', (_, observations, maxUnavailable, chosen) => {
    expect(chooseRolls(observations, maxUnavailable, true)).toEqual(chosen);
  });

  test('H20: until the service has accepted a roll, one goes alone', () => {
    expect(chooseRolls([pending, pending, pending], 3, false)).toEqual([0]);
    expect(chooseRolls([seen('requested'), pending, pending], 3, false)).toEqual([]);
    expect(chooseRolls([seen('failed', 1), pending, pending], 3, false)).toEqual([]);
  });

  test('invariant 3: together with those in mid-roll never more than may be unavailable', () => {
    fc.assert(
      fc.property(wave, limit, fc.boolean(), (observations, maxUnavailable, isAccepted) => {
        const chosen = chooseRolls(observations, maxUnavailable, isAccepted);
        const allowed = isAccepted ? maxUnavailable : 1;
        const inMidRoll = observations.filter(isInMidRoll).length;
        expect(chosen.length).toBeLessThanOrEqual(Math.max(0, allowed - inMidRoll));
      }),
    );
  });

  test('chooses only pending endpoints, each once, the first ones first', () => {
    fc.assert(
      fc.property(wave, limit, fc.boolean(), (observations, maxUnavailable, isAccepted) => {
        const chosen = chooseRolls(observations, maxUnavailable, isAccepted);
        const all = observations.flatMap(({ state }, index) =>
          state === 'pending' ? [index] : [],
        );
        expect(chosen).toEqual(all.slice(0, chosen.length));
      }),
    );
  });

  test('invariant 14: a wave with nothing in mid-roll always goes on', () => {
    fc.assert(
      fc.property(wave, limit, fc.boolean(), (observations, maxUnavailable, isAccepted) => {
        fc.pre(observations.some(({ state }) => state === 'pending'));
        fc.pre(!observations.some(isInMidRoll));
        expect(chooseRolls(observations, maxUnavailable, isAccepted)).not.toEqual([]);
      }),
    );
  });
});
