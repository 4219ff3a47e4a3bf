import { describe, expect, test } from '@jest/globals';
import { listEndpointRows } from '../../../lib/domain/ending/fate.ts';
import { line, planBackOf, planOf, progressOf, recordOf, seen } from '../examples.ts';

describe('endpoints as rows', () => {
  const plan = planOf([1, 4]);

  test('are in the order of the plan, each with its wave, its state and what it means', () => {
    const states = [seen('converged', 2), seen('missing'), seen('requested'), seen('converged')];
    const progress = progressOf(1, states);
    const rows = listEndpointRows({ ...recordOf(), plan, progress });
    expect(rows.map((row) => [row.name, row.wave, row.seen.state, row.fate])).toEqual([
      ['web-1', 1, 'converged', 'live'],
      ['web-2', 2, 'missing', 'lost'],
      ['web-3', 2, 'requested', 'in-mid-roll'],
      ['web-4', 2, 'converged', 'live'],
      ['web-5', 2, 'pending', 'not-rolled'],
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
    expect(rows.map(({ seen }) => seen.state)).toEqual(states);
  });

  test('have the last line of their roll, and their stop decides', () => {
    const journal = [
      line('roll', 'web-1', 'intended'),
      line('roll', 'web-1', 'accepted'),
      line('stop', 'web-1', 'kept', 'went-live'),
    ];
    const progress = progressOf(0, [seen('converged', 2)]);
    const [row] = listEndpointRows({ ...recordOf(journal), plan, progress });
    expect(row).toMatchObject({
      ...{ fate: 'kept', reason: 'went-live', place: 'desired' },
      roll: { result: 'accepted' },
    });
  });

  test('on the way back are those of the way back, with its rolls alone', () => {
    const cause = { outcome: 'Failed', reason: 'r', message: 'm' } as const;
    const rollback = { cause, seen: [], plan: planBackOf(1) };
    const progress = progressOf(0, [seen('failed', 2)]);
    const record = recordOf([line('roll', 'web-1', 'accepted')]);
    expect(listEndpointRows({ ...record, plan, rollback, progress })).toMatchObject([
      { seen: { state: 'pending' }, fate: 'in-mid-roll', roll: null },
    ]);
  });
});
