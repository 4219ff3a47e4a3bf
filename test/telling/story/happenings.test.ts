import { describe, expect, test } from '@jest/globals';
import { type Happening, listHappenings } from '../../../lib/telling/story/happenings.ts';
import { signal } from '../../domain/examples.ts';
import { recordOfEnd, recordsAt } from '../../support/record-at.ts';
import { scenarioNow } from '../../support/scenario-time.ts';

const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };

describe('what happened', () => {
  test('a rollout that failed tells its story in order', async () => {
    const record = await recordOfEnd(stuck);
    const happenings = listHappenings(record);
    expect(happenings.map(wordOf)).toEqual([
      'started',
      'wave-started',
      'roll accepted',
      'wave-converged',
      'wave-started',
      'roll accepted',
      'failing',
      'stop accepted',
      'ended',
    ]);
    const times = happenings.map(({ at }) => at);
    expect(times).toEqual([...times].sort((one, other) => one - other));
  });

  test('a person who spoke is part of it', async () => {
    const record = await recordOfEnd({
      async beside(stage) {
        await stage.until(100);
        await stage.ledger.signal('rollout-1', signal('abort', { at: scenarioNow() }));
      },
    });
    expect(listHappenings(record).map(wordOf)).toEqual([
      'started',
      'wave-started',
      'roll accepted',
      'wave-converged',
      'signal abort',
      'failing',
      'ended',
    ]);
  });

  test('what was told before is not told again, and nothing is left out', async () => {
    const { records, end } = await recordsAt([1, 30, 340, 900], stuck);
    const all = listHappenings(end).map(wordOf);
    for (const { record } of records) {
      const known = listHappenings(record);
      const news = listHappenings(end, record);
      expect([...known, ...news].map(wordOf)).toEqual(all);
    }
  });
});

function wordOf(happening: Happening): string {
  switch (happening.kind) {
    case 'event':
      return happening.event.kind;
    case 'signal':
      return `signal ${happening.signal.kind}`;
    case 'writes':
      return `${happening.writes.operation} ${happening.writes.result}`;
    default:
      return happening.kind;
  }
}
