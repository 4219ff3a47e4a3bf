import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { PlannedEndpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import { SAID } from '../../../lib/domain/endpoint/endpoint.ts';
import { ringsUnknownIn, splitWaves } from '../../../lib/domain/planning/waves.ts';
import type { Wave } from '../../../lib/domain/rollout/policy.ts';
import { planned } from '../examples.ts';

const REST: Wave = { percent: 100 };

/** `i1` is of the tier internal, `f2` free, `p3` pro, and of `u4` nobody has said it. */
const TIERS: Readonly<Record<string, string>> = { i: 'internal', f: 'free', p: 'pro' };
const inTier = (id: string): PlannedEndpoint => {
  const tier = TIERS[id.slice(0, 1)];
  return planned(id, { attributes: tier === undefined ? {} : { tier } });
};

function idsOf(ids: string, waves: readonly Wave[]): string[] {
  const endpoints = ids.split(' ').map(inTier);
  const drawn = splitWaves(endpoints, { waves, bakeSeconds: 0 });
  return drawn.waves.map(({ from, to }) =>
    drawn.endpoints
      .slice(from, to)
      .map(({ endpointId }) => endpointId)
      .join(' '),
  );
}

const internal = { where: { tier: 'internal' } };
const customers = { where: { tier: ['free', 'pro'] } };

describe('waves of rings', () => {
  test.each<[what: string, ids: string, waves: Wave[], expected: string[]]>([
    [
      'have those with the attributes, and whoever is left comes last',
      'f1 i2 p3 i4 u5',
      [internal, customers, REST],
      ['i2 i4', 'f1 p3', 'u5'],
    ],
    [
      'have a share of their ring, and sizes are cumulative in it',
      'f1 f2 i3 f4 f5 p6',
      [{ where: { tier: 'free' }, percent: 50 }, { where: { tier: 'free' } }, REST],
      ['f1 f2', 'f4 f5', 'i3 p6'],
    ],
    [
      'have a number of endpoints of their ring',
      'f1 f2 f3 i4',
      [internal, { ...customers, endpoints: 1 }, customers, REST],
      ['i4', 'f1', 'f2 f3'],
    ],
    [
      'count in the ring what an earlier wave has taken',
      'f1 f2 f3 f4',
      [{ names: ['f4'] }, { ...customers, percent: 50 }, REST],
      ['f4', 'f1', 'f2 f3'],
    ],
    [
      'have at least one endpoint, unless the ring is empty',
      'f1 f2 p3',
      [internal, { ...customers, percent: 1 }, REST],
      ['f1', 'f2 p3'],
    ],
    [
      'come with waves of any endpoints, which take nobody whose ring is unknown',
      'u0 f1 i2 p3 f4 u5',
      [{ endpoints: 1 }, internal, { percent: 80 }, REST],
      ['f1', 'i2', 'p3 f4', 'u0 u5'],
    ],
    [
      'do not keep a wave of names from taking somebody whose ring is unknown',
      'u0 f1 i2',
      [{ names: ['u0'] }, internal, REST],
      ['u0', 'i2', 'f1'],
    ],
    [
      'have last, in the last wave, those whose ring is unknown',
      'u0 f1 i2 f3',
      [internal, REST],
      ['i2', 'f1 f3 u0'],
    ],
  ])('%s', (_, ids, waves, expected) => {
    expect(idsOf(ids, waves)).toEqual(expected);
  });

  test('of whoever is surely in one ring, another attribute need not be known', () => {
    const waves: Wave[] = [{ where: { region: 'eu' } }, internal, REST];
    expect(idsOf('f1 i2 u3', waves)).toEqual(['i2', 'f1 u3']);
  });

  test('go by the words of the service, and not by what is shown of them', () => {
    const hidden = planned('a', {
      attributes: { tier: '(hidden)' },
      [SAID]: { name: 'a', url: null, status: null, attributes: { tier: 'internal' } },
    });
    const waves = [internal, REST];
    expect(splitWaves([planned('b'), hidden], { waves, bakeSeconds: 0 }).waves).toMatchObject([
      { from: 0, to: 1, where: { tier: 'internal' } },
      { from: 1, to: 2 },
    ]);
  });

  test('take every endpoint once, and nobody whose ring is unknown before the last wave', () => {
    const ids = fc.uniqueArray(fc.stringMatching(/^[ifpu][0-9]$/), { minLength: 1 });
    const ring = fc.constantFrom<Wave>(
      ...[internal, customers, { where: { tier: 'free' }, percent: 30 }],
      ...[{ ...customers, endpoints: 2 }, { endpoints: 3 }, { percent: 60 }],
    );
    fc.assert(
      fc.property(ids, fc.array(ring, { minLength: 1, maxLength: 4 }), (each, rings) => {
        const waves = [internal, ...rings, REST];
        const drawn = splitWaves(each.map(inTier), { waves, bakeSeconds: 0 });
        const order = drawn.endpoints.map(({ endpointId }) => endpointId);
        expect(order.toSorted()).toEqual(each.toSorted());
        const unknown = order.filter((id) => id.startsWith('u'));
        expect(order.slice(order.length - unknown.length)).toEqual(unknown);
        expect(ringsUnknownIn(drawn, { waves })).toEqual({
          endpoints: unknown.map(inTier),
          attributes: unknown.length === 0 ? [] : ['tier'],
        });
        for (const { from, to, where } of drawn.waves.filter((one) => one.where)) {
          const tiers = drawn.endpoints.slice(from, to).map(({ attributes }) => attributes?.tier);
          expect([where?.tier].flat()).toEqual(expect.arrayContaining([...new Set(tiers)]));
        }
      }),
    );
  });
});
