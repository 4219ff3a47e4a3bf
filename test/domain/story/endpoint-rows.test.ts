import { describe, expect, test } from '@jest/globals';
import { listEndpointRows } from '../../../lib/domain/story/standing.ts';
import { line, planBackOf, planOf, progressOf, recordOf, seen } from '../examples.ts';

describe('endpoints as rows', () => {
  const plan = planOf([1, 4]);

  test('are in the order of the plan, each with its wave, its state and what it means', () => {
    const states = [seen('converged', 2), seen('missing'), seen('requested'), seen('converged')];
    const progress = progressOf(1, states);
    const rows = listEndpointRows({ ...recordOf(), plan, progress });
    expect(rows.map((row) => [row.planned.name, row.wave, row.state, row.concern])).toEqual([
      ['web-1', 1, 'converged', 'converged'],
      ['web-2', 2, 'missing', 'lost'],
      ['web-3', 2, 'requested', 'in-mid-roll'],
      // One read proves nothing yet.
      ['web-4', 2, 'converged', 'in-mid-roll'],
      ['web-5', 2, 'pending', 'pending'],
    ]);
  });

  test('say what the last read said, and what was rolled since', () => {
    const journal = [
      line('roll', 'web-1', 'accepted'),
      line('roll', 'web-2', 'accepted'),
      line('roll', 'web-3', 'intended'),
      line('roll', 'web-4', 'intended'),
      line('roll', 'web-4', 'rejected', 'UpstreamConflict'),
    ];
    const progress = progressOf(0, [seen('converged', 2), seen('pending', 3)]);
    const rows = listEndpointRows({ ...recordOf(journal), plan, progress });
    const states = ['converged', 'requested', 'requested', 'pending', 'pending'];
    expect(rows.map(({ state }) => state)).toEqual(states);
  });

  test('have the last line of their roll and of their stop; what was to be stopped is lost', () => {
    const journal = [
      line('roll', 'web-1', 'intended'),
      line('roll', 'web-1', 'accepted'),
      line('stop', 'web-1', 'kept', 'went-live'),
    ];
    const progress = progressOf(0, [seen('converged', 2)]);
    const [row] = listEndpointRows({ ...recordOf(journal), plan, progress });
    expect(row).toMatchObject({
      concern: 'lost',
      roll: { result: 'accepted' },
      stop: { result: 'kept' },
    });
  });

  test('on the way back are those of the way back, with its rolls alone', () => {
    const cause = { outcome: 'Failed', reason: 'r', message: 'm' } as const;
    const rollback = { cause, seen: [], plan: planBackOf(1) };
    const progress = progressOf(0, [seen('failed', 2)]);
    const record = recordOf([line('roll', 'web-1', 'accepted')]);
    expect(listEndpointRows({ ...record, plan, rollback, progress })).toMatchObject([
      { state: 'pending', roll: null },
    ]);
  });
});
