import { allEvents } from '../events/events.ts';
import type { RolloutEvent } from '../rollout/event.ts';
import { type AskedRollout, type Signal, wasOpened } from '../rollout/record.ts';
import { groupWrites, type WriteGroup } from './write-groups.ts';

/** Something that happened in a rollout and that people want to read about. */
export type Happening = {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
} & (
  | { readonly kind: 'event'; readonly event: RolloutEvent }
  | { readonly kind: 'signal'; readonly signal: Signal }
  | { readonly kind: 'writes'; readonly writes: WriteGroup }
);

/**
 * What happened in a rollout, in order.
 *
 * @param known An earlier read of the same rollout: what it contained is left out. @default - nothing is left out
 */
export function listHappenings(record: AskedRollout, known?: AskedRollout): Happening[] {
  const writes = wasOpened(record) ? groupWrites(record, known?.journal.length) : [];
  const events = new Set(known && allEvents(known).map(({ eventId }) => eventId));
  const signals = new Set(known?.signals.map(keyOf));
  const happenings: Happening[] = [
    ...allEvents(record)
      .filter(({ eventId }) => !events.has(eventId))
      .map((event) => ({ kind: 'event' as const, at: event.at, event })),
    ...record.signals
      .filter((signal) => !signals.has(keyOf(signal)))
      .map((signal) => ({ kind: 'signal' as const, at: signal.at, signal })),
    ...writes.map((group) => ({ kind: 'writes' as const, at: group.at, writes: group })),
  ];
  return happenings.sort((one, other) => one.at - other.at || rankOf(one) - rankOf(other));
}

/** Orders happenings of the same millisecond: a signal comes before its consequences, and the end comes last. */
function rankOf(happening: Happening): number {
  if (happening.kind === 'event') return happening.event.kind === 'ended' ? 3 : 1;
  return happening.kind === 'signal' ? 0 : 2;
}

function keyOf({ kind, at, wave, by }: Signal): string {
  return JSON.stringify([kind, at, wave, by]);
}
