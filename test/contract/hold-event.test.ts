import { describe, expect, test } from '@jest/globals';
import { HOLD_EVENTS, toLifecycleEvent } from '../../lib/contract/event.ts';
import type { Hold } from '../../lib/domain/holds/hold.ts';
import { type HoldEvent, untoldOf } from '../../lib/domain/holds/news.ts';

const AT = Date.UTC(2026, 10, 21, 9, 30);
const DAY = 24 * 3_600_000;
type Ending = Hold & { readonly until: number };

const HOLD: Ending = {
  ...{ id: '4f1f9a52', kind: 'freeze', scope: {}, by: 'ann', reason: 'patching' },
  ...{ at: AT, until: AT + DAY },
};
const LIFTED: Ending = { ...HOLD, lifted: { by: 'bob', reason: 'done', at: AT + 5_000 } };

/** Added, about to end, and lifted. */
function everyEventOf(hold: Ending): readonly HoldEvent[] {
  const added = untoldOf(hold, hold.until - 1);
  const lifted = { by: hold.by, reason: hold.reason, at: AT + 5_000 };
  return [...added, ...untoldOf({ ...hold, lifted }, AT + 6_000).slice(-1)];
}

describe('the event of a hold', () => {
  test('says what is held, by whom, why and until when', () => {
    const [added] = untoldOf(HOLD, AT) as [HoldEvent];
    expect(toLifecycleEvent(added)).toEqual({
      detailType: 'Hold Added',
      detail: {
        ...{ schemaVersion: 1, eventId: 'hold/4f1f9a52/freeze/1-hold-added', holdId: '4f1f9a52' },
        ...{ holdKind: 'freeze', scope: 'everything', by: 'ann', reason: 'patching' },
        ...{ until: '2026-11-22T09:30:00.000Z', at: '2026-11-21T09:30:00.000Z' },
        message: expect.stringContaining('4f1f9a52'),
      },
    });
  });

  test('names who has lifted it, and when', () => {
    const [, lifted] = untoldOf(LIFTED, AT + 6_000) as [HoldEvent, HoldEvent];
    expect(toLifecycleEvent(lifted)).toMatchObject({
      detailType: 'Hold Lifted',
      detail: { lifted: { by: 'bob', reason: 'done' }, at: '2026-11-21T09:30:05.000Z' },
    });
  });

  test.each<Hold['scope']>([
    { runtimeId: 'shop' },
    { runtimeId: 'group:prod' },
    { runtimeId: 'shop', rolloutId: 'rollout-1' },
    { runtimeId: 'shop', version: 8 },
  ])('names its scope: %j', (scope) => {
    const group = scope.runtimeId === 'group:prod' ? { group: 'prod' } : {};
    const [added] = untoldOf({ ...HOLD, scope }, AT) as [HoldEvent];
    expect(toLifecycleEvent(added).detail).toMatchObject({ ...scope, ...group });
  });

  test('is the same whenever it is told', () => {
    const soon = untoldOf(HOLD, HOLD.until - 3_600_000);
    expect(soon.map(({ kind }) => kind)).toEqual(['hold-added', 'hold-ending']);
    expect(untoldOf(HOLD, HOLD.until - 1)).toEqual(soon);
  });

  test.each(['a', '"', '\n', '\u0001', '€', '😀'])(
    'is what its schema says, one line of text, and below 8 KB, where all texts are long: %j',
    (character) => {
      const long = character.repeat(2_048);
      const id = character.repeat(80);
      const scope = { runtimeId: character.repeat(128), rolloutId: id };
      const events = everyEventOf({ ...HOLD, scope, by: long, reason: long, after: id });
      expect(events.length).toBeGreaterThan(1);
      for (const event of events) {
        const { detailType, detail } = toLifecycleEvent(event);
        expect(detailType).toBe(HOLD_EVENTS[event.kind].detailType);
        expect(HOLD_EVENTS[event.kind].detail.parse(detail)).toEqual(detail);
        expect(Buffer.byteLength(JSON.stringify(detail))).toBeLessThan(8 * 1024);
        expect(detail.message).not.toContain('\n');
      }
    },
  );
});
