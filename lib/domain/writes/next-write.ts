import type { Instant, Moment, Ms } from '../clock.ts';
import { type Attempts, addLine, attemptsOf, NO_ATTEMPTS } from '../endpoint/attempts.ts';
import type { JournalEntry, WriteResult } from '../endpoint/journal.ts';
import { isNoAccess } from '../error-meanings.ts';
import { errorMessageOf, errorNameOf } from '../errors.ts';
import { isFresh } from '../rollout/lease.ts';
import type { RolloutRecord, Signal } from '../rollout/record.ts';
import {
  HANDFUL,
  isDenied,
  letsOthersGo,
  mayPass,
  type Pace,
  paceAfter,
  pauseAfter,
} from './pace.ts';
import type { Known, Noted, WhyLeft, WriteRules, Written } from './write-rules.ts';

/** `hear`: prove the lease, then read the signals and the holds. */
export type Next<Look> =
  | { readonly do: 'hear' }
  | { readonly do: 'look' }
  | { readonly do: 'note'; readonly lines: readonly JournalEntry[] }
  | { readonly do: 'send'; readonly handful: ReadonlyMap<string, Attempts>; readonly look: Look }
  | { readonly do: 'wait'; readonly milliseconds: Ms }
  | { readonly do: 'end'; readonly error?: unknown };

/** What came of the last thing to do. `hear` says when it was asked, and `failed` has an error that is no answer of the service. */
export type WriteAnswer<Look> =
  | ({ readonly to: 'hear'; readonly at: Instant } & Heard)
  | { readonly to: 'look'; readonly look: Look }
  | { readonly to: 'send'; readonly rows: readonly Written[] }
  | { readonly to: 'note' | 'wait' }
  | { readonly to: 'failed'; readonly error: unknown };

/** The signals that count. Under a pause, only some do. */
type Heard = Pick<RolloutRecord, 'signals' | 'isPaused' | 'frozenBy' | 'pinned'>;

/** When an answer came. Once a run is interrupted, nothing begins any more. */
export interface Time {
  readonly now: Moment;
  readonly isInterrupted: boolean;
}

/** What is known of the writes of a batch, and what to do next. */
export interface Writes<Look> extends Time {
  readonly rules: WriteRules<Look>;
  readonly begunAt: Instant;
  readonly signals: readonly Signal[];
  readonly pinned: ReadonlySet<string>;
  /** @default - they may be sent */
  readonly calledOff: string | undefined;
  /** Ids of the endpoints that may still need the write. */
  readonly due: readonly string[];
  readonly attempts: ReadonlyMap<string, Attempts>;
  /** The endpoints whose intention is written down and not sent yet, with their attempts before it. */
  readonly open: ReadonlyMap<string, Attempts>;
  readonly results: ReadonlyMap<string, WriteResult>;
  readonly sending: Sending<Look> | null;
  readonly pace: Pace;
  /** What the batch ends with. @default - it ends well */
  readonly error?: unknown;
  readonly next: Next<Look>;
}

const NONE: ReadonlySet<string> = new Set();

/** What is sent on one look, and the answers so far, in the same order. */
interface Sending<Look> {
  readonly known: Known<Look>;
  readonly endpointIds: readonly string[];
  readonly answers: readonly Written[];
}

/** Begins a batch of writes. Its first look needs no other signals than those that its step has read. */
export function beginWrites<Look>(
  rules: WriteRules<Look>,
  record: Heard & Pick<RolloutRecord, 'journal'>,
  time: Time,
): Writes<Look> {
  const begun = goOn<Look>({
    ...time,
    rules,
    begunAt: time.now.at,
    signals: record.signals,
    pinned: record.pinned ?? NONE,
    calledOff: rules.calledOff(record),
    due: rules.endpointIds,
    attempts: attemptsOf(record.journal, rules.operation),
    open: new Map(),
    results: new Map(),
    sending: null,
    pace: { handful: HANDFUL, pauses: 0 },
    next: { do: 'hear' },
  });
  return begun.next.do === 'hear' ? lookNext(begun) : begun;
}

