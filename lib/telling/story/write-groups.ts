import { countPossible } from '../../domain/endpoint/attempts.ts';
import type { JournalEntry } from '../../domain/endpoint/journal.ts';
import { isPostponed } from '../../domain/endpoint/rolls.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRecord } from '../../domain/rollout/record.ts';
import { nameOf } from '../../domain/sentences.ts';

/** Writes that followed one another and got the same answer. */
export interface WriteGroup extends Pick<JournalEntry, 'operation' | 'result' | 'reason'> {
  /** The time of the first write, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** The 1-based wave in the plan that the writes belong to; 0 when no wave has the endpoint. */
  readonly wave: number;
  readonly waves: number;
  /** These writes may have been carried out before, and were sent once more. */
  readonly isRepeat: boolean;
  /** The version to which the plan of the writes takes the endpoints. */
  readonly version: number;
  /** The names of the endpoints, each once. An endpoint without a name goes by its id. */
  readonly names: readonly string[];
  /** How many writes they were. */
  readonly times: number;
}

/** The journal's answered writes from this line on, in order. An intention is not an answer. */
export function groupWrites(record: RolloutRecord, from = 0): WriteGroup[] {
  const forward = placesIn(record.plan);
  const back = placesIn(record.rollback?.plan);
  const mayHaveBeenMade = countPossible();
  const isPostponedAgain = findRepeats();
  const groups: Open[] = [];
  for (const [index, entry] of record.journal.entries()) {
    const { operation, endpointId, at } = entry;
    const isRepeat = mayHaveBeenMade(entry) > 1 && entry.result === 'accepted';
    if (entry.result === 'intended' || entry.result === 'not-sent') continue;
    const isToldAlready = isPostponedAgain(entry);
    if (index < from || isToldAlready) continue;
    const plan = operation === 'roll-back' ? back : forward;
    const unknown = { name: endpointId, wave: 0, waves: 0, version: record.request.desiredVersion };
    const { name, ...place } = plan.get(endpointId) ?? unknown;
    addTo(groups, name, { at, ...answerOf(entry), ...place, isRepeat });
  }
  return groups.map(({ names, ...group }) => ({ ...group, names: [...names] }));
}

/** Reads a journal line by line: a roll is still refused because its endpoint is busy, which is told once. */
function findRepeats(): (entry: JournalEntry) => boolean {
  const postponed = new Set<string>();
  return (entry) => {
    const key = `${entry.operation} ${entry.endpointId}`;
    const isPostponedNow = isRoll(entry) && isPostponed({ last: entry });
    const isRepeat = isPostponedNow && postponed.has(key);
    if (isPostponedNow) postponed.add(key);
    else postponed.delete(key);
    return isRepeat;
  };
}

function isRoll({ operation }: JournalEntry): boolean {
  return operation !== 'stop';
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

/** A later roll starts a new group. A refusal that comes again and again stays in one group. */
function belongTogether(last: Open, write: Omit<Open, 'names' | 'times'>): boolean {
  const isLater = write.result === 'accepted' && write.at - last.at >= SAME_TIME_MS;
  return !isLater && ALIKE.every((field) => last[field] === write[field]);
}

const SAME_TIME_MS = 1_000;

const ALIKE = ['operation', 'result', 'reason', 'wave', 'version', 'isRepeat'] as const;

function answerOf({ operation, result, reason }: JournalEntry) {
  // Why a write was accepted matters only to decisions, not to people.
  return { operation, result, ...(reason && result !== 'accepted' ? { reason } : {}) };
}

type Place = Pick<WriteGroup, 'wave' | 'waves' | 'version'> & { readonly name: string };

/** Where each endpoint is in a plan, by its id. */
function placesIn(plan: RolloutPlan | null | undefined): ReadonlyMap<string, Place> {
  const waves = plan?.waves ?? [];
  return new Map(
    waves.flatMap(({ from, to }, index) =>
      (plan?.endpoints ?? []).slice(from, to).map((one) => {
        const place = { wave: index + 1, waves: waves.length, version: one.desiredVersion };
        return [one.endpointId, { name: nameOf(one), ...place }] as const;
      }),
    ),
  );
}
