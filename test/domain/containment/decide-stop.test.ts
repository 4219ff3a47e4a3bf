import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  decideStop,
  type KeepReason,
  type StopEvidence,
} from '../../../lib/domain/containment/decide-stop.ts';
import { isServing, leastServing } from '../../../lib/domain/containment/serving.ts';
import { NO_ATTEMPTS } from '../../../lib/domain/endpoint/attempts.ts';
import { type Endpoint, isFailed, isStopped } from '../../../lib/domain/endpoint/endpoint.ts';
import { isForeign } from '../../../lib/domain/endpoint/observe-endpoint.ts';
import { rollHistories, wasSent } from '../../../lib/domain/endpoint/rolls.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import { endpointWith, observation, plannedWith, policy, rollsOf } from '../arbitraries.ts';
import {
  afterTarget,
  DESIRED,
  endpoint,
  FOREIGN,
  live,
  moving,
  planned,
  planOf,
  policyOf,
  rolls,
  seen,
} from '../examples.ts';

const other = endpoint('other');
const PLAN = planOf([2]);

/** An endpoint that this rollout rolled and that hangs on the way, next to one that serves. */
function decide(said: Partial<StopEvidence>, how: Partial<RolloutPolicy> = {}) {
  const evidence: StopEvidence = {
    plan: PLAN,
    planned: planned('e'),
    history: rolls('intended', 'accepted'),
    observed: afterTarget(seen('progressing', 9)),
    stopSent: new Set(),
    isAskedFor: false,
    isPinned: false,
    endpoints: [moving('e'), other],
    now: 0,
    ...said,
  };
  return decideStop(evidence, policyOf(how));
}

/** A list in which the endpoint says this. */
const list = (said: Partial<Endpoint>) => ({ endpoints: [moving('e', said), other] });

const FAILED_BEFORE = planned('e', { wrongBefore: ['failed'] });
const FAILED_AGAIN = { observed: afterTarget(seen('failed', 9)), ...list({ status: 'ERROR' }) };

describe('an old endpoint is stopped', () => {
  test.each<[string, Partial<StopEvidence>]>([
    ['when it hangs on the way', {}],
    ['when it failed', { observed: seen('failed', 2), ...list({ status: 'UPDATE_FAILED' }) }],
    [
      'when it failed after a list had shown it asked to roll, though its target never showed',
      {
        observed: { ...seen('failed', 2), furthest: 1 },
        ...list({ targetVersion: 2, status: 'UPDATE_FAILED' }),
      },
    ],
    [
      'when it was live on the version, and its target is not told any more',
      {
        planned: planned('e', { previousTarget: DESIRED }),
        observed: { ...seen('progressing', 9), furthest: 4 },
      },
    ],
    [
      'when it had failed before, and hangs on its way',
      { planned: FAILED_BEFORE, ...list({ status: 'ERROR' }) },
    ],
    ['A01: when we died around the roll, and it shows', { history: rolls('intended') }],
    ['H11: when the roll had no answer, and it shows', { history: rolls('unknown') }],
    ['when its status is not known', list({ status: 'ZOMBIE' })],
    [
      'when it stalled, and has failed by now',
      { observed: afterTarget(seen('progressing', 9)), ...list({ status: 'ERROR' }) },
    ],
    [
      'when a person asks for it, though it rolls on',
      { observed: seen('requested'), isAskedFor: true },
    ],
    ['when a person asks for it, and it was never read', { observed: undefined, isAskedFor: true }],
    ['when it went live on another version than it should', list({ liveVersion: 1 })],
  ])('%s', (_, said) => {
    expect(decide(said)).toEqual({ stop: true });
  });
});