/**
 * What is known, and what to do next, after an answer: `attemptWrites` does it, and nothing else writes to an endpoint. Look, decide, write down the intention, prove the lease, read the signals, send
 * once, write down the answer. Whatever was not accepted is sent again only by the same way, from a new look on. One
 * look serves many endpoints, as long as it is fresh. After a refusal that may pass, the next look waits for what the
 * service asks, up to 20 s, and then fewer are sent at once.
 */
export function after<Look>(
  before: Writes<Look>,
  answer: WriteAnswer<Look>,
  time: Time,
): Writes<Look> {
  const writes = { ...before, ...time };
  switch (answer.to) {
    case 'hear': {
      const { at, signals, pinned = NONE } = answer;
      const heard = { ...writes, signals, pinned, calledOff: writes.rules.calledOff(answer) };
      return heard.sending === null ? lookNext(heard) : sendNext(heard, heard.sending, at);
    }
    case 'look':
      return decideAll(writes, answer.look);
    case 'send':
      return sent(writes, answer.rows);
    case 'note':
      return before.next.do === 'note' ? noted(writes, before.next.lines) : writes;
    case 'wait':
      return goOn(writes);
    case 'failed':
      return before.next.do === 'look'
        ? unreadable(writes, answer.error)
        : fail(writes, answer.error);
    default:
      return answer satisfies never;
  }
}

function hasTime({ rules, begunAt, now, isInterrupted }: Writes<unknown>, ms: Ms = 0): boolean {
  return !isInterrupted && now.at - begunAt + ms < rules.longestMs;
}

function attemptsAt({ attempts }: Writes<unknown>, endpointId: string): Attempts {
  return attempts.get(endpointId) ?? NO_ATTEMPTS;
}

/** The attempts at an endpoint without the one that is only an intention so far. */
function attemptsBefore(writes: Writes<unknown>, endpointId: string): Attempts {
  return writes.open.get(endpointId) ?? attemptsAt(writes, endpointId);
}

/** The endpoints for which the next look decides. */
function chosenOf({ due, rules }: Writes<unknown>): readonly string[] {
  return due.slice(0, rules.endpointsPerLook);
}

/** Nothing is sent, and nothing waits to be noted: on to the next look, or to the end. */
function goOn<Look>(writes: Writes<Look>): Writes<Look> {
  const { due, error } = writes;
  if (due.length === 0) return { ...writes, next: { do: 'end', error } };
  return hasTime(writes) ? { ...writes, next: { do: 'hear' } } : leave(writes, due, INTERRUPTED);
}

function lookNext<Look>(writes: Writes<Look>): Writes<Look> {
  const reason = writes.calledOff;
  // What has just had no answer is looked for also when nothing more is sent.
  const isUnanswered = chosenOf(writes).some((id) => writes.results.get(id) === 'unknown');
  return reason === undefined || isUnanswered
    ? { ...writes, next: { do: 'look' } }
    : leave(writes, writes.due, { kind: 'called-off', reason });
}

/** Decides on a look about all that it was made for. */
function decideAll<Look>(writes: Writes<Look>, look: Look): Writes<Look> {
  const { rules, now, signals, pinned, calledOff: reason, attempts, open } = writes;
  const known = { look, at: now, signals, pinned, all: attempts };
  const endpointIds: string[] = [];
  const rows: Written[] = [];
  const chosen = chosenOf(writes);
  for (const endpointId of chosen) {
    const verdict = rules.decide(endpointId, attemptsBefore(writes, endpointId), known);
    if (verdict === 'send') endpointIds.push(endpointId);
    if (verdict === 'send' && reason !== undefined) continue;
    const line = lineOf(verdict, open.has(endpointId));
    if (line !== undefined) rows.push({ ...line, endpointId });
  }
  const due = [...endpointIds, ...writes.due.slice(chosen.length)];
  const decided = { ...writes, due };
  if (reason !== undefined) return leave(decided, due, { kind: 'called-off', reason }, rows);
  const sending = { known, endpointIds, answers: [] };
  return note({ ...decided, sending: endpointIds.length > 0 ? sending : null }, rows);
}

