import { describe, expect, test } from '@jest/globals';
import { startClock } from '../../lib/domain/clock.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../lib/domain/endpoint/journal.ts';
import { endedEvent } from '../../lib/domain/events/events.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import type { RolloutEvent } from '../../lib/domain/rollout/event.ts';
import { acceptedAt } from '../../lib/domain/rollout/opening.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import type { DeploymentWindow, RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { AskedRollout, RolloutRecord } from '../../lib/domain/rollout/record.ts';
import { beginWave } from '../../lib/domain/wave/progress.ts';
import type { Call, WriteCall } from '../../lib/rehearsal/calls.ts';
import { INVARIANTS, type Trace } from './invariants.ts';
import { type LeaseCall, RUNTIME_INVARIANTS, type RuntimeTrace } from './runtime-invariants.ts';

// Two endpoints, a and b, in two waves of one, to version 2.
const SUCCEEDED: Outcome = { outcome: 'Succeeded', cleanup: 'none', reason: '', message: '' };
const FAILED: Outcome = { ...SUCCEEDED, outcome: 'Failed' };
const BAKED = 400_000;

const GOOD: readonly Call[] = [
  list(0, { a: 1, b: 1 }),
  roll(0, 'a'),
  list(5_000, { a: 2, b: 1 }),
  list(10_000, { a: 2, b: 1 }),
  list(BAKED, { a: 2, b: 1 }),
  roll(BAKED, 'b'),
  list(BAKED + 5_000, { a: 2, b: 2 }),
  list(BAKED + 10_000, { a: 2, b: 2 }),
  close(BAKED + 10_000),
];

/** Both have been rolled and have settled. */
const BOTH_ROLLED: readonly Call[] = GOOD.slice(0, -1);

test('a good trace holds every invariant', () => {
  for (const { check } of Object.values(INVARIANTS)) expect(check(trace(GOOD))).toEqual([]);
});

test('a roll that was lost, and does not show for a minute, keeps no other one in its place', () => {
  const lost = [...BOTH_ROLLED.slice(0, 5), lostRoll(BAKED, 'b'), back(BAKED + 60_000, 'a')];
  expect(INVARIANTS['mid-roll-stays-bounded']?.check(wayBack(lost))).toEqual([]);
});

const FROZEN = [{ from: '1969-12-31T00:00', to: '1970-01-01T00:05', timeZone: 'UTC' }];

const TOKEN = '0123456789abcdef0123456789-abcdefg';

