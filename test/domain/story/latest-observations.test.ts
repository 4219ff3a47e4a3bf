import { describe, expect, test } from '@jest/globals';
import { latestObservations } from '../../../lib/domain/story/standing.ts';
import { line, planBackOf, planOf, progressOf, recordOf, seen } from '../examples.ts';

describe('what is known of the endpoints', () => {
  test('is what the last read said, and what was rolled since', () => {
    const journal = [
      line('roll', 'web-1', 'accepted'),
      line('roll', 'web-2', 'accepted'),
      line('roll', 'web-3', 'intended'),
      line('roll', 'web-4', 'intended'),
      line('roll', 'web-4', 'rejected', 'UpstreamConflict'),
    ];
    const progress = progressOf(0, [seen('converged', 2), seen('pending', 3)]);
    const record = { ...recordOf(journal), plan: planOf([5]), progress };
    expect(latestObservations(record).map(({ state }) => state)).toEqual([
      'converged',
      'requested',
      'requested',
      'pending',
      'pending',
    ]);
  });

  test('on the way back has nothing of the way forward', () => {
    const cause = { outcome: 'Failed', reason: 'r', message: 'm' } as const;
    const record = {
      ...recordOf([line('roll', 'web-1', 'accepted'), line('roll-back', 'web-2', 'accepted')]),
      plan: planOf([2]),
      rollback: { cause, seen: [], plan: planBackOf(2) },
      progress: progressOf(0, [seen('failed', 2), seen('failed', 2)]),
    };
    expect(latestObservations(record).map(({ state }) => state)).toEqual(['pending', 'requested']);
  });

  test('is nothing before there is a plan', () => {
    expect(latestObservations(recordOf())).toEqual([]);
  });
});