/** The look failed. What it was made for waits, or is left. */
function unreadable<Look>(writes: Writes<Look>, error: unknown): Writes<Look> {
  const [reason, message] = [errorNameOf(error), errorMessageOf(error)];
  const isWaited = writes.calledOff === undefined && isNoAccess(reason);
  const pause = isWaited ? accessWaitMs(writes) : undefined;
  if (pause !== undefined && hasTime(writes, pause)) return wait(writes, pause);
  const chosen = chosenOf(writes);
  const rows = leftRows(writes, chosen, { kind: 'unreadable', reason, message });
  const rest = { ...writes, due: writes.due.slice(chosen.length) };
  return rows.length === 0 && writes.results.size === 0 ? fail(rest, error) : note(rest, rows);
}

/** The next handful of what was decided on a look, while the look is fresh. @param heardAt When the proof began. */
function sendNext<Look>(
  writes: Writes<Look>,
  sending: Sending<Look>,
  heardAt: Instant,
): Writes<Look> {
  const { known, endpointIds, answers } = sending;
  const now = writes.now.at;
  // The ledger took its time, or the process stood still, so nothing of this may be true any more.
  if (!isFresh(known.at.at, now) || !isFresh(heardAt, now)) return noteAnswers(writes, sending);
  if (writes.calledOff !== undefined) return noteAnswers(writes, sending);
  const ids = endpointIds.slice(answers.length, answers.length + writes.pace.handful);
  // Somebody has pinned one since it was decided on.
  if (ids.some((id) => writes.pinned.has(id) && !known.pinned.has(id))) {
    return noteAnswers(writes, sending);
  }
  const handful = new Map(ids.map((id) => [id, attemptsAt(writes, id)]));
  return { ...writes, next: { do: 'send', handful, look: known.look } };
}

function sent<Look>(writes: Writes<Look>, rows: readonly Written[]): Writes<Look> {
  const { sending } = writes;
  if (sending === null) return writes;
  const answers = [...sending.answers, ...rows];
  const isOver = answers.length >= sending.endpointIds.length || !rows.every(letsOthersGo);
  const soFar = { ...sending, answers };
  return isOver || !hasTime(writes)
    ? noteAnswers(writes, soFar)
    : { ...writes, sending: soFar, next: { do: 'hear' } };
}

function noteAnswers<Look>(writes: Writes<Look>, sending: Sending<Look>): Writes<Look> {
  return sending.answers.length === 0
    ? settle(writes, sending)
    : note({ ...writes, sending }, sending.answers);
}

/** What was sent on a look has its answers, and they are written down. */
function settle<Look>(before: Writes<Look>, { endpointIds, answers }: Sending<Look>): Writes<Look> {
  const { repeatsUnknown } = before.rules;
  const isAgain = (row: Written) => mayPass(row) || (row.result === 'unknown' && repeatsUnknown);
  const done = new Set(answers.filter((row) => !isAgain(row)).map(({ endpointId }) => endpointId));
  const due = before.due.filter((endpointId) => !done.has(endpointId));
  const writes = { ...before, due, sending: null, pace: paceAfter(before.pace, answers) };
  const pause = answers.some(isDenied) ? accessWaitMs(writes) : pauseAfter(writes.pace, answers);
  if (pause === 0) return goOn(writes);
  if (pause !== undefined && hasTime(writes, pause)) return wait(writes, pause);
  const isNo = (row: Written) => mayPass(row) || !letsOthersGo(row);
  const { reason = '', message } = answers.findLast(isNo) ?? {};
  const left = endpointIds.filter((endpointId) => !done.has(endpointId));
  return leave(writes, left, { kind: 'not-now', reason, message });
}