describe.each<[string, [string, Trace][]]>([
  [
    'asked-is-known',
    [
      ['nobody knows what waits', { ...waits(), asked: null }],
      ['nobody knows what has ended', { ...trace(GOOD), asked: null }],
      ['it is not listed', { ...waits(), isListed: false }],
      ['nobody knows for what it waits', waits({ wait: null })],
      ['it has ended, and waits', waits({ outcome: FAILED })],
    ],
  ],
  [
    'begun-waits-for-nothing',
    [['it is in a wave, and waits', { ...trace(GOOD), record: waitingInAWave() }]],
  ],
  [
    'writes-stay-in-plan',
    [
      ['a roll outside of the plan', trace([list(0, { c: 1 }), roll(0, 'c')])],
      ['a stop outside of the plan', trace([list(0, { c: 1 }), stop(0, 'c')])],
      ['a write without a plan', { ...trace([list(0, { a: 1 }), roll(0, 'a')]), record: null }],
    ],
  ],
  [
    'stops-follow-their-read',
    [
      ['the read shows the version', trace([list(0, { a: 2 }), stop(0, 'a')])],
      ['the read does not show the endpoint', trace([list(0, { b: 1 }), stop(0, 'a')])],
      ['there was no read', trace([stop(0, 'a')])],
      [
        'the read was for the stop before',
        trace([list(0, { a: 1, b: 1 }), stop(0, 'a'), stop(0, 'b')]),
      ],
      ['the read failed', trace([list(0, null), stop(0, 'a')])],
    ],
  ],
  [
    'stops-have-evidence',
    [
      ['the roll was accepted', trace([list(0, { a: 1 }), roll(0, 'a'), ...stopOf({ a: 1 })])],
      ['a list before the roll', trace([list(0, { a: 2 }), roll(0, 'a'), ...stopOf({ a: 1 })])],
      [
        'it has failed in every list since then',
        trace([list(0, { a: 1 }), roll(0, 'a'), ...stopOf({ a: 1 }, 'ERROR')]),
      ],
    ],
  ],
  [
    'mid-roll-stays-bounded',
    [
      ['two at once', trace([list(0, { a: 1, b: 1 }), roll(0, 'a'), roll(0, 'b')])],
      [
        'one read of the version is not enough',
        trace([roll(0, 'a'), list(1, { a: 2 }), roll(2, 'b')]),
      ],
      [
        'a healthy one goes back beside one that is on its way forward',
        wayBack([...GOOD.slice(0, 6), back(BAKED + 1, 'a')]),
      ],
      [
        'a healthy one goes back while a lost roll may still be carried out',
        wayBack([...BOTH_ROLLED.slice(0, 5), lostRoll(BAKED, 'b'), back(BAKED + 59_000, 'a')]),
      ],
      ['two healthy ones on their way back', wayBack([...BOTH_ROLLED, back(9, 'a'), back(9, 'b')])],
      [
        'one on its way back was at the desired version only',
        wayBack([
          ...BOTH_ROLLED,
          back(9, 'a'),
          list(10, { a: 2, b: 2 }),
          list(11, { a: 2, b: 2 }),
          back(12, 'b'),
        ]),
      ],
    ],
  ],
  [
    'waves-wait-for-their-gate',
    [
      [
        'the wave before has not converged',
        trace([roll(0, 'a'), list(BAKED, { a: 1 }), roll(BAKED, 'b')]),
      ],
      [
        'the wave before has not baked',
        trace([list(0, { a: 2 }), list(60_000, { a: 2 }), roll(60_000, 'b')]),
      ],
      [
        'the wave before regressed in its bake',
        trace([list(0, { a: 2 }), list(BAKED, { a: 1 }), list(BAKED, { a: 1 }), roll(BAKED, 'b')]),
      ],
      [
        'the wave before regressed while this one was rolled',
        trace([
          ...GOOD.slice(0, 6),
          list(BAKED + 1, { a: 1, b: 1 }),
          list(BAKED + 2, { a: 1, b: 1 }),
          roll(BAKED + 3, 'b'),
        ]),
      ],
    ],
  ],
  [
    'closes-once',
    [
      ['a call after the close', trace([...GOOD, list(BAKED, { a: 2 })])],
      ['another outcome in the ledger', { ...trace(GOOD), outcome: { ...SUCCEEDED, reason: 'x' } }],
      ['a success that ends in Fail', { ...trace(GOOD), states: ['Rollout failed'] }],
      ['a failure that ends in Succeed', { ...trace(GOOD, FAILED), states: ['Rollout succeeded'] }],
    ],
  ],
  [
    'tells-in-order',
    [
      ['an end that was not told', { ...trace(GOOD), told: [] }],
      ['another end that was told', { ...trace(GOOD), told: [ended(FAILED)] }],
      ['an end that was told twice', { ...trace(GOOD), told: [ended(), ended()] }],
    ],
  ],
  [
    'rolls-stay-in-windows',
    [
      [
        'outside of those of the policy',
        within({ windowsBind: 'rolls', windows: afterMidnight() }),
      ],
      ['in a freeze', within({ windowsBind: 'rolls', freezes: FROZEN })],
      ['outside of those of its wave', within({}, afterMidnight())],
    ],
  ],
  [
    'nothing-goes-forward-again',
    [
      [
        'a wave goes on when others are on their way back',
        wayBack([roll(0, 'a'), back(1, 'a'), list(2, { a: 1 }), roll(3, 'a')]),
      ],
    ],
  ],
  [
    'success-is-proven',
    [
      [
        'an endpoint was never seen there',
        trace([list(0, { a: 2, b: 2 }), list(1, { a: 2, b: 1 })]),
      ],
      ['an endpoint is missing', trace([list(0, { a: 2, b: 2 }), list(1, { a: 2 })])],
    ],
  ],
  [
    'superseded-is-left',
    [
      ['a roll', trace([list(0, { a: 7 }), roll(1, 'a')])],
      [
        'a stop',
        trace([
          list(0, { a: 1 }),
          roll(0, 'a'),
          list(1, { a: 7 }),
          list(2, { a: 7 }),
          list(3, { a: 1 }),
          stop(4, 'a'),
        ]),
      ],
    ],
  ],
  [
    'rollback-is-exact',
    [
      ['to another version', wayBack([roll(0, 'a'), back(1, 'a', 7)])],
      ['one that was never rolled', wayBack([roll(0, 'a'), back(1, 'b')])],
    ],
  ],
  [
    'nothing-is-lowered',
    [
      ['below what somebody else made of it', trace([list(0, { a: 9 }), roll(1, 'a')])],
      [
        'back to a version that it did not have',
        wayBack([roll(0, 'a', 'rollout-1', 5), list(1, { a: 5 }), back(2, 'a', 3)]),
      ],
    ],
  ],
  [
    'tokens-name-one-roll',
    [
      ['it is used for another endpoint', trace([named(1, 'a', TOKEN), named(2, 'b', TOKEN)])],
      ['it is too short', trace([named(1, 'a', TOKEN.slice(0, 32))])],
      ['it is too long', trace([named(1, 'a', TOKEN.repeat(8))])],
      ['it has another character', trace([named(1, 'a', `${TOKEN}_`)])],
    ],
  ],
  [
    'effort-is-bounded',
    [
      ['a third roll back', wayBack([roll(0, 'a'), back(1, 'a'), back(2, 'a'), back(3, 'a')])],
      ['a third roll', trace([roll(0, 'a'), roll(1, 'a'), roll(2, 'a')])],
      ['a fourth stop', trace([stop(0, 'a'), stop(1, 'a'), stop(2, 'a'), stop(3, 'a')])],
    ],
  ],
  [
    'writes-follow-a-read',
    [
      ['a roll after it', trace([list(0, { a: 1 }), list(1, null), roll(2, 'a')])],
      ['a roll without any read', trace([roll(2, 'a')])],
    ],
  ],
])('invariant %s', (name, planted) => {
  test.each(planted)('catches: %s', (_what, broken) => {
    expect(INVARIANTS[name]?.check(broken)).toHaveLength(1);
  });
});

