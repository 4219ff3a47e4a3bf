import type { Ms, Watched } from '../clock.ts';
import { isNoAccess, meaningOf } from '../error-meanings.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import { LONGEST_LOOK_SECONDS } from '../look-again.ts';
import { type Attempted, type Attempts, attemptsOf, NO_ATTEMPTS } from './attempts.ts';
import { type Endpoint, isBusy, type PlannedEndpoint, type StatusWords } from './endpoint.ts';
import type { Direction, JournalEntry, WriteResult } from './journal.ts';
import { LEGS, legOf } from './leg.ts';
import { OLD_ANSWER_MS } from './observation.ts';

/** An accepted roll whose answer showed the target: it need not be made again. It is no evidence for a stop. */
export const TARGET_TAKEN = 'target-taken';

/** A roll in doubt was answered with a yes that cannot be read. With a list that shows the target, it has arrived. */
export const ANSWER_UNREADABLE = 'answer-unreadable';

export function rollHistories(
  journal: readonly JournalEntry[],
  direction: Direction,
): Map<string, Attempted> {
  return attemptsOf(journal, LEGS[direction].roll);
}

/** When each endpoint was rolled the last time by the leg that this one takes back. */
export function undoneRollsAt(
  journal: readonly JournalEntry[],
  plan: { readonly direction: Direction },
): (endpointId: string) => Watched | undefined {
  const { undoes } = legOf(plan);
  const undone = undoes === null ? undefined : rollHistories(journal, undoes);
  return (endpointId) => undone?.get(endpointId)?.last.watched;
}

export function rollsOfPlan(
  journal: readonly JournalEntry[],
  {
    direction,
    endpoints,
  }: { readonly direction: Direction; readonly endpoints: readonly PlannedEndpoint[] },
): readonly Attempts[] {
  const histories = rollHistories(journal, direction);
  return endpoints.map(({ endpointId }) => histories.get(endpointId) ?? NO_ATTEMPTS);
}

/** Whether any roll may have been carried out: `intended` counts, and a refused second roll undoes no first one. */
export function wasSent({ last, possible }: Attempts): boolean {
  const result = last?.result;
  return possible > 0 || result === 'accepted' || result === 'unknown' || result === 'intended';
}

const MAX_POSSIBLE_ROLLS = 2;

/** How long a list may show an old target after a roll. After that the roll is made once more. */
export const REGISTERING_MS: Ms = OLD_ANSWER_MS;

/** A roll that may have been lost on its way, and that may be made once more. */
export function isOverdue(history: Attempts, now: Watched): boolean {
  const { last, possible } = history;
  if (last === undefined || last.reason === TARGET_TAKEN || isLastingNo(history)) return false;
  return possible < MAX_POSSIBLE_ROLLS && now - last.watched >= REGISTERING_MS;
}

/**
 * Whether a roll without a certain answer may be sent again now. The service carries out all rolls of a try only once,
 * so this is not a second roll: nobody has to wait until the first one would show.
 */
export function mayRepeat(history: Attempts): boolean {
  return history.tries > 0 && history.inDoubt > 0 && !isLastingNo(history);
}

/** The number of the next try. It stays the same while a roll of the last one is in doubt. */
export function nextTry({ tries, inDoubt }: Attempts): number {
  return tries > 0 && inDoubt > 0 ? tries : tries + 1;
}

/** Nobody knows whether the only roll so far was sent or arrived: it may be made once more, but not at once. */
export function isUnsure(history: Attempts): boolean {
  const { last, possible } = history;
  if (mayRepeat(history)) return false;
  const isKnown = last?.result !== 'intended' && last?.result !== 'unknown';
  return !isKnown && possible < MAX_POSSIBLE_ROLLS;
}

/** Its target never showed the roll, which was made as often as allowed, or the second one was refused. */
export function hasNotStarted(history: Attempts, now: Watched): boolean {
  const { last, possible } = history;
  if (last === undefined || last.reason === TARGET_TAKEN) return false;
  const isSpent = possible >= MAX_POSSIBLE_ROLLS || (possible > 0 && isLastingNo(history));
  return isSpent && now - last.watched >= REGISTERING_MS;
}