describe('a stop is kept back', () => {
  test.each<[string, KeepReason, Partial<StopEvidence>]>([
    ['it is not in the list', 'vanished', { endpoints: [other] }],
    ['X08: it went live meanwhile', 'went-live', list({ liveVersion: DESIRED })],
    [
      'X08: it went live, whatever its status says',
      'went-live',
      list({ liveVersion: DESIRED, status: 'UPDATE_FAILED' }),
    ],
    [
      'X08: it went live, though somebody else moves it on',
      'went-live',
      list({ liveVersion: DESIRED, targetVersion: FOREIGN }),
    ],
    ['somebody stopped it', 'stopped-already', list({ status: 'STOPPED' })],
    ['somebody is stopping it', 'stopped-already', list({ status: 'stopping' })],
    ['X06: somebody else moves it', 'moved', list({ targetVersion: FOREIGN })],
    ['invariant 10: somebody else had moved it', 'moved', { observed: seen('superseded') }],
    ['X06: somebody moved it back', 'moved', list({ targetVersion: 2 })],
    [
      'X06: somebody moved it back, and it was missing in between',
      'moved',
      { observed: afterTarget(seen('missing', 3)), ...list({ targetVersion: 2 }) },
    ],
    [
      'H23: its target was the desired one and is not known',
      'live-unknown',
      list({ targetVersion: null }),
    ],
    ['H23: what it serves is not known', 'live-unknown', list({ liveVersion: null })],
    [
      'H23: what it serves is not known, though it failed',
      'live-unknown',
      { observed: seen('failed', 2), ...list({ liveVersion: null, status: 'UPDATE_FAILED' }) },
    ],
    ['its failed status is gone', 'recovering', { observed: seen('failed', 2) }],
    [
      'its target was shown, though its roll had no answer, and is not any more',
      'moved',
      {
        history: rolls('unknown', 'unknown'),
        observed: { ...seen('failed', 2), furthest: 2 },
        ...list({ targetVersion: 2 }),
      },
    ],
    ['H02: it is in the list again', 'recovering', { observed: seen('missing', 3) }],
    [
      'H02: it is in the list again, and one read proves no failure',
      'recovering',
      { observed: seen('missing', 3), ...list({ status: 'ERROR' }) },
    ],
    ['its target shows after all', 'recovering', { observed: seen('requested', 99) }],
    ['nobody has read it since it was rolled', 'recovering', { observed: undefined }],
    ['the rollout never touched it', 'not-rolled', { history: NO_ATTEMPTS }],
    ['the service refused the roll', 'not-rolled', { history: rolls('intended', 'rejected') }],
    ['the roll was not sent', 'not-rolled', { history: rolls('intended', 'not-sent') }],
  ])('%s: %s', (_, reason, said) => {
    expect(decide(said)).toEqual({ stop: false, reason });
  });

  test.each<[string, Partial<StopEvidence>]>([
    ['the roll was accepted, and does not show', {}],
    ['even its answer showed the target', { history: rolls(['accepted', 'target-taken']) }],
    ['it was made twice', { history: rolls('accepted', 'accepted'), observed: seen('failed', 9) }],
    ['H11: it had no answer', { history: rolls('unknown') }],
    ['a person asks for the stop', { isAskedFor: true }],
    [
      'it has failed, as it had before',
      { planned: FAILED_BEFORE, ...list({ targetVersion: 2, status: 'ERROR' }) },
    ],
    [
      'it has failed in every look since its roll, perhaps from before it',
      { observed: seen('failed', 9), ...list({ targetVersion: 2, status: 'ERROR' }) },
    ],
    [
      'its target is the version, as it was before',
      {
        planned: planned('e', { previousTarget: DESIRED, wrongBefore: ['failed'] }),
        ...FAILED_AGAIN,
      },
    ],
    [
      'nobody knows its target of before',
      { planned: planned('e', { previousTarget: null }), ...FAILED_AGAIN },
    ],
    [
      'it was seen live on the version, as it was before',
      {
        planned: planned('e', { previousVersion: DESIRED, previousTarget: DESIRED }),
        observed: { ...seen('progressing', 9), furthest: 4 },
        ...list({}),
      },
    ],
  ])('no list has shown that its roll was carried out: %s', (_, said) => {
    const unseen = { observed: seen('requested', 99), ...list({ targetVersion: 2 }) };
    const reason: KeepReason = 'never-seen-moving';
    expect(decide({ ...unseen, ...said })).toEqual({ stop: false, reason });
  });

  test.each<[string, Partial<Endpoint>, string[]]>([
    ['id', {}, ['x', 'e']],
    ['name', { name: 'checkout' }, ['checkout']],
    ['name of before the rollout', { name: 'renamed' }, ['web-e']],
    ['name that the service does not say any more', { name: null }, ['web-e']],
    ['name, by a pattern,', { name: 'checkout-eu' }, ['checkout-*']],
    ['id, by a pattern,', { id: 'e' }, ['*']],
    ['name of before the rollout, by a pattern,', { name: 'renamed' }, ['x', 'web-*']],
  ])('its %s is protected', (_, said, protect) => {
    const evidence = { planned: planned('e', { name: 'web-e' }), ...list(said) };
    expect(decide(evidence, { protect })).toEqual({ stop: false, reason: 'protected' });
  });

  test.each<[string, Endpoint[]]>([
    ['there are none', []],
    ['have failed', [endpoint('o', { status: 'ERROR' })]],
    ['are stopped', [endpoint('o', { status: 'STOPPING' })]],
    ['have no replicas', [endpoint('o', { replicas: 0 })]],
    ['may serve nothing', [endpoint('o', { liveVersion: null })]],
    ['are on their way', [moving('o'), moving('p')]],
    [
      'show what nobody knows',
      [endpoint('o', { status: 'PAUSED' }), endpoint('p', { status: null })],
    ],
  ])('the others %s', (_, others) => {
    const endpoints = [moving('e'), ...others];
    expect(decide({ endpoints })).toEqual({ stop: false, reason: 'min-serving' });
  });

  test('half of all that are listed must serve, stopped ones included', () => {
    const stopped = ['s', 't'].map((id) => endpoint(id, { status: 'STOPPED' }));
    expect(decide({ endpoints: [moving('e'), other, live('o'), ...stopped] })).toEqual({
      stop: false,
      reason: 'min-serving',
    });
    const endpoints = [moving('e'), other, live('o'), live('p'), ...stopped];
    expect(decide({ endpoints })).toEqual({ stop: true });
  });

  test('what was deleted since the plan was made takes nothing from the half that must serve', () => {
    const plan = planOf([6]);
    const endpoints = [moving('e'), other, live('o')];
    expect(decide({ endpoints })).toEqual({ stop: true });
    expect(decide({ endpoints, plan })).toEqual({ stop: false, reason: 'min-serving' });
  });

  test('one other serves, and two must', () => {
    expect(decide({}, { minServing: 2 })).toEqual({ stop: false, reason: 'min-serving' });
  });

  test('what the service moves by itself neither serves for others nor is part of the share', () => {
    const own = endpoint('d', { name: 'DEFAULT' });
    const leftOut = [{ endpointId: 'd', name: 'DEFAULT', reason: 'moved-by-service' as const }];
    const plan = { ...PLAN, leftOut };
    const kept = { stop: false, reason: 'min-serving' };
    expect(decide({ endpoints: [moving('e'), own], plan }, { minServing: 1 })).toEqual(kept);
    expect(decide({ endpoints: [moving('e'), own, other], plan })).toEqual({ stop: true });
  });

  test('X08: one whose stop was sent does not count as serving, whatever an old list says', () => {
    const stopSent = new Set(['other']);
    expect(decide({ stopSent })).toEqual({ stop: false, reason: 'min-serving' });
    const endpoints = [moving('e'), other, live('new')];
    expect(decide({ stopSent, endpoints }, { minServing: 1 })).toEqual({ stop: true });
  });

  test('H12: its own stop in doubt does not keep the next try back', () => {
    expect(decide({ stopSent: new Set(['e']) })).toEqual({ stop: true });
  });

  test('not for want of others, when none has to serve', () => {
    expect(decide({ endpoints: [moving('e')] }, { minServing: 0 })).toEqual({ stop: true });
  });

  test('others are counted in the whole runtime, whatever version they serve', () => {
    const endpoints = [moving('e'), live('new'), endpoint('old')];
    expect(decide({ endpoints }, { minServing: 2 })).toEqual({ stop: true });
  });
});

