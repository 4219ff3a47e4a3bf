import { describe, expect, test } from '@jest/globals';
import { DEFAULT_POLICY } from '../../lib/domain/defaults.ts';
import type { Endpoint } from '../../lib/domain/endpoint.ts';
import type { Outcome } from '../../lib/domain/outcome.ts';
import type { RolloutRecord } from '../../lib/domain/rollout.ts';
import type { Call } from './call-log.ts';
import { INVARIANTS, type Trace } from './invariants.ts';

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

test('a good trace holds every invariant', () => {
  for (const check of Object.values(INVARIANTS)) expect(check(trace(GOOD))).toEqual([]);
});

describe.each<[string, [string, Trace][]]>([
  [
    '1 scope',
    [
      ['a roll outside of the plan', trace([list(0, { c: 1 }), roll(0, 'c')])],
      ['a stop outside of the plan', trace([list(0, { c: 1 }), stop(0, 'c')])],
      ['a write without a plan', { ...trace([list(0, { a: 1 }), roll(0, 'a')]), record: null }],
    ],
  ],
  [
    '2 no stop at the desired version',
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
    '3 at most maxUnavailable in mid-roll',
    [
      ['two at once', trace([list(0, { a: 1, b: 1 }), roll(0, 'a'), roll(0, 'b')])],
      [
        'one read of the version is not enough',
        trace([roll(0, 'a'), list(1, { a: 2 }), roll(2, 'b')]),
      ],
    ],
  ],
  [
    '4 waves in order',
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
        trace([list(0, { a: 2 }), list(BAKED, { a: 1 }), roll(BAKED, 'b')]),
      ],
    ],
  ],
  [
    '6 one outcome, last of all',
    [
      ['a call after the close', trace([...GOOD, list(BAKED, { a: 2 })])],
      ['another outcome in the ledger', { ...trace(GOOD), outcome: { ...SUCCEEDED, reason: 'x' } }],
      ['a success that ends in Fail', { ...trace(GOOD), states: ['Rollout failed'] }],
      ['a failure that ends in Succeed', { ...trace(GOOD, FAILED), states: ['Rollout succeeded'] }],
    ],
  ],
  [
    '9 success is proven',
    [
      [
        'an endpoint was never seen there',
        trace([list(0, { a: 2, b: 2 }), list(1, { a: 2, b: 1 })]),
      ],
      ['an endpoint is missing', trace([list(0, { a: 2, b: 2 }), list(1, { a: 2 })])],
    ],
  ],
  [
    '10 superseded endpoints are left alone',
    [
      ['a roll', trace([list(0, { a: 7 }), roll(1, 'a')])],
      ['a stop', trace([list(0, { a: 7 }), list(1, { a: 1 }), stop(2, 'a')])],
    ],
  ],
  [
    '12 bounded effort',
    [
      ['a third roll', trace([roll(0, 'a'), roll(1, 'a'), roll(2, 'a')])],
      ['a fourth stop', trace([stop(0, 'a'), stop(1, 'a'), stop(2, 'a'), stop(3, 'a')])],
    ],
  ],
  [
    '13 no write on a failed read',
    [
      ['a roll after it', trace([list(0, { a: 1 }), list(1, null), roll(2, 'a')])],
      ['a roll without any read', trace([roll(2, 'a')])],
    ],
  ],
])('invariant %s', (name, planted) => {
  test.each(planted)('catches: %s', (_what, broken) => {
    expect(INVARIANTS[name]?.(broken)).toHaveLength(1);
  });
});

test('every invariant has a planted bug that it catches', () => {
  expect(Object.keys(INVARIANTS)).toHaveLength(9);
});

function trace(calls: readonly Call[], outcome: Outcome = SUCCEEDED): Trace {
  const lastState = outcome.outcome === 'Succeeded' ? 'Rollout succeeded' : 'Rollout failed';
  return { outcome, record: record(outcome), calls, states: [lastState] };
}

function record(outcome: Outcome): RolloutRecord {
  const planned = { previousVersion: 1, previousTarget: 1, failedBefore: false };
  return {
    request: {
      rolloutId: 'rollout-1',
      runtimeId: 'shop',
      desiredVersion: 2,
      policy: DEFAULT_POLICY,
    },
    epoch: 1,
    startedAt: 0,
    plan: {
      endpoints: ['a', 'b'].map((id) => ({ endpointId: id, name: id, ...planned })),
      waves: [
        { from: 0, to: 1 },
        { from: 1, to: 2 },
      ],
      leftOut: [],
      maxUnavailable: 1,
    },
    progress: null,
    journal: [],
    outcome,
    endedAt: null,
  };
}

/** Versions by endpoint, target and live alike; `null` for a read that failed. */
function list(at: number, versions: Readonly<Record<string, number>> | null): Call {
  const endpoints = versions && Object.entries(versions).map(([id, version]) => row(id, version));
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
  };
}

function roll(at: number, endpointId: string): Call {
  return {
    rolloutId: 'rollout-1',
    at,
    operation: 'roll',
    endpointId,
    version: 2,
    answer: 'accepted',
  };
}

function stop(at: number, endpointId: string): Call {
  return { rolloutId: 'rollout-1', at, operation: 'stop', endpointId, answer: 'accepted' };
}

function close(at: number): Call {
  return { rolloutId: 'rollout-1', at, operation: 'close' };
}