test('what was live on the version, or has failed since its roll, may be stopped', () => {
  const rolled = [list(0, { a: 1 }), roll(0, 'a')];
  const regressed = [...rolled, list(1, { a: 2 }), ...stopOf({ a: 1 })];
  const failed = [...rolled, list(1, { a: 1 }), ...stopOf({ a: 1 }, 'ERROR')];
  for (const calls of [regressed, failed]) {
    expect(INVARIANTS['stops-have-evidence']?.check(trace(calls))).toEqual([]);
  }
});

test('a list after a roll that was noted, and perhaps not sent, counts as one after the roll', () => {
  const calls = [list(0, { a: 1 }), list(1, { a: 1 }), roll(1, 'a'), ...stopOf({ a: 1 }, 'ERROR')];
  const check = (...results: JournalEntry['result'][]) => {
    const journal = results.map((result, nth) => {
      const at = nth === results.length - 1 ? 1 : 0;
      return { at, watched: at, operation: 'roll' as const, endpointId: 'a', result };
    });
    const { record: known, ...others } = trace(calls);
    return INVARIANTS['stops-have-evidence']?.check({
      ...others,
      record: known && { ...known, journal },
    });
  };

  expect(check('intended', 'intended')).toEqual([]);
  expect(check('intended', 'rejected', 'intended')).toHaveLength(1);
  expect(check('intended')).toHaveLength(1);
});

test('a list that shows an endpoint elsewhere only once keeps nothing back after the next one', () => {
  const once = trace([list(0, { a: 7 }), list(1, { a: 1 }), roll(2, 'a')]);

  expect(INVARIANTS['superseded-is-left']?.check(once)).toEqual([]);
});

test('a good way back holds every invariant', () => {
  const good = wayBack([
    ...BOTH_ROLLED,
    back(9, 'a'),
    list(10, { a: 1, b: 2 }),
    list(11, { a: 1, b: 2 }),
    back(12, 'b'),
  ]);
  for (const { check } of Object.values(INVARIANTS)) expect(check(good)).toEqual([]);
});

test('what a read shows to be broken may go back at once', () => {
  const broken = list(BAKED + 11_000, { a: 2, b: 2 }, 'ERROR');
  const both = wayBack([...BOTH_ROLLED, broken, back(9, 'a'), back(9, 'b')]);

  expect(INVARIANTS['mid-roll-stays-bounded']?.check(both)).toEqual([]);
});

