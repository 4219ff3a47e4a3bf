import { describe, expect, test } from '@jest/globals';
import { REST_ABILITIES } from '../../../lib/contract/service/services.ts';
import type { Endpoint, PlannedEndpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import {
  asListed,
  revertingPolicy,
  versionBefore,
} from '../../../lib/domain/planning/plan-revert.ts';
import { planUndo } from '../../../lib/domain/planning/undo.ts';
import {
  DESIRED,
  endpoint,
  FOREIGN,
  line,
  live,
  moving,
  PREVIOUS,
  planned,
  policyOf,
  recordOf,
} from '../examples.ts';

/** Long after the rollout, whose journal is of time 0. */
const LATER = 3_600_000;
/** When a list may still show what was before it. */
const SOON = 30_000;

interface Undone {
  readonly endpoints: readonly PlannedEndpoint[];
  readonly journal?: ReturnType<typeof line>[];
}

const accepted = (...ids: string[]) => ids.map((id) => line('roll', id, 'accepted'));

function undo(
  { endpoints, journal = accepted('a') }: Undone,
  list: readonly Endpoint[],
  now = LATER,
) {
  const { request } = recordOf();
  const waves = [{ from: 0, to: endpoints.length, bakeSeconds: 0 }];
  const plan = { direction: 'forward', endpoints, waves, leftOut: [], maxUnavailable: 1 } as const;
  const reverted = { request, plan, journal };
  const listed = asListed(list, revertingPolicy(policyOf()), REST_ABILITIES, now);
  const drawn = planUndo(reverted, listed);
  const reasons = drawn.leftOut.map(({ endpointId, reason }) => [endpointId, reason]);
  return { ...drawn, reverted, leftOut: Object.fromEntries(reasons) };
}

describe('a rollout that undoes another one', () => {
  test('fills waves in the order of the names, whatever order the waves of the plan had', () => {
    const endpoints = ['c', 'a', 'b'].map((id) => planned(id));
    const list = endpoints.map(({ endpointId }) => live(endpointId));
    const drawn = undo({ endpoints, journal: accepted('a', 'b', 'c') }, list);
    expect(drawn.endpoints.map(({ endpointId }) => endpointId)).toEqual(['a', 'b', 'c']);
  });

  test.each<[string, Endpoint[], string, number]>([
    ['stopped', [live('a', { status: 'STOPPED' })], 'stopped', LATER],
    ['moved elsewhere', [live('a', { targetVersion: FOREIGN })], 'moved', LATER],
    ['live elsewhere', [live('a', { liveVersion: FOREIGN })], 'moved', LATER],
    ['deleted', [endpoint('b')], 'moved', LATER],
    ['back already', [endpoint('a')], 'at-version', LATER],
  ])('leaves an endpoint alone that is %s', (_, list, reason, now) => {
    const { endpoints, waves, leftOut } = undo({ endpoints: [planned('a')] }, list, now);
    expect({ endpoints, waves }).toEqual({ endpoints: [], waves: [] });
    expect(leftOut).toMatchObject({ a: reason });
  });

  test.each([null, 0])(
    'leaves an endpoint alone whose version before was %s',
    (previousVersion) => {
      const { leftOut } = undo({ endpoints: [planned('a', { previousVersion })] }, [live('a')]);
      expect(leftOut).toEqual({ a: 'previous-unknown' });
    },
  );

  test('takes what was rolled, also in mid-roll or without a version in the list, and nothing else', () => {
    const ids = ['a', 'b', 'c', 'd'];
    const list = [live('a'), moving('b'), live('c', { targetVersion: null, liveVersion: null })];
    const { endpoints, leftOut } = undo(
      { endpoints: ids.map((id) => planned(id)), journal: accepted('a', 'b', 'c') },
      [...list, live('d'), live('e')],
    );
    const taken = endpoints.map(({ endpointId, desiredVersion }) => [endpointId, desiredVersion]);
    expect(taken.toSorted()).toEqual(['a', 'b', 'c'].map((id) => [id, PREVIOUS]));
    expect(leftOut).toEqual({ d: 'not-selected', e: 'not-selected' });
  });

  test('does not believe a list that may be from before the roll', () => {
    const { endpoints } = undo({ endpoints: [planned('a')] }, [endpoint('a')], SOON);
    const [taken] = endpoints;
    expect(taken).toMatchObject({ previousVersion: DESIRED, previousTarget: DESIRED });
  });

  test('believes it when the rollout itself has rolled the endpoint back', () => {
    const journal = [...accepted('a'), line('roll-back', 'a', 'accepted')];
    const { leftOut } = undo({ endpoints: [planned('a')], journal }, [endpoint('a')], SOON);
    expect(leftOut).toEqual({ a: 'at-version' });
  });

  test('goes to the lowest of the versions before, as far as one version can say it', () => {
    const endpoints = [planned('a', { previousVersion: 4 }), planned('b'), planned('c')];
    const { reverted } = undo({ endpoints, journal: accepted('a', 'b') }, [live('a'), live('b')]);
    expect(versionBefore(reverted)).toBe(PREVIOUS);
    const nothing = { ...reverted, journal: [] };
    expect(versionBefore(nothing)).toBe(DESIRED);
    const request = { ...reverted.request, desiredVersion: null };
    expect(() => versionBefore({ ...nothing, request })).toThrow(
      expect.objectContaining({ name: 'NothingToRevert' }),
    );
  });
});
