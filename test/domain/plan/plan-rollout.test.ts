import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Endpoint } from '../../../lib/domain/endpoint.ts';
import { planRollout } from '../../../lib/domain/plan/plan-rollout.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout.ts';
import { isConverged, isStopped } from '../../../lib/domain/status.ts';
import { endpointList, policy } from '../arbitraries.ts';
import { DESIRED, endpoint, live, moving, policyOf } from '../examples.ts';

const plan = (endpoints: readonly Endpoint[], said = {}) =>
  planRollout(endpoints, DESIRED, policyOf(said));
const idsOf = ({ endpoints }: RolloutPlan) => endpoints.map(({ endpointId }) => endpointId);

describe('planRollout', () => {
  test('freezes what each endpoint was before the first write', () => {
    const endpoints = [
      endpoint('a', { name: 'web-1' }),
      moving('b', { name: 'web-2', targetVersion: 9, status: 'UPDATE_FAILED' }),
      endpoint('c', { name: null, targetVersion: null, liveVersion: null }),
    ];
    expect(plan(endpoints).endpoints).toEqual([
      {
        endpointId: 'c',
        name: null,
        previousVersion: null,
        previousTarget: null,
        failedBefore: false,
      },
      {
        endpointId: 'a',
        name: 'web-1',
        previousVersion: 2,
        previousTarget: 2,
        failedBefore: false,
      },
      { endpointId: 'b', name: 'web-2', previousVersion: 2, previousTarget: 9, failedBefore: true },
    ]);
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
    expect(plan([live('a'), live('b')])).toMatchObject({ endpoints: [], waves: [] });
  });

  test('H06: an empty list is nothing to select from', () => {
    expect(() => plan([])).toThrow(
      expect.objectContaining({ name: 'EmptyScope', message: 'The runtime has no endpoints.' }),
    );
  });

  test('C07: only stopped endpoints are nothing to select from', () => {
    const stopped = [endpoint('a', { status: 'STOPPED' }), live('b', { status: 'STOPPING' })];
    expect(() => plan(stopped)).toThrow(
      expect.objectContaining({
        name: 'EmptyScope',
        message: 'The runtime has no endpoint to roll: all 2 are stopped.',
      }),
    );
  });

  test('C02: the share that may be unavailable is one of the selection, the stopped left out', () => {
    const nine = Array.from({ length: 9 }, (_, index) => endpoint(`e${index}`));
    const others = [live('at-version'), endpoint('stopped', { status: 'STOPPED' })];
    const share = (percent: number) => ({ maxUnavailable: { percent } });
    expect(plan([...nine, ...others], share(50)).maxUnavailable).toBe(5);
    expect(plan([...nine, ...others], share(1)).maxUnavailable).toBe(1);
    expect(plan(nine, { maxUnavailable: { endpoints: 50 } }).maxUnavailable).toBe(9);
  });

  test('every endpoint is either planned or left out, each once, and for the right reason', () => {
    fc.assert(
      fc.property(endpointList, policy, (endpoints, how) => {
        fc.pre(endpoints.some((one) => !isStopped(one, how.statuses)));
        const drawn = planRollout(endpoints, DESIRED, how);
        const work = new Set(idsOf(drawn));
        const leftOut = new Map(
          drawn.leftOut.map(({ endpointId, reason }) => [endpointId, reason]),
        );
        expect(drawn.endpoints.length + drawn.leftOut.length).toBe(endpoints.length);
        for (const one of endpoints) {
          const stopped = isStopped(one, how.statuses);
          const converged = isConverged(one, DESIRED, how.statuses);
          expect(work.has(one.id)).toBe(!stopped && !converged);
          const reason = stopped ? 'stopped' : 'at-version';
          expect(leftOut.get(one.id)).toBe(stopped || converged ? reason : undefined);
        }
      }),
    );
  });

  test('the waves are of the work, and at least one of the selection may be unavailable', () => {
    fc.assert(
      fc.property(endpointList, policy, (endpoints, how) => {
        const selection = endpoints.filter((one) => !isStopped(one, how.statuses));
        fc.pre(selection.length > 0);
        const drawn = planRollout(endpoints, DESIRED, how);
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
        fc.pre(one.some((each) => !isStopped(each, how.statuses)));
        expect(planRollout(other, DESIRED, how)).toEqual(planRollout(one, DESIRED, how));
      }),
    );
  });
});
