import { expect, test } from '@jest/globals';
import { toLifecycleEvent } from '../../../lib/contract/event.ts';
import { afterEnd } from '../../../lib/domain/ending/quarantine.ts';
import { recordOf } from '../examples.ts';

test.each([0, 1])('the reason of a quarantine fits an event and has no half character', (shift) => {
  const outcome = {
    ...({ outcome: 'Failed', reason: 'Stalled', failure: 'bad', cleanup: 'none' } as const),
    message: 'x'.repeat(shift) + '🦊'.repeat(400),
  };
  const [hold] = afterEnd([], { request: recordOf().request, outcome, endedAt: 1_000 }) ?? [];
  expect(hold?.reason.isWellFormed()).toBe(true);
  const added = { kind: 'hold-added', notedAs: 'hold-added', eventId: 'e', at: 1_000 } as const;
  const event = hold && { ...added, message: '', hold };
  expect(event && toLifecycleEvent(event).detail).toMatchObject({ reason: hold?.reason });
});