test('what was refused is not in mid-roll', () => {
  const refused = { ...roll(0, 'a'), answer: 'UpstreamConflict' } as const;

  expect(INVARIANTS['mid-roll-stays-bounded']?.check(trace([refused, roll(1, 'b')]))).toEqual([]);
});

describe.each<[string, [string, RuntimeTrace][]]>([
  [
    'newest-writer-wins',
    [
      [
        'it goes on writing when another one has written',
        shared(
          [granted(0, 'first'), granted(400_000, 'second')],
          [roll(400_000, 'a', 'second'), roll(400_001, 'b', 'first')],
        ),
      ],
      ['it never had the lease', shared([], [roll(0, 'a', 'first')])],
    ],
  ],
  [
    'lease-comes-free',
    [
      [
        'not after a close',
        shared([granted(0, 'first'), given(1, 'first'), refused(2, 'second')], []),
      ],
      ['not when it has run out', shared([granted(0, 'first'), refused(360_000, 'second')], [])],
      [
        'not when nobody was heard of for hours',
        shared([granted(0, 'first', 9e9), refused(4_000_000, 'second')], []),
      ],
    ],
  ],
  [
    'closed-rollout-is-over',
    [
      [
        'it is started once more after its end',
        shared(
          [granted(0, 'first'), given(1, 'first'), granted(2, 'first')],
          [close(1, 'first'), roll(2, 'a', 'first')],
        ),
      ],
    ],
  ],
  [
    'nothing-is-left-open',
    [
      [
        'another one has taken its lease, and nobody has closed it',
        {
          ...shared([granted(0, 'first'), granted(400_000, 'second')], []),
          rollouts: [
            { rolloutId: 'first', outcome: null },
            { rolloutId: 'second', outcome: SUCCEEDED },
          ],
        },
      ],
    ],
  ],
])('invariant %s', (name, planted) => {
  test.each(planted)('catches: %s', (_what, broken) => {
    expect(RUNTIME_INVARIANTS[name]?.check(broken)).toHaveLength(1);
  });

  test('holds when one rollout follows another', () => {
    const good = shared(
      [granted(0, 'first'), refused(1, 'second'), given(2, 'first'), granted(3, 'second')],
      [roll(0, 'a', 'first'), close(2, 'first'), roll(3, 'a', 'second')],
    );
    expect(RUNTIME_INVARIANTS[name]?.check(good)).toEqual([]);
  });
});

test('every invariant has a planted bug that it catches', () => {
  expect(Object.keys(INVARIANTS)).toHaveLength(18);
  expect(Object.keys(RUNTIME_INVARIANTS)).toHaveLength(4);
});

function trace(calls: readonly Call[], outcome: Outcome = SUCCEEDED): Trace {
  const lastState = outcome.outcome === 'Succeeded' ? 'Rollout succeeded' : 'Rollout failed';
  return {
    outcome,
    asked: record(outcome),
    isListed: true,
    record: record(outcome),
    turnedAt: null,
    isClockWrong: false,
    calls,
    states: [lastState],
    told: [ended(outcome)],
  };
}

function waits(said: Partial<AskedRollout> = {}): Trace {
  const asked = { ...record(FAILED), epoch: 0, outcome: null, ...acceptedAt(0), ...said };
  const none = { record: null, turnedAt: null, isClockWrong: false, calls: [], told: [] };
  return {
    outcome: null,
    asked,
    isListed: true,
    states: ['Open rollout', 'Wait for its turn'],
    ...none,
  };
}

function waitingInAWave(): RolloutRecord {
  const { plan, ...rest } = record(SUCCEEDED);
  const progress = plan && beginWave(plan, 0, startClock(0));
  return { ...rest, plan, progress, ...acceptedAt(0) };
}

function ended(outcome = SUCCEEDED): RolloutEvent {
  return endedEvent(record(outcome), outcome, 0);
}

