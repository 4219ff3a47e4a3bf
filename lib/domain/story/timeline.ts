import { countPossible, type JournalEntry, type WriteOperation } from '../endpoint/journal.ts';
import { allEvents } from '../events/events.ts';
import type { RolloutEvent } from '../rollout/event.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import {
  type AskedRollout,
  type RolloutRecord,
  type Signal,
  wasOpened,
} from '../rollout/record.ts';

/** Writes that followed one another and were answered alike. */
export interface WriteGroup extends Pick<JournalEntry, 'operation' | 'result' | 'reason'> {
  /** Milliseconds since the Unix epoch: the first of them. */
  readonly at: number;
  /** 1-based, of the plan that the writes belong to; 0 where no wave has the endpoint. */
  readonly wave: number;
  readonly waves: number;
  /** They may have been carried out before, and were sent once more. */
  readonly isRepeat: boolean;
  /** Where the plan that the write belongs to takes the endpoints. */
  readonly version: number;
  /** Names, or ids where an endpoint has none; each once. */
  readonly names: readonly string[];
  /** How many writes they were. */
  readonly times: number;
}

/** The journal's answered writes from this line on, in order; an intention is no answer. */
export function groupWrites(record: RolloutRecord, from = 0): WriteGroup[] {
  const placesOf = placesIn(record);
  const mayHaveBeenMade = countPossible();
  const groups: Open[] = [];
  for (const [index, entry] of record.journal.entries()) {
    const { operation, endpointId, at } = entry;
    const isRepeat = mayHaveBeenMade(entry) > 1 && entry.result === 'accepted';
    if (index < from || entry.result === 'intended' || entry.result === 'not-sent') continue;
    const { byId, waves } = placesOf(operation);
    const unknown = { name: endpointId, wave: 0, version: record.request.desiredVersion };
    const { name, ...place } = byId.get(endpointId) ?? unknown;
    addTo(groups, name, { at, ...answerOf(entry), ...place, waves, isRepeat });
  }
  return groups.map(({ names, ...group }) => ({ ...group, names: [...names] }));
}

type Open = Omit<WriteGroup, 'names' | 'times'> & { readonly names: Set<string>; times: number };

function addTo(groups: Open[], name: string, write: Omit<Open, 'names' | 'times'>): void {
  const last = groups.at(-1);
  if (last === undefined || !belongTogether(last, write)) {
    groups.push({ ...write, names: new Set([name]), times: 1 });
    return;
  }
  last.names.add(name);
  last.times += 1;
}

/** What was rolled later is told of later; a refusal that comes again and again is told once. */
function belongTogether(last: Open, write: Omit<Open, 'names' | 'times'>): boolean {
  const isLater = write.result === 'accepted' && write.at - last.at >= SAME_TIME_MS;
  return !isLater && ALIKE.every((field) => last[field] === write[field]);
}

const SAME_TIME_MS = 1_000;

const ALIKE = ['operation', 'result', 'reason', 'wave', 'version', 'isRepeat'] as const;

function answerOf({ operation, result, reason }: JournalEntry) {
  // Why a write was accepted is for the judge alone.
  return { operation, result, ...(reason && result !== 'accepted' ? { reason } : {}) };
}

interface Place {
  readonly name: string;
  readonly wave: number;
  readonly version: number;
}

interface Places {
  readonly byId: ReadonlyMap<string, Place>;
  readonly waves: number;
}

/** Where the endpoints of a write are in its plan. */
function placesIn({ plan, rollback }: RolloutRecord): (operation: WriteOperation) => Places {
  const forward = placesOfPlan(plan);
  const back = placesOfPlan(rollback?.plan ?? null);
  return (operation) => (operation === 'roll-back' ? back : forward);
}

function placesOfPlan(plan: RolloutPlan | null): Places {
  const byId = new Map<string, Place>();
  for (const [index, { from, to }] of (plan?.waves ?? []).entries()) {
    for (const { endpointId, name, desiredVersion } of plan?.endpoints.slice(from, to) ?? []) {
      byId.set(endpointId, { name: name ?? endpointId, wave: index + 1, version: desiredVersion });
    }
  }
  return { byId, waves: plan?.waves.length ?? 0 };
}

/** Something that happened in a rollout, and that people want to read of. */
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
 * @param known What an earlier read of the same rollout told already is left out. @default - all of it
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

/** In the same millisecond: a word comes before what follows it, and the end after everything. */
function rankOf(happening: Happening): number {
  if (happening.kind === 'event') return happening.event.kind === 'ended' ? 3 : 1;
  return happening.kind === 'signal' ? 0 : 2;
}

function keyOf({ kind, at, wave, by }: Signal): string {
  return JSON.stringify([kind, at, wave, by]);
}