/** The service refused the latest roll, and another try would get the same answer. */
export function isRefused(history: Attempts): boolean {
  return history.possible <= 0 && isLastingNo(history);
}

function isLastingNo({ last, refusals }: Attempts): boolean {
  if (last?.result !== 'rejected') return false;
  const again = mayRollAgain(last);
  return again === 'never' || (again === 'a-few-times' && refusals >= MAX_REFUSALS);
}

/**
 * The service refused the latest roll, and it is too early to ask again: the wait doubles with each refusal, from a
 * second to a minute, so that patience follows from time and not from how often anybody looks. While the endpoint shows
 * that it is busy, it is a minute at once.
 */
export function isPutOff({ last, refusals }: Attempts, isBusy: boolean, now: Watched): boolean {
  if (last?.result !== 'rejected' || mayRollAgain(last) === 'again') return false;
  const doubledMs = FIRST_WAIT_MS * 2 ** (refusals - 1);
  const waitMs = isBusy ? LONGEST_WAIT_MS : Math.min(LONGEST_WAIT_MS, doubledMs);
  const askedMs = Math.min(LONGEST_LOOK_SECONDS * 1000, (last.retryAt ?? last.at) - last.at);
  return now - last.watched < Math.max(waitMs, askedMs);
}

/** The service refused the latest roll for now: the endpoint is busy. */
export function isPostponed({ last }: Pick<Attempts, 'last'>): boolean {
  return last?.result === 'rejected' && mayRollAgain(last) === 'later';
}

function mayRollAgain({ reason = '' }: JournalEntry) {
  return meaningOf(reason).roll;
}

/**
 * Whether the service has taken any roll forward, so that more rolls may be sent.
 *
 * @param isShown Whether the list has shown the roll of an endpoint. Then a yes that cannot be read is as good as any.
 */
export function isAnyTaken(
  journal: readonly JournalEntry[],
  isShown: (endpointId: string) => boolean,
): boolean {
  return journal.some(({ operation, endpointId, result, reason }) => {
    const isYes = result === 'accepted' || (reason === ANSWER_UNREADABLE && isShown(endpointId));
    return isYes && operation === 'roll';
  });
}

/** The first of the latest rolls that nobody was let in for; `undefined`: the service has answered since then. */
export function findLockout(journal: readonly JournalEntry[]): JournalEntry | undefined {
  const answers = journal.filter(({ operation, result }) => {
    return operation !== 'stop' && ANSWERS.has(result);
  });
  const isOther = ({ reason = '' }: JournalEntry) => !isNoAccess(reason);
  return answers[answers.findLastIndex(isOther) + 1];
}

const ANSWERS: ReadonlySet<WriteResult> = new Set(['accepted', 'rejected', 'unknown']);

/** How often the service may refuse one roll with an error that may be a no for good. */
const MAX_REFUSALS = 5;

const FIRST_WAIT_MS: Ms = 1_000;
const LONGEST_WAIT_MS: Ms = 60_000;

/**
 * What a service means that refuses the roll of an endpoint. Some services answer 400 while they are at work on an
 * endpoint: such a no is not final, because the same roll may succeed once the endpoint has come to rest.
 *
 * @param endpoint In the list on which the roll was decided.
 */
export function understandRefusal(
  error: unknown,
  endpoint: Endpoint | undefined,
  statuses: StatusWords,
): unknown {
  const isNo = error instanceof SteprollError && error.name === ErrorName.UpstreamRejected;
  if (!isNo || endpoint === undefined || !isBusy(endpoint, statuses)) return error;
  const { message, httpStatus } = error;
  return new SteprollError(ErrorName.UpstreamConflict, message, {
    cause: error,
    ...(httpStatus !== undefined && { httpStatus }),
  });
}