describe('whatever is in the evidence', () => {
  /** Evidence in which a stop is likely enough to be looked at. */
  const evidence: fc.Arbitrary<StopEvidence> = fc.record({
    plan: fc.constant(PLAN),
    planned: fc.oneof(fc.constant(planned('e')), plannedWith('e')),
    history: fc.oneof(
      fc.constant(rolls('intended', 'accepted')),
      rollsOf('e').map((journal) => rollHistories(journal, 'forward').get('e') ?? NO_ATTEMPTS),
    ),
    observed: fc.option(observation, { nil: undefined }),
    isAskedFor: fc.boolean(),
    isPinned: fc.boolean(),
    now: fc.constant(0),
    stopSent: fc.uniqueArray(fc.constantFrom('a', 'b', 'e')).map((ids) => new Set(ids)),
    endpoints: fc
      .tuple(
        fc.oneof(fc.constant(moving('e')), endpointWith('e')),
        fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }),
      )
      .chain(([one, ids]) =>
        fc.tuple(
          fc.constant(one),
          ...ids.map((id) => fc.oneof(endpointWith(id), fc.constant(endpoint(id)))),
        ),
      ),
  });

  /** Checks every stop that comes up; fails when none does, for then nothing was checked. */
  function everyStop(check: (stopped: StopEvidence, one: Endpoint, how: RolloutPolicy) => void) {
    let stops = 0;
    fc.assert(
      fc.property(evidence, policy, (said, how) => {
        if (!decideStop(said, how).stop) return;
        stops += 1;
        const [one] = said.endpoints.filter(({ id }) => id === 'e');
        expect(one).toBeDefined();
        if (one !== undefined) check(said, one, how);
      }),
      { numRuns: 2000 },
    );
    expect(stops).toBeGreaterThan(0);
  }

  test('invariant 2: never stops an endpoint that is live on the desired version', () => {
    everyStop((_, one) => {
      expect(one.liveVersion).not.toBe(DESIRED);
      expect(one.liveVersion).not.toBeNull();
    });
  });

  test('never stops what this rollout did not roll', () => {
    everyStop(({ history }) => expect(wasSent(history)).toBe(true));
  });

  test('invariant 10: never stops what somebody else moved', () => {
    everyStop((said, one) => {
      expect(said.observed?.state).not.toBe('superseded');
      expect(isForeign(said.planned, one)).toBe(false);
      if (said.observed?.hadTarget === true) expect(one.targetVersion).toBe(DESIRED);
    });
  });

  test('never stops what failed and does not show it any more, unless a person asks for it', () => {
    everyStop(({ isAskedFor, observed }, one, { statuses }) => {
      if (isAskedFor || observed?.state !== 'failed') return;
      // An endpoint that never took its roll needs no failed status.
      expect(isFailed(one, statuses) || one.targetVersion !== DESIRED).toBe(true);
    });
  });

  test('always leaves as many others serving as must', () => {
    everyStop(({ endpoints, stopSent }, one, how) => {
      const left = endpoints.filter(
        (each) => each !== one && !stopSent.has(each.id) && isServing(each, how.statuses, PLAN),
      );
      const listed = Math.max(endpoints.length, PLAN.endpoints.length);
      expect(left.length).toBeGreaterThanOrEqual(leastServing(how, listed));
    });
  });

  test('never stops what is protected or stopped', () => {
    everyStop((said, one, how) => {
      expect(how.protect).not.toContain(one.id);
      expect(how.protect).not.toContain(one.name);
      expect(how.protect).not.toContain(said.planned.name);
      expect(isStopped(one, how.statuses)).toBe(false);
    });
  });
});
