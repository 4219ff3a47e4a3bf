import type { JournalEntry } from '../../domain/endpoint/journal.ts';
import { allEvents } from '../../domain/events/events.ts';
import type { RolloutEvent } from '../../domain/rollout/event.ts';
import type { AskedRollout, LogLine, Signal } from '../../domain/rollout/record.ts';

/** Something that happened in a rollout. `at`: milliseconds since the Unix epoch. */
export type LogEntry =
  | { readonly kind: 'event'; readonly at: number; readonly event: RolloutEvent }
  | { readonly kind: 'signal'; readonly at: number; readonly signal: Signal }
  | { readonly kind: 'write'; readonly at: number; readonly write: JournalEntry }
  | LogLine;

/**
 * Everything that happened in a rollout, in order, whatever part of its record has it. Each part is in the order in which it
 * was stored, also where the clock was set back.
 */
export function logOf(record: AskedRollout): LogEntry[] {
  return inOrder<LogEntry>([
    record.signals.map((signal) => ({ kind: 'signal', at: signal.at, signal })),
    allEvents(record).map((event) => ({ kind: 'event', at: event.at, event })),
    record.journal.map((write) => ({ kind: 'write', at: write.at, write })),
    linesOf(record),
  ]);
}

/** Merges what is in order by itself. Of the same millisecond the earlier part comes first, and the end of the rollout last. */
export function inOrder<E extends { readonly at: number }>(parts: readonly (readonly E[])[]): E[] {
  const dated = parts.flatMap((part, place) => {
    let latest = Number.NEGATIVE_INFINITY;
    return part.map((entry) => {
      latest = Math.max(latest, entry.at);
      return { entry, latest, place: isEnd(entry) ? parts.length : place };
    });
  });
  return dated
    .sort((one, other) => one.latest - other.latest || one.place - other.place)
    .map(({ entry }) => entry);
}

function isEnd(entry: object): boolean {
  return 'event' in entry && (entry.event as RolloutEvent).kind === 'ended';
}

/** The lines of its own, each once: a step that dies before it stores what it has seen adds them again. */
export function linesOf({ lines }: Pick<AskedRollout, 'lines'>): LogLine[] {
  const known = new Set<string>();
  const last = new Map<string, string>();
  return lines.filter((line) => {
    const whole = JSON.stringify(line);
    const [about, says] = contentOf(line);
    const isNew = last.get(about) !== says || (line.kind === 'gate' && line.isOneOfMany === true);
    if (known.has(whole) || !isNew) return false;
    known.add(whole);
    last.set(about, says);
    return true;
  });
}

/** What a line is about, and what it says of that. */
function contentOf(line: LogLine): readonly [about: string, says: string] {
  switch (line.kind) {
    case 'gate':
      return [`gate ${line.isWatching === true} ${line.gate}`, `${line.wave} ${line.verdict}`];
    case 'waits':
      // A wave may wait for one window after the other.
      return ['waits', line.for === 'window' ? `window ${line.until}` : line.for];
    case 'held':
      return ['holds', JSON.stringify(line.holds.map(({ id }) => id).toSorted())];
    case 'free':
      return ['holds', ''];
    default:
      return line satisfies never;
  }
}
