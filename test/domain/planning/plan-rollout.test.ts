import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { REST_ABILITIES } from '../../../lib/contract/service/services.ts';
import { type Endpoint, isConverged, isStopped } from '../../../lib/domain/endpoint/endpoint.ts';
import { planRollout } from '../../../lib/domain/planning/plan-rollout.ts';
import { isSelected } from '../../../lib/domain/planning/selection.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { endpointList, policy } from '../arbitraries.ts';
import { DESIRED, endpoint, live, moving, policyOf } from '../examples.ts';

const TO_CREATE = 'To create one: "steproll agent runtime endpoint create shop --name NAME".';
const TO_DESIRED = { runtimeId: 'shop', desiredVersion: DESIRED };

/** A service that moves `DEFAULT` by itself. */
const MOVES_DEFAULT = { ...REST_ABILITIES, movedByService: ['DEFAULT'] };
const CANNOT_STOP = { ...REST_ABILITIES, stops: false };
const DEFAULT_ENDPOINT = endpoint('d', { name: 'DEFAULT' });

const plan = (endpoints: readonly Endpoint[], said = {}) =>
  planRollout(endpoints, TO_DESIRED, policyOf(said), REST_ABILITIES);
const mayBeRolled = (one: Endpoint, { selection, statuses }: RolloutPolicy) =>
  isSelected(one, selection) && !isStopped(one, statuses);
const idsOf = ({ endpoints }: RolloutPlan) => endpoints.map(({ endpointId }) => endpointId);

/** Why an endpoint is left out; `undefined` where it is not. */
function reasonOf(one: Endpoint, { selection, statuses }: RolloutPolicy) {
  if (!isSelected(one, selection)) return 'not-selected';
  if (isStopped(one, statuses)) return 'stopped';
  return isConverged(one, DESIRED, statuses) ? 'at-version' : undefined;
}

