import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';

import type { PlannedEndpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import { rollHistories, wasSent } from '../../../lib/domain/endpoint/rolls.ts';
import { asWatched, planUndo } from '../../../lib/domain/planning/undo.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import { observation, rollsOf, version } from '../arbitraries.ts';
import { DESIRED, line, PREVIOUS, planned, planOf, progressOf, seen } from '../examples.ts';

const converged = seen('converged', 2);
const failed = seen('failed', 2);

const turnAround = (
  plan: RolloutPlan,
  observations: readonly Observation[],
  journal: readonly JournalEntry[] = plan.endpoints.map(({ endpointId }) =>
    line('roll', endpointId, 'accepted'),
  ),
) => planUndo({ plan, journal }, asWatched({ journal, progress: null }, plan, observations));

const idsOf = ({ endpoints }: RolloutPlan) => endpoints.map(({ endpointId }) => endpointId);

describe('the way back of a rollout', () => {
  test('takes each endpoint from where it was rolled to where it was before, in one wave', () => {
    const plan = planOf([1, 1], { maxUnavailable: 2 });
    expect(turnAround(plan, [converged, seen('progressing')])).toEqual({
      direction: 'back',
      endpoints: [
        planned('web-2', {
          desiredVersion: PREVIOUS,
          previousVersion: DESIRED,
          leftAs: 'unsettled',
        }),
        planned('web-1', { desiredVersion: PREVIOUS, previousVersion: DESIRED }),
      ],
      waves: [{ from: 0, to: 2, bakeSeconds: 0 }],
      leftOut: [],
      maxUnavailable: 2,
    });
  });

  test('an endpoint that a gate accuses goes first, and is not taken for broken', () => {
    const plan = planOf([4], { maxUnavailable: 2 });
    const no = { kind: 'probe', name: 'web-3', detail: '503', endpointId: 'web-3', since: 0 };
    const watch = { dueAt: 0, cursor: 0, noes: [no] };
    const journal = plan.endpoints.map(({ endpointId }) => line('roll', endpointId, 'accepted'));
    const seenNow = [converged, seen('progressing'), converged, converged];
    const progress = progressOf(0, seenNow, { watch });
    const back = planUndo({ plan, journal }, asWatched({ journal, progress }, plan, seenNow));

    expect(idsOf(back)).toEqual(['web-3', 'web-2', 'web-1', 'web-4']);
    expect(back.endpoints[0]).not.toHaveProperty('leftAs');
  });

  test.each<[string, readonly JournalEntry['result'][], boolean]>([
    ['was made', ['intended', 'accepted'], true],
    ['was sent, without an answer', ['intended', 'unknown'], true],
    ['was sent, without an answer, and then refused', ['intended', 'intended', 'rejected'], true],
    ['was meant when the process died', ['intended'], true],
    ['was refused', ['intended', 'rejected'], false],
    ['was meant, and called off', ['intended', 'kept'], false],
    ['was kept back', ['kept'], false],
  ])('an endpoint whose stop %s: %j. It stays where it is: %s', (_, results, isLeft) => {
    const plan = planOf([2]);
    const rolled = plan.endpoints.map(({ endpointId }) => line('roll', endpointId, 'accepted'));
    const stops = results.map((result) => line('stop', 'web-2', result));
    const back = turnAround(plan, [converged, failed], [...rolled, ...stops]);

    expect(idsOf(back)).toEqual(isLeft ? ['web-1'] : ['web-2', 'web-1']);
    expect(back.leftOut.map(({ endpointId, reason }) => [endpointId, reason])).toEqual(
      isLeft ? [['web-2', 'stopped']] : [],
    );
  });

  test.each<[string, Observation | undefined, PlannedEndpoint['leftAs']]>([
    ['failed', failed, 'broken'],
    ['failed on one read', seen('failed', 1), 'unsettled'],
    ['on its way', seen('progressing', 9), 'unsettled'],
    ['not showing it', seen('requested', 9), 'unsettled'],
    ['missing', seen('missing', 1), 'unsettled'],
    ['gone', seen('missing', 3), 'broken'],
    ['shown with an earlier target', seen('reverted'), 'unsettled'],
    ['not read since', undefined, 'unsettled'],
    ['live on one read', seen('converged', 1), 'unsettled'],
    ['live', converged, undefined],
    ['live, and then without a version', { ...seen('converged', 0), furthest: 4 }, undefined],
    ['live on one read, and then without a version', seen('converged', 0), 'unsettled'],
    ['live once more after a read against it', { ...seen('converged', 1), furthest: 4 }, undefined],
    ['on its way once more', { ...seen('progressing', 1), furthest: 4 }, 'unsettled'],
  ])('an endpoint that is %s is not taken for another: %p', (_, observed, leftAs) => {
    const observations = observed === undefined ? [] : [observed];
    const [back] = turnAround(planOf([1]), observations).endpoints;
    expect(back?.leftAs).toBe(leftAs);
  });

  test('the broken ones go first, then those in between, and otherwise the order of the plan stays', () => {
    const observations = [converged, seen('requested'), converged, failed];
    expect(idsOf(turnAround(planOf([4]), observations))).toEqual([
      'web-4',
      'web-2',
      'web-1',
      'web-3',
    ]);
  });

  test.each([[['failed' as const]], [[]]])(
    'what was wrong with it before the rollout stays: %p',
    (wrongBefore) => {
      const endpoints = ['web-1', 'web-2'].map((id) => planned(id, { wrongBefore }));
      const back = turnAround(planOf([2], { endpoints }), [converged, failed]);
      expect(back.endpoints).toMatchObject([{ leftAs: 'broken', wrongBefore }, { wrongBefore }]);
      expect(back.endpoints[1]).not.toHaveProperty('leftAs');
    },
  );

  test.each<[string, JournalEntry[], string[]]>([
    ['nothing was rolled', [], []],
    ['accepted', [line('roll', 'web-1', 'accepted')], ['web-1']],
    ['H11: rolled without an answer', [line('roll', 'web-1', 'unknown')], ['web-1']],
    ['A01: died around the roll', [line('roll', 'web-2', 'intended')], ['web-2']],
    ['refused', [line('roll', 'web-1', 'intended'), line('roll', 'web-1', 'rejected')], []],
    ['not sent', [line('roll', 'web-1', 'intended'), line('roll', 'web-1', 'not-sent')], []],
    ['only stopped', [line('stop', 'web-1', 'accepted')], []],
    ['of another plan', [line('roll', 'web-9', 'accepted')], []],
  ])('invariant 11: only what may have been rolled goes back: %s', (_, journal, ids) => {
    const plan = turnAround(planOf([2]), [converged, converged], journal);
    expect(idsOf(plan)).toEqual(ids);
    expect(plan.leftOut).toEqual([]);
    expect(plan.waves).toEqual(
      ids.length === 0 ? [] : [{ from: 0, to: ids.length, bakeSeconds: 0 }],
    );
  });

  test('X06: what somebody else moved is theirs', () => {
    expect(turnAround(planOf([2]), [seen('superseded'), converged])).toMatchObject({
      endpoints: [{ endpointId: 'web-2' }],
      leftOut: [{ endpointId: 'web-1', name: 'web-1', reason: 'moved' }],
    });
  });

  test.each([null, 0])('an endpoint whose version before was %p has nowhere to go', (before) => {
    const endpoints = [planned('web-1', { previousVersion: before }), planned('web-2')];
    expect(turnAround(planOf([2], { endpoints }), [failed, converged])).toMatchObject({
      endpoints: [{ endpointId: 'web-2' }],
      leftOut: [{ endpointId: 'web-1', name: 'web-1', reason: 'previous-unknown' }],
    });
  });

  test('what was left out on the way forward is no part of the way back', () => {
    const leftOut = [{ endpointId: 'db-1', name: 'db-1', reason: 'not-selected' as const }];
    expect(turnAround(planOf([1], { leftOut }), [converged]).leftOut).toEqual([]);
  });

  test('invariant 11: touches only what was rolled, each to its recorded previous version', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const fleet = fc.tuple(
      ...ids.map((id) => version.map((previousVersion) => planned(id, { previousVersion }))),
    );
    const journals = fc.tuple(...ids.map(rollsOf)).map((each) => each.flat());
    const observations = fc.array(observation, { maxLength: ids.length });
    fc.assert(
      fc.property(fleet, journals, observations, (endpoints, journal, seenLast) => {
        const plan = planOf([ids.length], { endpoints });
        const back = turnAround(plan, seenLast, journal);
        const histories = rollHistories(journal, 'forward');
        const rolled = ids.filter((id) => {
          const history = histories.get(id);
          return history !== undefined && wasSent(history);
        });
        const left = back.leftOut.map(({ endpointId }) => endpointId);
        expect([...idsOf(back), ...left].toSorted()).toEqual(rolled);
        const before = new Map(endpoints.map((each) => [each.endpointId, each.previousVersion]));
        for (const each of back.endpoints) {
          expect(each.desiredVersion).toBe(before.get(each.endpointId));
          expect(each.desiredVersion).toBeGreaterThanOrEqual(1);
          expect(each.previousVersion).toBe(DESIRED);
        }
        const flags = back.endpoints.map(({ leftAs }) => leftAs === 'broken');
        expect(flags).toEqual(flags.toSorted((a, b) => Number(b) - Number(a)));
      }),
      { numRuns: 500 },
    );
  });
});
