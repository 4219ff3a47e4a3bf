import { meaningOf } from '../error-meanings.ts';
import type { PlannedEndpoint } from './endpoint.ts';
import { addPossible, type Direction, type JournalEntry, type WriteOperation } from './journal.ts';

/** What the journal says of the rolls of one endpoint. */
export interface RollHistory {
  readonly last: JournalEntry | undefined;
  /** Rolls that the service refused with an answer. A roll that was throttled is not refused. */
  readonly refusals: number;
  /** Rolls that may have been carried out: all intended ones, less those that certainly were not sent. */
  readonly possible: number;
  /** The number of the last try, of a service that repeats rolls. 0: there was none. */
  readonly tries: number;
  /** How many rolls of that try have no certain answer. */
  readonly inDoubt: number;
}

/**
 * The reason of an accepted roll whose answer showed the desired target. An earlier target after that is not ours.
 */
export const TARGET_TAKEN = 'target-taken';

/**
 * The reason of a roll in doubt that the service answered with a yes that cannot be read. With a list that shows the
 * target, it has arrived.
 */
export const ANSWER_UNREADABLE = 'answer-unreadable';

export const NO_ROLLS: RollHistory = {
  last: undefined,
  refusals: 0,
  possible: 0,
  tries: 0,
  inDoubt: 0,
};

/** What a roll is called in the journal. */
export const ROLL_OPERATION: Readonly<Record<Direction, WriteOperation>> = {
  forward: 'roll',
  back: 'roll-back',
};

/** Every endpoint in the journal, with its rolls in one direction. */
export function rollHistories(
  journal: readonly JournalEntry[],
  direction: Direction,
): Map<string, RollHistory> {
  const histories = new Map<string, RollHistory>();
  for (const entry of journal) {
    if (entry.operation !== ROLL_OPERATION[direction]) continue;
    const before = histories.get(entry.endpointId) ?? NO_ROLLS;
    const isRefusal = entry.result === 'rejected' && mayRollAgain(entry) !== 'again';
    const { count, ...open } = addPossible({ ...before, count: before.possible }, entry);
    histories.set(entry.endpointId, {
      last: entry,
      refusals: before.refusals + Number(isRefusal),
      possible: count,
      ...open,
    });
  }
  return histories;
}

/** The rolls of each endpoint of a plan, in its order. */
export function rollsOfPlan(
  journal: readonly JournalEntry[],
  {
    direction,
    endpoints,
  }: { readonly direction: Direction; readonly endpoints: readonly PlannedEndpoint[] },
): readonly RollHistory[] {
  const histories = rollHistories(journal, direction);
  return endpoints.map(({ endpointId }) => histories.get(endpointId) ?? NO_ROLLS);
}

/**
 * Whether any roll may have been carried out. `intended` counts, because we may have died after sending it. A refused
 * second roll does not undo the first one.
 */
export function wasSent({ last, possible }: RollHistory): boolean {
  const result = last?.result;
  return possible > 0 || result === 'accepted' || result === 'unknown' || result === 'intended';
}

/** So many rolls of one endpoint may have been carried out, at most. */
const MAX_POSSIBLE_ROLLS = 2;

/** How long a list may show an old target after a roll. After that the roll is made once more. */
export const REGISTERING_MS = 60_000;

/**
 * A roll that may have been lost on its way, and that may be made once more. If its time lies more than a minute in the
 * future, the clock went back. Nobody knows then how long ago the roll was, and the reads alone decide.
 */
export function isOverdue(history: RollHistory, now: number): boolean {
  const { last, possible } = history;
  if (last === undefined || last.reason === TARGET_TAKEN || isLastingNo(history)) return false;
  return possible < MAX_POSSIBLE_ROLLS && Math.abs(now - last.at) >= REGISTERING_MS;
}

/**
 * Whether a roll without a certain answer may be sent again now. The service carries out all rolls of a try only once,
 * so this is not a second roll: nobody has to wait until the first one would show.
 */
export function mayRepeat(history: RollHistory): boolean {
  return history.tries > 0 && history.inDoubt > 0 && !isLastingNo(history);
}

/** The number of the next try. It stays the same while a roll of the last one is in doubt. */
export function nextTry({ tries, inDoubt }: RollHistory): number {
  return tries > 0 && inDoubt > 0 ? tries : tries + 1;
}

/** Nobody knows whether the only roll so far was sent or arrived: it may be made once more, but not at once. */
export function isUnsure(history: RollHistory): boolean {
  const { last, possible } = history;
  if (mayRepeat(history)) return false;
  const isKnown = last?.result !== 'intended' && last?.result !== 'unknown';
  return !isKnown && possible < MAX_POSSIBLE_ROLLS;
}

/** Nothing more can be tried: the roll was made as often as allowed, or the second one was refused. */
export function isSpent(history: RollHistory): boolean {
  const { last, possible } = history;
  if (last === undefined || last.reason === TARGET_TAKEN) return false;
  return possible >= MAX_POSSIBLE_ROLLS || (possible > 0 && isLastingNo(history));
}

/**
 * Nothing more can be tried, and the target never showed the roll. The service does not roll this endpoint.
 *
 * @param sinceMs Milliseconds since the last roll.
 */
export function hasNotStarted(history: RollHistory, sinceMs: number): boolean {
  return isSpent(history) && sinceMs >= REGISTERING_MS;
}

/** The service refused the latest roll, and another try would get the same answer. */
export function isRefused(history: RollHistory): boolean {
  return history.possible <= 0 && isLastingNo(history);
}

function isLastingNo({ last, refusals }: RollHistory): boolean {
  if (last?.result !== 'rejected') return false;
  return mayRollAgain(last) === 'never' || refusals >= MAX_REFUSALS;
}

function mayRollAgain({ reason = '' }: JournalEntry) {
  return meaningOf(reason).roll;
}

/** Whether the service has accepted any roll of this rollout, so that more rolls may be sent. */
export function isAnyAccepted(journal: readonly JournalEntry[]): boolean {
  return journal.some(({ operation, result }) => operation === 'roll' && result === 'accepted');
}

/**
 * Whether a roll forward with a yes that cannot be read has arrived, which is as good as one that was accepted.
 *
 * @param isShown Whether the list has shown the target of this endpoint.
 */
export function isAnyArrived(
  journal: readonly JournalEntry[],
  isShown: (endpointId: string) => boolean,
): boolean {
  return journal.some(
    ({ endpointId, reason }) => reason === ANSWER_UNREADABLE && isShown(endpointId),
  );
}

/** The journal line that shows that we cannot write to any endpoint. */
export function findDenial(journal: readonly JournalEntry[]): JournalEntry | undefined {
  return journal.findLast(({ reason = '' }) => meaningOf(reason).others === 'denied');
}

/** How often the service may refuse one roll with an error that is worth another try. */
const MAX_REFUSALS = 5;