function record(outcome: Outcome): RolloutRecord {
  const before = { previousVersion: 1, previousTarget: 1, wrongBefore: [] };
  const planned = { desiredVersion: 2, ...before };
  return {
    request: {
      rolloutId: 'rollout-1',
      endpointUrl: 'https://endpoints.example.com',
      runtimeId: 'shop',
      desiredVersion: 2,
      policy: DEFAULT_POLICY,
      startedBy: { kind: 'person', name: '', at: 0 },
    },
    epoch: 1,
    startedAt: 0,
    wait: null,
    opening: null,
    plan: {
      direction: 'forward',
      endpoints: ['a', 'b'].map((id) => ({ endpointId: id, name: id, ...planned })),
      waves: [
        { from: 0, to: 1, bakeSeconds: 300 },
        { from: 1, to: 2, bakeSeconds: 300 },
      ],
      leftOut: [],
      maxUnavailable: 1,
    },
    rollback: null,
    progress: null,
    journal: [],
    lines: [],
    signals: [],
    events: [],
    unsent: [],
    outcome,
    endedAt: null,
  };
}

/** The same endpoints, on their way back to version 1. */
function wayBack(calls: readonly Call[]): Trace {
  const { plan, ...rest } = record(FAILED);
  const endpoints = (plan?.endpoints ?? []).map((planned) => ({
    ...planned,
    desiredVersion: 1,
    previousVersion: 2,
  }));
  const cause = { outcome: 'Failed', reason: '', message: '' } as const;
  const rollback = plan && {
    cause,
    seen: [],
    plan: { ...plan, direction: 'back' as const, endpoints },
  };
  const back = { ...rest, plan, rollback };
  const known = { asked: back, isListed: true, record: back, turnedAt: 0, isClockWrong: false };
  return { outcome: null, ...known, calls, states: [], told: [] };
}

/** The first endpoint is rolled at midnight, and the other one when they have opened. */
function afterMidnight(): DeploymentWindow[] {
  return [{ days: ['thu'], from: '00:05', to: '13:00', timeZone: 'UTC' }];
}

function within(said: Partial<RolloutPolicy>, windows?: DeploymentWindow[]): Trace {
  const { request, plan, ...rest } = record(SUCCEEDED);
  const waves = plan?.waves.map((wave) => ({ ...wave, ...(windows && { windows }) })) ?? [];
  const policy = { ...request.policy, ...said };
  const known = { ...rest, request: { ...request, policy }, plan: plan && { ...plan, waves } };
  return { ...trace(GOOD), record: known };
}

function shared(leases: readonly LeaseCall[], calls: readonly Call[]): RuntimeTrace {
  const rollouts = [{ rolloutId: 'first', outcome: SUCCEEDED }];
  return { calls, leases, rollouts, aheadMs: 0 };
}

function granted(at: number, rolloutId: string, forMs = 300_000): LeaseCall {
  return { rolloutId, operation: 'open', at, until: at + forMs };
}

function refused(at: number, rolloutId: string): LeaseCall {
  return { rolloutId, operation: 'open', at, until: null };
}

function given(at: number, rolloutId: string): LeaseCall {
  return { rolloutId, operation: 'close', at, until: null };
}

/** Versions by endpoint, target and live alike; `null` for a read that failed. */
function list(
  at: number,
  versions: Readonly<Record<string, number>> | null,
  status = 'ACTIVE',
): Call {
  const endpoints =
    versions && Object.entries(versions).map(([id, version]) => ({ ...row(id, version), status }));
  return { rolloutId: 'rollout-1', at, operation: 'list', endpoints };
}

function row(id: string, version: number): Endpoint {
  return {
    id,
    name: id,
    version,
    targetVersion: version,
    liveVersion: version,
    replicas: 1,
    url: null,
    status: 'ACTIVE',
    statusReason: null,
  };
}

function roll(at: number, endpointId: string, rolloutId = 'rollout-1', version = 2): WriteCall {
  return { rolloutId, at, operation: 'roll', endpointId, version, answer: 'accepted' };
}

function named(at: number, endpointId: string, token: string): WriteCall {
  return { ...roll(at, endpointId), token };
}

function lostRoll(at: number, endpointId: string): WriteCall {
  return { ...roll(at, endpointId), answer: 'OutcomeUnknown' };
}

function back(at: number, endpointId: string, version = 1): WriteCall {
  return roll(at, endpointId, 'rollout-1', version);
}

/** The list just before a stop, and the stop. */
function stopOf(versions: Readonly<Record<string, number>>, status?: string): Call[] {
  return [list(2, versions, status), stop(3, 'a')];
}

function stop(at: number, endpointId: string): Call {
  return { rolloutId: 'rollout-1', at, operation: 'stop', endpointId, answer: 'accepted' };
}

function close(at: number, rolloutId = 'rollout-1'): Call {
  return { rolloutId, at, operation: 'close' };
}
