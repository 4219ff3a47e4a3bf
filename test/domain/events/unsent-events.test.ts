import { expect, test } from '@jest/globals';
import { allEvents, unsentEvents } from '../../../lib/domain/events/events.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { recordOf } from '../examples.ts';
import { AT, everyEvent, OUTCOME } from './examples.ts';

const EVENTS = everyEvent().slice(0, -1);
const idsOf = (events: readonly { readonly eventId: string }[]) =>
  events.map(({ eventId }) => eventId);

function record(said: Partial<RolloutRecord>): RolloutRecord {
  return { ...recordOf(), events: EVENTS, ...said };
}

test('while a rollout is under way there is what was recorded of it', () => {
  expect(allEvents(record({}))).toEqual(EVENTS);
});

test('once it is closed its end follows, made from the outcome', () => {
  const events = allEvents(record({ outcome: OUTCOME, endedAt: AT + 1 }));

  expect(events.slice(0, -1)).toEqual(EVENTS);
  expect(events.at(-1)).toMatchObject({ kind: 'ended', at: AT + 1, reason: OUTCOME.reason });
});

test('A14: what was not sent is told in its order, whatever the order of the marks', () => {
  const unsent = ['rollout-1/9-ended', 'rollout-1/2-failing', 'rollout-1/0-started'];

  expect(idsOf(unsentEvents(record({ unsent, outcome: OUTCOME, endedAt: AT })))).toEqual(
    unsent.toReversed(),
  );
});

test('what was sent is told no more', () => {
  expect(unsentEvents(record({ outcome: OUTCOME, endedAt: AT }))).toEqual([]);
});
