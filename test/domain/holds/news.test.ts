import { describe, expect, test } from '@jest/globals';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import { shownUntil, toldAfter, untoldOf } from '../../../lib/domain/holds/news.ts';

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

describe('a hold without an end', () => {
  const WEEK = 7 * 24 * HOUR;
  const PIN: Hold = { ...HOLD, kind: 'pin', until: null };

  test('reminds its owner once in each week that it stands, and nobody once it is lifted', () => {
    let told: readonly string[] = ['hold-added'];
    const ids: string[] = [];
    for (let now = 0; now < 60 * WEEK; now += WEEK / 3) {
      const untold = untoldOf({ ...PIN, told: [...told] }, now);
      expect(untold.map(({ kind }) => kind)).toEqual(untold.map(() => 'hold-standing'));
      ids.push(...untold.map(({ eventId }) => eventId));
      told = toldAfter(
        told,
        untold.map(({ notedAs }) => notedAs),
      );
      expect(told.length).toBeLessThanOrEqual(2);
    }
    expect(ids).toHaveLength(59);
    expect(ids).toEqual([...new Set(ids)].toSorted());
    expect(ids[0]).toBe('hold/h/pin/3-hold-standing-0001');
    const lifted = { by: 'b', reason: 'y', at: 3 * WEEK };
    const after = untoldOf({ ...PIN, told: ['hold-added'], lifted }, 3 * WEEK);
    expect(after.map(({ kind }) => kind)).toEqual(['hold-lifted']);
  });

  test('tells of the last week alone what nobody could be told before', () => {
    const late = untoldOf({ ...PIN, told: ['hold-added', 'hold-standing-0001'] }, 5.5 * WEEK);
    expect(late.map(({ notedAs }) => notedAs)).toEqual(['hold-standing-0005']);
    // Two that tell at once note the same, in any order.
    expect(toldAfter(['hold-standing-0005'], ['hold-standing-0004'])).toEqual([
      'hold-standing-0005',
    ]);
    expect(late[0]?.message).toContain('ann: your pin h');
  });

  test('tells nothing again where the clock is behind that of who has told the week after', () => {
    const told = toldAfter(['hold-added', 'hold-standing-0004'], ['hold-standing-0005']);
    expect(untoldOf({ ...PIN, told }, 5 * WEEK - 1)).toEqual([]);
  });

  test('is shown for a week after it was lifted', () => {
    expect(shownUntil(PIN)).toBe(Number.POSITIVE_INFINITY);
    expect(shownUntil({ ...PIN, lifted: { by: 'b', reason: 'y', at: HOUR } })).toBe(WEEK + HOUR);
  });
});
