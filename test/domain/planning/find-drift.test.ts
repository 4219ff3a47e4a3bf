import { describe, expect, test } from '@jest/globals';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import { findDrift } from '../../../lib/domain/planning/find-drift.ts';
import type { AskedRollout, RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { DESIRED, endpoint, FOREIGN, line, live, planOf, recordOf, seen } from '../examples.ts';

const plan = planOf([1, 2]);
const END = {
  outcome: 'Succeeded',
  cleanup: 'none',
  reason: 'Converged',
  message: 'Done.',
} as const;

/** The rollout that has brought web-1 to web-3 to the desired version. */
function brought(said: Partial<RolloutRecord> = {}): AskedRollout {
  return { ...recordOf(), plan, endedAt: 1_000, outcome: END, ...said };
}

function driftOf(
  endpoints: readonly Endpoint[],
  records = [brought()],
  holds: readonly Hold[] = [],
) {
  return findDrift({
    runtimeId: records[0]?.request.runtimeId ?? '',
    endpoints,
    records,
    dead: new Set<string>(),
    holds,
    now: 9_000,
  });
}

const kinds = (drift: ReturnType<typeof driftOf>) =>
  drift.state === 'compared'
    ? drift.drifted.map(({ endpointId, kind }) => `${endpointId} ${kind}`)
    : drift.state;

describe('the drift of a runtime', () => {
  test('is none where every endpoint is at the version, or on its way there', () => {
    const all = [live('web-1'), live('web-2'), endpoint('web-3', { targetVersion: DESIRED })];
    expect(kinds(driftOf(all))).toEqual([]);
  });

  test('is an endpoint that was moved, one that has come later, and one that failed on its way', () => {
    const elsewhere = { targetVersion: FOREIGN, liveVersion: FOREIGN };
    const failed = { targetVersion: DESIRED, status: 'FAILED' };
    const all = [
      live('web-1', elsewhere),
      endpoint('web-2', failed),
      live('web-3'),
      endpoint('web-9'),
    ];
    expect(kinds(driftOf(all))).toEqual(['web-1 moved', 'web-2 failed', 'web-9 late']);
  });

  test('is none where an endpoint is pinned, which is counted; once that is lifted, it was left', () => {
    const one = 'web-1';
    const hold = { id: 'p', kind: 'pin', by: 'ann', reason: 'x', at: 0, until: null };
    const pin: Hold = { ...hold, scope: { runtimeId: 'shop', endpointId: one } };
    const all = [endpoint(one), live('web-2'), live('web-3')];
    expect(driftOf(all, [brought()], [pin])).toMatchObject({ compared: 2, pinned: 1, drifted: [] });

    const others = plan.endpoints.filter(({ endpointId }) => endpointId !== one);
    const leftOut = [{ endpointId: one, name: one, reason: 'pinned' as const }];
    const without = brought({ plan: { ...plan, endpoints: others, leftOut } });
    expect(kinds(driftOf(all, [without], [pin]))).toEqual([]);
    expect(kinds(driftOf(all, [without]))).toEqual(['web-1 left']);
  });

  test('names the rollout that has sent it where it is, and no other', () => {
    const [one = ''] = plan.ids;
    const endpoints = plan.endpoints.map((each) => ({ ...each, desiredVersion: FOREIGN }));
    const later = (result: 'accepted' | 'rejected') =>
      brought({
        outcome: { ...END, outcome: 'Failed' },
        plan: { ...plan, endpoints },
        journal: [{ ...line('roll', one, result), at: 5_000 }],
      });
    const there = endpoint(one, { targetVersion: FOREIGN, liveVersion: FOREIGN });
    const byHand = endpoint(one, { targetVersion: 4, liveVersion: 4 });
    const tell = (listed: Endpoint, record: AskedRollout) => driftOf([listed], [record, brought()]);
    expect(tell(there, later('accepted'))).toMatchObject({
      drifted: [{ kind: 'moved', since: 5_000, by: 'rollout-1', version: DESIRED }],
    });
    // Somebody has moved it on since then, or the service has refused the write.
    const unknown = { drifted: [{ kind: 'moved', since: null, by: null }] };
    expect(tell(byHand, later('accepted'))).toMatchObject(unknown);
    expect(tell(there, later('rejected'))).toMatchObject(unknown);
  });

  test('compares each endpoint with the last good rollout that was about it', () => {
    const [one = '', two = ''] = plan.ids;
    const endpoints = plan.endpoints.filter(({ endpointId }) => endpointId === one);
    const leftOut = plan.endpoints
      .filter(({ endpointId }) => endpointId !== one)
      .map(({ endpointId, name }) => ({ endpointId, name, reason: 'not-selected' as const }));
    const narrow = brought({ plan: { ...plan, endpoints, leftOut } });
    const listed = [live(one), endpoint(two, { targetVersion: FOREIGN, liveVersion: FOREIGN })];
    expect(kinds(driftOf(listed, [narrow, brought()]))).toEqual([`${two} moved`]);
    expect(driftOf(listed, [narrow])).toMatchObject({ compared: 1, uncompared: 1, drifted: [] });
  });

  test('is found behind a rollout that waits for its turn, and behind a dead one', () => {
    const moved = [endpoint('web-1', { targetVersion: FOREIGN, liveVersion: FOREIGN })];
    const open = { ...brought(), outcome: null, endedAt: null };
    const found = { drifted: [{ endpointId: 'web-1' }] };
    const known = { runtimeId: 'shop', endpoints: moved, records: [open, brought()], holds: [] };
    const dead = new Set([open.request.rolloutId]);
    expect(findDrift({ ...known, dead, now: 9_000 })).toMatchObject(found);
    const waiting = { ...open, opening: {}, plan: null } as unknown as AskedRollout;
    expect(driftOf(moved, [waiting, brought()])).toMatchObject(found);
  });

  test('tells an endpoint without which the rollout has succeeded', () => {
    const observations = [seen('converged', 2), seen('failed', 3), seen('converged', 2)];
    const progress = { ...recordOf().progress, observations } as RolloutRecord['progress'];
    expect(kinds(driftOf([endpoint('web-2')], [brought({ progress })]))).toEqual(['web-2 left']);
  });

  test('is no stopped endpoint, and none that was not to be rolled', () => {
    const leftOut = [{ endpointId: 'web-8', name: 'web-8', reason: 'not-selected' as const }];
    const record = brought({ plan: { ...plan, leftOut } });
    expect(
      kinds(driftOf([endpoint('web-1', { status: 'STOPPED' }), endpoint('web-8')], [record])),
    ).toEqual([]);
  });

  test('is not known while a rollout is under way, before one has succeeded, and in quarantine', () => {
    const open = { ...brought(), outcome: null, endedAt: null };
    expect(kinds(driftOf([endpoint('web-1')], [open, brought()]))).toBe('under-way');
    expect(
      kinds(driftOf([endpoint('web-1')], [brought({ outcome: { ...END, outcome: 'Failed' } })])),
    ).toBe('never-rolled');
    const { runtimeId } = brought().request;
    const hold = {
      id: 'q',
      kind: 'quarantine',
      scope: { runtimeId, version: DESIRED },
      by: 'x',
      reason: 'x',
      at: 0,
      until: 99_000,
    };
    expect(kinds(driftOf([endpoint('web-1')], [brought()], [hold as unknown as Hold]))).toBe(
      'quarantined',
    );
  });

  test('after a revert is about the endpoints that it has brought back alone', () => {
    const back = brought({ request: { ...recordOf().request, revert: 'other' } });
    expect(kinds(driftOf([endpoint('web-1'), endpoint('web-9')], [back]))).toEqual(['web-1 moved']);
  });
});