describe('planRollout', () => {
  test('freezes what each endpoint was before the first write', () => {
    const endpoints = [
      endpoint('a', { name: 'web-1' }),
      moving('b', { name: 'web-2', targetVersion: 9, status: 'UPDATE_FAILED' }),
      endpoint('c', { name: null, targetVersion: null, liveVersion: null }),
    ];
    expect(plan(endpoints, { allowDowngrade: true }).endpoints).toEqual([
      {
        endpointId: 'c',
        name: null,
        desiredVersion: DESIRED,
        previousVersion: null,
        previousTarget: null,
        wrongBefore: [],
      },
      {
        endpointId: 'a',
        name: 'web-1',
        desiredVersion: DESIRED,
        previousVersion: 2,
        previousTarget: 2,
        wrongBefore: [],
      },
      {
        endpointId: 'b',
        name: 'web-2',
        desiredVersion: DESIRED,
        previousVersion: 2,
        previousTarget: 9,
        wrongBefore: ['failed'],
      },
    ]);
  });

  test('freezes which endpoint had no replicas, and takes none of them for being there already', () => {
    const dark = live('a', { replicas: 0 });
    const [first, second] = plan([dark, endpoint('b')]).endpoints;
    expect(first).toMatchObject({ endpointId: 'a', wrongBefore: ['dark'] });
    expect(second).toMatchObject({ wrongBefore: [] });
  });

  test('orders by name as people count, and by id between equal names', () => {
    const named = (id: string, name: string) => endpoint(id, { name });
    const endpoints = [
      named('1', 'web-10'),
      named('2', 'web-2'),
      named('4', 'web-1'),
      named('3', 'web-1'),
    ];
    expect(idsOf(plan(endpoints))).toEqual(['3', '4', '2', '1']);
  });

  test('leaves out what is stopped and what is at the version already, and says so', () => {
    const endpoints = [
      endpoint('a'),
      live('b'),
      live('c', { status: 'STOPPED' }),
      endpoint('d', { status: 'stopping' }),
      moving('e'),
      live('f', { status: 'UPDATE_FAILED' }),
    ];
    const { leftOut, ...drawn } = plan(endpoints);
    expect(leftOut).toEqual([
      { endpointId: 'b', name: 'b', reason: 'at-version' },
      { endpointId: 'c', name: 'c', reason: 'stopped' },
      { endpointId: 'd', name: 'd', reason: 'stopped' },
    ]);
    expect(drawn.endpoints.map(({ endpointId }) => endpointId)).toEqual(['a', 'e', 'f']);
  });

  test('E02: all of them at the version is a plan without waves', () => {
    expect(plan([live('a'), live('b')])).toMatchObject({
      direction: 'forward',
      endpoints: [],
      waves: [],
    });
  });

  test('H06: an empty list is nothing to select from', () => {
    expect(() => plan([])).toThrow(
      expect.objectContaining({
        name: 'EmptyScope',
        message: `The runtime has no endpoints. ${TO_CREATE}`,
      }),
    );
    // No command creates a runtime of a group.
    expect(() =>
      planRollout([], { runtimeId: 'group:all', desiredVersion: 7 }, policyOf({}), REST_ABILITIES),
    ).toThrow(expect.objectContaining({ message: 'The runtime has no endpoints.' }));
  });

  test('C07: only stopped endpoints are nothing to select from', () => {
    const stopped = [endpoint('a', { status: 'STOPPED' }), live('b', { status: 'STOPPING' })];
    expect(() => plan(stopped)).toThrow(
      expect.objectContaining({
        name: 'EmptyScope',
        message: `The runtime has no endpoint to roll: 2 stopped. ${TO_CREATE}`,
      }),
    );
  });

  test.each<[string, Endpoint[], string]>([
    [
      'nobody',
      [endpoint('a'), endpoint('b')],
      '2 not selected. selection.names[0]: "web-*" matches no endpoint',
    ],
    [
      'nobody, but for its spelling',
      [endpoint('Web-1'), endpoint('b')],
      '2 not selected. selection.names[0]: "web-*" matches no endpoint; perhaps "Web-1" is meant, which differs in case',
    ],
    [
      'one that is stopped',
      [endpoint('web-1', { status: 'STOPPED' }), endpoint('b')],
      '1 stopped, 1 not selected',
    ],
  ])('C07: a selection that means %s is nothing to select from', (_, endpoints, counts) => {
    const selection = { names: ['web-*'], ids: [], exclude: [] };
    expect(() => plan(endpoints, { selection })).toThrow(
      expect.objectContaining({
        name: 'EmptyScope',
        message: `The runtime has no endpoint to roll: ${counts}.`,
      }),
    );
  });

  test('C07: what the selection does not mean is left out, whatever its state, and no part of the share', () => {
    const chosen = Array.from({ length: 4 }, (_, index) => endpoint(`web-${index}`));
    const others = [endpoint('db-1'), live('db-2'), endpoint('db-3', { status: 'STOPPED' })];
    const drawn = plan([...others, ...chosen], {
      selection: { names: ['web-*'], ids: [], exclude: ['web-3'] },
      maxUnavailable: { percent: 100 },
    });
    expect(idsOf(drawn)).toEqual(['web-0', 'web-1', 'web-2']);
    expect(drawn.leftOut.map(({ endpointId, reason }) => [endpointId, reason])).toEqual([
      ['db-1', 'not-selected'],
      ['db-2', 'not-selected'],
      ['db-3', 'not-selected'],
      ['web-3', 'not-selected'],
    ]);
    expect(drawn.maxUnavailable).toBe(3);
  });

  test('E03: takes nothing to a version below its own unless that is allowed', () => {
    const above = [endpoint('a', { liveVersion: 4, targetVersion: 4 }), endpoint('b')];
    expect(() => plan(above)).toThrow(
      expect.objectContaining({
        name: 'DowngradeRefused',
        message: expect.stringContaining('a is above version 3'),
      }),
    );
    expect(idsOf(plan(above, { allowDowngrade: true }))).toEqual(['a', 'b']);
  });

  test('E03: what is left out may be above the version', () => {
    const above = { liveVersion: 4, targetVersion: 4 };
    const left = [endpoint('a', { ...above, status: 'STOPPED' }), endpoint('b', above)];
    const selection = { names: [], ids: [], exclude: ['b'] };
    expect(idsOf(plan([...left, endpoint('c')], { selection }))).toEqual(['c']);
  });

  test('C02: the share that may be unavailable is one of the selection, the stopped left out', () => {
    const nine = Array.from({ length: 9 }, (_, index) => endpoint(`e${index}`));
    const others = [live('at-version'), endpoint('stopped', { status: 'STOPPED' })];
    const share = (percent: number) => ({ maxUnavailable: { percent } });
    expect(plan([...nine, ...others], share(50)).maxUnavailable).toBe(5);
    expect(plan([...nine, ...others], share(1)).maxUnavailable).toBe(1);
    expect(plan(nine, { maxUnavailable: { endpoints: 50 } }).maxUnavailable).toBe(9);
  });

  test('what the service moves by itself is never rolled, selected or not, and no part of the share', () => {
    const endpoints = [DEFAULT_ENDPOINT, endpoint('a'), endpoint('b'), endpoint('c')];
    for (const names of [[], ['*'], ['DEFAULT', 'a']]) {
      const drawn = planRollout(
        endpoints,
        TO_DESIRED,
        policyOf({ selection: { names, ids: [], exclude: [] } }),
        MOVES_DEFAULT,
      );
      expect(idsOf(drawn)).not.toContain('d');
      expect(drawn.leftOut).toContainEqual({
        endpointId: 'd',
        name: 'DEFAULT',
        reason: 'moved-by-service',
      });
    }
    const all = planRollout(
      endpoints,
      TO_DESIRED,
      policyOf({ maxUnavailable: { percent: 99 } }),
      MOVES_DEFAULT,
    );
    expect(idsOf(all)).toEqual(['a', 'b', 'c']);
    expect(all.maxUnavailable).toBe(2);
  });

  test('an endpoint of that name is like any other where the service does not move it', () => {
    expect(idsOf(plan([DEFAULT_ENDPOINT]))).toEqual(['d']);
    const nameless = endpoint('DEFAULT', { name: null });
    expect(idsOf(planRollout([nameless], TO_DESIRED, policyOf({}), MOVES_DEFAULT))).toEqual([
      'DEFAULT',
    ]);
  });

  test('C07: only what the service moves by itself is nothing to roll, even at the version', () => {
    for (const one of [DEFAULT_ENDPOINT, live('d', { name: 'DEFAULT' })]) {
      expect(() => planRollout([one], TO_DESIRED, policyOf({}), MOVES_DEFAULT)).toThrow(
        expect.objectContaining({
          name: 'EmptyScope',
          message: 'The runtime has no endpoint to roll: 1 moved by the service itself (DEFAULT).',
        }),
      );
    }
  });

  test('a version above the highest one of the service is refused, the highest one is not', () => {
    const limited = { ...REST_ABILITIES, highestVersion: DESIRED };
    expect(idsOf(planRollout([endpoint('a')], TO_DESIRED, policyOf({}), limited))).toEqual(['a']);
    expect(() =>
      planRollout(
        [endpoint('a')],
        { ...TO_DESIRED, desiredVersion: DESIRED + 1 },
        policyOf({}),
        limited,
      ),
    ).toThrow(
      expect.objectContaining({
        name: 'InvalidInput',
        message: 'version: 4 is above 3, the highest version that this service takes.',
      }),
    );
  });

  test('a policy that stops is refused where nothing can be stopped', () => {
    expect(() => planRollout([endpoint('a')], TO_DESIRED, policyOf({}), CANNOT_STOP)).toThrow(
      expect.objectContaining({
        name: 'StopUnsupported',
        message:
          'onFailure: "stop-old" stops endpoints, and this service cannot stop any: use "roll-back" or "hold".',
      }),
    );
    for (const onFailure of ['roll-back', 'hold'] as const) {
      const drawn = planRollout([endpoint('a')], TO_DESIRED, policyOf({ onFailure }), CANNOT_STOP);
      expect(drawn.cannotStop).toBe(true);
    }
    expect(plan([endpoint('a')])).not.toHaveProperty('cannotStop');
  });

  test('every endpoint is either planned or left out, each once, and for the right reason', () => {
    fc.assert(
      fc.property(endpointList, policy, (endpoints, how) => {
        fc.pre(endpoints.some((one) => mayBeRolled(one, how)));
        const drawn = planRollout(endpoints, TO_DESIRED, how, REST_ABILITIES);
        const work = new Set(idsOf(drawn));
        const leftOut = new Map(
          drawn.leftOut.map(({ endpointId, reason }) => [endpointId, reason]),
        );
        expect(drawn.endpoints.length + drawn.leftOut.length).toBe(endpoints.length);
        for (const one of endpoints) {
          const reason = reasonOf(one, how);
          expect(work.has(one.id)).toBe(reason === undefined);
          expect(leftOut.get(one.id)).toBe(reason);
        }
      }),
    );
  });

  test('the waves are all of the work, and at least one of the selection may be unavailable', () => {
    fc.assert(
      fc.property(endpointList, policy, (endpoints, how) => {
        const selection = endpoints.filter((one) => mayBeRolled(one, how));
        fc.pre(selection.length > 0);
        const drawn = planRollout(endpoints, TO_DESIRED, how, REST_ABILITIES);
        expect(drawn.waves.at(-1)?.to ?? 0).toBe(drawn.endpoints.length);
        expect(drawn.maxUnavailable).toBeGreaterThanOrEqual(1);
        expect(drawn.maxUnavailable).toBeLessThanOrEqual(selection.length);
      }),
    );
  });

  test('the order in which the service lists changes nothing', () => {
    const shuffled = endpointList.chain((endpoints) =>
      fc.tuple(
        fc.constant(endpoints),
        fc.shuffledSubarray(endpoints, { minLength: endpoints.length }),
      ),
    );
    fc.assert(
      fc.property(shuffled, policy, ([one, other], how) => {
        fc.pre(one.some((each) => mayBeRolled(each, how)));
        expect(planRollout(other, TO_DESIRED, how, REST_ABILITIES)).toEqual(
          planRollout(one, TO_DESIRED, how, REST_ABILITIES),
        );
      }),
    );
  });
});

test.each(['..', 'a\u0000b', '\ud800'])(
  'H31: an endpoint with the id %j is refused before anything is written',
  (id) => {
    const draw = () => plan([endpoint('web-1'), endpoint(id)]);
    expect(draw).toThrow(expect.objectContaining({ name: 'InvalidEndpointId' }));
    expect(draw).toThrow(JSON.stringify(id));
  },
);

test('an id that cannot be asked for is no matter where the endpoint is left alone', () => {
  expect(plan([endpoint('web-1'), live('..')]).endpoints).toHaveLength(1);
});
