import { describe, expect, test } from '@jest/globals';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import { untoldOf } from '../../../lib/domain/holds/news.ts';

const HOUR = 3_600_000;
const HOLD: Hold = {
  ...{ id: 'h', kind: 'freeze', scope: {}, by: 'ann', reason: 'x', at: 0, until: 3 * HOUR },
};
const kinds = (hold: Hold, now: number) => untoldOf(hold, now).map(({ kind }) => kind);

describe('what is untold of a hold', () => {
  test('is nothing twice', () => {
    expect(kinds(HOLD, 0)).toEqual(['hold-added']);
    expect(kinds({ ...HOLD, told: ['hold-added'] }, 2 * HOUR)).toEqual(['hold-ending']);
    expect(kinds({ ...HOLD, told: ['hold-added', 'hold-ending'] }, 2 * HOUR)).toEqual([]);
  });

  test.each([
    ['before the last hour', HOLD, 2 * HOUR - 1],
    ['after its end', HOLD, 3 * HOUR],
    ['of two hours', { ...HOLD, until: 2 * HOUR }, 2 * HOUR - 1],
    ['that nobody has added', { ...HOLD, after: 'rollout-1' }, 2 * HOUR],
    ['that is lifted', { ...HOLD, lifted: { by: 'b', reason: 'y', at: 1 } }, 2 * HOUR],
  ])('reminds nobody %s', (_, hold, now) => {
    expect(kinds(hold, now)).not.toContain('hold-ending');
  });

  test('is no news after a week', () => {
    const lifted = { by: 'b', reason: 'y', at: HOUR };
    const week = 7 * 24 * HOUR;
    expect(kinds({ ...HOLD, lifted }, week)).toEqual(['hold-lifted']);
    expect(kinds({ ...HOLD, lifted }, week + HOUR)).toEqual([]);
  });
});