/** How long to wait until somebody may be let in again; `undefined`: no longer. */
function accessWaitMs({ rules, begunAt, now }: Writes<unknown>): Ms | undefined {
  return rules.accessWaitMs?.(begunAt, now.at) || undefined;
}

function wait<Look>(writes: Writes<Look>, milliseconds: Ms): Writes<Look> {
  return { ...writes, next: { do: 'wait', milliseconds } };
}

/** An error that is no answer of the service ends the batch. What was sent and not noted stays in doubt. */
function fail<Look>(writes: Writes<Look>, error: unknown): Writes<Look> {
  const answers = writes.sending?.answers ?? [];
  const isSent = new Set(answers.map(({ endpointId }) => endpointId));
  const left = writes.due.filter((endpointId) => !isSent.has(endpointId));
  const rows = writes.next.do === 'note' ? [] : answers;
  return leave({ ...writes, sending: null, due: left, error }, left, INTERRUPTED, rows);
}

/** Leaves these endpoints to the next run. @param rows What is written down with that. */
function leave<Look>(
  writes: Writes<Look>,
  endpointIds: readonly string[],
  hindrance: WhyLeft,
  rows: readonly Written[] = [],
): Writes<Look> {
  const left = new Set(endpointIds);
  const due = writes.due.filter((endpointId) => !left.has(endpointId));
  return note({ ...writes, due }, [...rows, ...leftRows(writes, endpointIds, hindrance)]);
}

/** An intention that is open is taken back. */
function leftRows(
  writes: Writes<unknown>,
  endpointIds: readonly string[],
  hindrance: WhyLeft,
): readonly Written[] {
  const { reason, message } = hindrance;
  return endpointIds.flatMap((endpointId): Written[] => {
    const line = writes.rules.leave(attemptsBefore(writes, endpointId), hindrance);
    if (line !== undefined) return [{ ...line, endpointId }];
    return writes.open.has(endpointId) ? [{ endpointId, result: 'not-sent', reason, message }] : [];
  });
}

function note<Look>(writes: Writes<Look>, rows: readonly Written[]): Writes<Look> {
  const { now, rules } = writes;
  if (rows.length === 0) return noted(writes, []);
  const lines = rows.map(({ endpointId, result, reason, message, retryAfterSeconds }) => ({
    ...now,
    operation: rules.operation,
    endpointId,
    result,
    ...(reason !== undefined && { reason }),
    ...(message !== undefined && { message }),
    ...(retryAfterSeconds && { retryAt: now.at + retryAfterSeconds * 1000 }),
    ...(rules.tryOf && { try: rules.tryOf(attemptsAt(writes, endpointId)) }),
  }));
  return { ...writes, next: { do: 'note', lines } };
}

function noted<Look>(before: Writes<Look>, lines: readonly JournalEntry[]): Writes<Look> {
  const attempts = new Map(before.attempts);
  const open = new Map(before.open);
  const results = new Map(before.results);
  for (const line of lines) {
    const { endpointId, result } = line;
    if (result === 'intended') open.set(endpointId, attemptsAt(before, endpointId));
    else {
      open.delete(endpointId);
      results.set(endpointId, result);
    }
    attempts.set(endpointId, addLine(attempts.get(endpointId), line));
  }
  const writes = { ...before, attempts, open, results };
  const { sending } = writes;
  if (sending === null) return goOn(writes);
  const isBegun = sending.answers.length > 0;
  return isBegun || !hasTime(writes)
    ? settle(writes, sending)
    : { ...writes, next: { do: 'hear' } };
}

const INTERRUPTED: WhyLeft = { kind: 'not-now', reason: 'Interrupted' };

function lineOf(verdict: 'send' | Noted | undefined, isOpen: boolean): Noted | undefined {
  if (verdict === 'send') return isOpen ? undefined : { result: 'intended' };
  return verdict ?? (isOpen ? { result: 'not-sent', reason: 'NotNeeded' } : undefined);
}
