import { describe, expect, test } from '@jest/globals';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { versionsInTime } from '../../../lib/telling/story/versions.ts';
import { line, planned, planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';

const OUTCOME = {
  outcome: 'Succeeded',
  reason: 'Converged',
  message: '',
  cleanup: 'none',
} as const;

interface Given {
  readonly at: number;
  readonly from: number | null;
  readonly to: number;
  /** @default - it has converged 2 s after it was asked */
  readonly seen?: Observation;
}

/** A rollout of one endpoint that takes 10 s; it is asked to roll a second after its begin. */
function rolled({ at, from, to, ...given }: Given): AskedRollout {
  const { seen: observation = { ...seen('converged', 2), changedAt: at + 3 } } = given;
  const endpoint = planned('web-1', { previousVersion: from, desiredVersion: to });
  const { request, ...rest } = recordOf([{ ...line('roll', 'web-1', 'accepted'), at: at + 1 }]);
  return {
    ...rest,
    request: { ...request, desiredVersion: to },
    startedAt: at,
    endedAt: at + 10,
    outcome: OUTCOME,
    plan: { ...planOf([1]), endpoints: [endpoint] },
    progress: progressOf(0, [observation]),
  };
}

/** The newest rollout comes first, as in the history. */
const linesOf = (...records: readonly AskedRollout[]) =>
  versionsInTime(records.toReversed(), 99)
    .get('web-1')
    ?.map(({ at, live }) => `${at} ${live}`)
    .join(', ');

describe('what was live on an endpoint over time', () => {
  test('is the version before until it was asked to roll, and the new one when it was seen there', () => {
    expect(linesOf(rolled({ at: 100, from: 1, to: 2 }))).toBe('100 1, 101 moving, 103 2, 110 null');
  });

  test('goes on between two rollouts when the later one has found what the earlier one has left', () => {
    const [first, second] = [
      rolled({ at: 100, from: 1, to: 2 }),
      rolled({ at: 200, from: 2, to: 3 }),
    ];
    expect(linesOf(first, second)).toBe('100 1, 101 moving, 103 2, 201 moving, 203 3, 210 null');
  });

  test('is not known between two rollouts when somebody has changed it, and not after the last one', () => {
    const [first, second] = [
      rolled({ at: 100, from: 1, to: 2 }),
      rolled({ at: 200, from: 7, to: 8 }),
    ];
    expect(linesOf(first, second)).toBe(
      '100 1, 101 moving, 103 2, 110 null, 200 7, 201 moving, 203 8, 210 null',
    );
  });

  test('is known of one that a later rollout has found at its version', () => {
    const { plan, ...second } = rolled({ at: 200, from: 1, to: 2 });
    const leftOut = [{ endpointId: 'web-1', name: null, reason: 'at-version' }] as const;
    const other = { ...second, plan: { ...planOf([]), leftOut } };
    expect(linesOf(rolled({ at: 100, from: 1, to: 2 }), other)).toBe(
      '100 1, 101 moving, 103 2, 210 null',
    );
  });

  test('is its own version where a group has found a runtime at that, and not told by a revert that has found it back', () => {
    const leftOut = [{ endpointId: 'web-1', name: null, reason: 'at-version' }] as const;
    const { request, ...rest } = rolled({ at: 200, from: 1, to: 5 });
    const found = { ...rest, plan: { ...planOf([]), leftOut } };
    const own = { ...request, runtimeId: 'group:eu', versions: { 'web-1': 3, 'web-2': 5 } };
    expect(linesOf({ ...found, request: own })).toBe('200 3, 210 null');
    expect(linesOf({ ...found, request: { ...request, revert: 'rollout-0' } })).toBeUndefined();
  });

  test('is not known of one that has failed', () => {
    const failed = { ...seen('failed', 2), changedAt: 105 };
    expect(linesOf(rolled({ at: 100, from: 1, to: 2, seen: failed }))).toBe(
      '100 1, 101 moving, 105 null',
    );
  });

  test('is known up to now of a rollout that is under way', () => {
    const { outcome: _, ...record } = rolled({ at: 50, from: 1, to: 2 });
    expect(linesOf({ ...record, outcome: null, endedAt: null })).toBe(
      '50 1, 51 moving, 53 2, 99 null',
    );
  });
});
