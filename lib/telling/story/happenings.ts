import { type AskedRollout, wasOpened } from '../../domain/rollout/record.ts';
import { inOrder, type LogEntry, logOf } from './log.ts';
import { groupWrites, type WriteGroup } from './write-groups.ts';

/** Something that happened in a rollout and that people want to read about: an entry of its log, or writes that are alike. */
export type Happening =
  | Exclude<LogEntry, { kind: 'write' }>
  | { readonly kind: 'writes'; readonly at: number; readonly writes: WriteGroup };

/**
 * What happened in a rollout, in order.
 *
 * @param known An earlier read of the same rollout: what it contained is left out. @default - nothing is left out
 */
export function listHappenings(record: AskedRollout, known?: AskedRollout): Happening[] {
  const groups = wasOpened(record) ? groupWrites(record, known?.journal.length) : [];
  const before = new Set(known && worthTelling(known).map(keyOf));
  return inOrder<Happening>([
    worthTelling(record).filter((entry) => !before.has(keyOf(entry))),
    groups.map((writes) => ({ kind: 'writes', at: writes.at, writes })),
  ]);
}

type Told = Exclude<Happening, { kind: 'writes' }>;

function worthTelling(record: AskedRollout): Told[] {
  const isNews = newsOfGates();
  return logOf(record).filter((entry): entry is Told => {
    return entry.kind !== 'write' && isNews(entry);
  });
}

/** Of a gate it is news that it does not say yes, and that it says yes again. */
function newsOfGates(): (entry: Told) => boolean {
  const saidYes = new Map<string, boolean>();
  return (entry) => {
    if (entry.kind !== 'gate') return true;
    const { gate, verdict, isWatching = false } = entry;
    const key = `${isWatching} ${gate}`;
    const before = saidYes.get(key) ?? true;
    saidYes.set(key, verdict === 'pass');
    return verdict !== 'pass' || !before;
  };
}

function keyOf(entry: Told): string {
  if (entry.kind === 'event') return entry.event.eventId;
  return JSON.stringify(entry);
}
