import type { Moment } from '../../domain/clock.ts';
import { type Attempts, addLine, attemptsOf, NO_ATTEMPTS } from '../../domain/endpoint/attempts.ts';
import type { WriteOperation, WriteResult } from '../../domain/endpoint/journal.ts';
import { isNoAccess, meaningOf } from '../../domain/error-meanings.ts';
import { errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { isPausedOn } from '../../domain/holds/what-holds.ts';
import type { Signal } from '../../domain/rollout/record.ts';
import { countsUnderPause } from '../../domain/signals/signals.ts';
import type { WritePorts } from './ports.ts';
import { signalsThatCount } from './record.ts';
import { isFresh, keepLease, type TakenUp } from './take-up.ts';
import { HANDFUL, writeOne } from './write-each.ts';

/** What a line of the journal says, before it has its time, its operation and its endpoint. */
export interface Noted {
  readonly result: WriteResult;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** Why endpoints are left without a write. `called-off` names the reason of the `calledOff` below. */
export interface WhyLeft {
  readonly kind: 'called-off' | 'unreadable' | 'not-now';
  readonly reason: string;
  readonly message?: string | undefined;
}

export interface Known<Look> {
  readonly look: Look;
  /** When the look was complete. */
  readonly at: Moment;
  readonly signals: readonly Signal[];
  /** The attempts at every endpoint that has a line in the journal. */
  readonly all: ReadonlyMap<string, Attempts>;
}

/** What one kind of write is, besides the loop. */
export interface Writing<Look> {
  readonly operation: WriteOperation;
  /** Ids of the endpoints that may need the write, in the order in which they are looked at. */
  readonly endpointIds: readonly string[];
  /** For how many endpoints one look decides. */
  readonly endpointsPerLook: number;
  /** Milliseconds in which writes begin. The rest is left. */
  readonly longestMs: number;
  look(): Promise<Look>;
  /** Whether the write is sent; if not, a line to note, or `undefined` when there is nothing to do. */
  decide(endpointId: string, attempts: Attempts, known: Known<Look>): 'send' | Noted | undefined;
  /** Why nothing of this kind is sent any more, or under a pause; `undefined` while it may be sent. */
  calledOff(signals: readonly Signal[], isPaused: boolean): string | undefined;
  /** The line for an endpoint that is left without a write; `undefined`: none. */
  leave(attempts: Attempts, hindrance: WhyLeft): Noted | undefined;
  /** Sends the write, once. Answers the reason of an accepted one whose answer says more than a yes. */
  send(endpointId: string, attempts: Attempts, look: Look): Promise<string | undefined>;
  /** A stable name of what went wrong. @default - the name of the error */
  readonly reasonOf?: (error: unknown) => string;
  /** Whether a write without an answer is sent again in this run, if the next look still asks for it. */
  readonly repeatsUnknown: boolean;
  /**
   * Milliseconds to wait for the next look while nobody is let in; 0: no longer.
   *
   * @param begunAt When the run began, in milliseconds since the Unix epoch.
   * @default - nothing waits here, because the workflow does
   */
  readonly accessWaitMs?: (begunAt: number, now: number) => number;
  /** The number of the try, of a service that repeats writes. @default - it does not repeat them */
  tryOf?: ((attempts: Attempts) => number) | undefined;
}

/** A longer wait is left to the workflow, which waits without a running process. */
const LONGEST_PAUSE_MS = 20_000;
const FIRST_PAUSE_MS = 1_000;
/** After so many pauses in which nothing was accepted, the rest is left. */
const MOST_PAUSES = 3;

/**
 * The only way to write to an endpoint: look, decide, write down the intention, prove the lease, read the signals,
 * send once, write down the answer. Whatever was not accepted is sent again only by the same way, from a new look on.
 * One look serves many endpoints, as long as it is fresh. After a refusal that may pass, the loop waits for what the
 * service asks, up to 20 s, and then sends fewer at once.
 *
 * @throws `LeaseLost`, errors of the ledger, and the error of the look when nothing could be looked at.
 */
export async function attemptWrites<Look>(
  writing: Writing<Look>,
  { lease, record, plan, now }: TakenUp,
  ports: WritePorts,
): Promise<BatchSummary> {
  const { ledger, clock, signal } = ports;
  const { operation, longestMs } = writing;
  const begunAt = clock.now();
  const keep = keepLease(lease, begunAt, ports);
  const attempts = new Map<string, Attempts>(attemptsOf(record.journal, operation));
  /** The endpoints whose intention is written down and not sent yet, with their attempts before it. */
  const open = new Map<string, Attempts>();
  const results = new Map<string, WriteResult>();
  let due = writing.endpointIds;
  let { signals, isPaused = false } = record;
  let handful = HANDFUL;
  let pauses = 0;

  const attemptsAt = (endpointId: string) => attempts.get(endpointId) ?? NO_ATTEMPTS;
  const hasTime = (ms = 0) => !signal?.aborted && clock.now() - begunAt + ms < longestMs;

  const callOff = () => writing.calledOff(signals, isPaused);

  async function hear(): Promise<void> {
    const heard = await ledger.hear(lease);
    const counted = await signalsThatCount(heard.signals, ports);
    isPaused = isPausedOn(plan, record.request, heard.holds, clock.now());
    signals = isPaused ? counted.filter(countsUnderPause) : counted;
  }

  async function note(rows: readonly Row[]): Promise<void> {
    if (rows.length === 0) return;
    const noted = now();
    const lines = rows.map(({ endpointId, result, reason, message, retryAfterSeconds }) => ({
      ...noted,
      operation,
      endpointId,
      result,
      ...(reason !== undefined && { reason }),
      ...(message !== undefined && { message }),
      ...(retryAfterSeconds && { retryAt: noted.at + retryAfterSeconds * 1000 }),
      ...(writing.tryOf && { try: writing.tryOf(attemptsAt(endpointId)) }),
    }));
    await ledger.append(lease, lines);
    for (const line of lines) {
      const { endpointId, result } = line;
      if (result === 'intended') open.set(endpointId, attemptsAt(endpointId));
      else {
        open.delete(endpointId);
        results.set(endpointId, result);
      }
      attempts.set(endpointId, addLine(attempts.get(endpointId), line));
    }
  }

  /** Leaves these endpoints to the next run. An intention that is open is taken back. */
  async function leave(endpointIds: readonly string[], hindrance: WhyLeft): Promise<void> {
    const { reason, message } = hindrance;
    const rows = endpointIds.flatMap((endpointId): Row[] => {
      const line = writing.leave(open.get(endpointId) ?? attemptsAt(endpointId), hindrance);
      if (line !== undefined) return [{ ...line, endpointId }];
      return open.has(endpointId) ? [{ endpointId, result: 'not-sent', reason, message }] : [];
    });
    const left = new Set(endpointIds);
    due = due.filter((endpointId) => !left.has(endpointId));
    await note(rows);
  }

  /** Decides on a look, and writes down what follows. Answers the endpoints to write to, if that is allowed. */
  async function decideAll(
    endpointIds: readonly string[],
    known: Known<Look>,
    mayWrite: boolean,
  ): Promise<string[]> {
    const toSend: string[] = [];
    const rows: Row[] = [];
    for (const endpointId of endpointIds) {
      const before = open.get(endpointId) ?? attemptsAt(endpointId);
      const verdict = writing.decide(endpointId, before, known);
      if (verdict === 'send') toSend.push(endpointId);
      if (verdict === 'send' && !mayWrite) continue;
      const line = lineOf(verdict, open.has(endpointId));
      if (line !== undefined) rows.push({ ...line, endpointId });
    }
    const sending = new Set(toSend);
    const decided = new Set(endpointIds);
    due = due.filter((endpointId) => !decided.has(endpointId) || sending.has(endpointId));
    await note(rows);
    return toSend;
  }

  /** Sends what was decided on a look, while the look is fresh, and adds what became of it to the rows. */
  async function sendAll(
    endpointIds: readonly string[],
    { look, at: lookedAt }: Known<Look>,
    rows: Row[],
  ): Promise<void> {
    for (let from = 0; from < endpointIds.length && hasTime(); from += handful) {
      const ids = endpointIds.slice(from, from + handful);
      const checkedAt = clock.now();
      await keep();
      await hear();
      if (callOff() !== undefined) break;
      const now = clock.now();
      // The ledger took its time, or the process stood still, so nothing of this may be true any more.
      if (!isFresh(lookedAt.at, now) || !isFresh(checkedAt, now)) break;
      const written = await Promise.all(
        ids.map((id) =>
          writeOne(id, () => writing.send(id, attemptsAt(id), look), writing.reasonOf),
        ),
      );
      rows.push(...written);
      if (written.some(({ reason = '' }) => meaningOf(reason).others !== 'go')) break;
    }
  }

  /** How long to wait before the next look after these answers; `undefined`: nothing more is to be tried now. */
  function pauseAfter(rows: readonly Row[]): number | undefined {
    if (rows.some(({ reason = '' }) => isNoAccess(reason))) return undefined;
    const refused = rows.filter(({ result, reason = '' }) => mayPass(result, reason));
    if (refused.length === 0) {
      handful = Math.min(HANDFUL, handful + 1);
      return rows.every(({ reason = '' }) => meaningOf(reason).others === 'go') ? 0 : undefined;
    }
    handful = Math.max(1, Math.floor(handful / 2));
    pauses = rows.some(({ result }) => result === 'accepted') ? 1 : pauses + 1;
    const asked = Math.max(...refused.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds * 1000));
    const pause = Math.max(asked, FIRST_PAUSE_MS * 2 ** (pauses - 1));
    return pauses <= MOST_PAUSES && pause <= LONGEST_PAUSE_MS && hasTime(pause) ? pause : undefined;
  }

  /** Whether the run has waited because nobody is let in now. */
  async function waitForAccess(): Promise<boolean> {
    const milliseconds = writing.accessWaitMs?.(begunAt, clock.now()) ?? 0;
    if (milliseconds === 0 || !hasTime(milliseconds)) return false;
    await clock.sleep(milliseconds, signal).catch(() => undefined);
    await keep();
    return true;
  }

  async function goOnAfter(rows: readonly Row[], chosen: readonly string[]): Promise<void> {
    const isAgain = ({ result, reason = '' }: Row) =>
      mayPass(result, reason) || (result === 'unknown' && writing.repeatsUnknown);
    const done = new Set(rows.filter((row) => !isAgain(row)).map(({ endpointId }) => endpointId));
    due = due.filter((endpointId) => !done.has(endpointId));
    if (rows.some(({ reason = '' }) => isNoAccess(reason)) && (await waitForAccess())) return;
    const pause = pauseAfter(rows);
    if (pause === undefined) {
      const { reason = '', message } = rows.findLast(isNo) ?? {};
      const isChosen = new Set(chosen);
      const left = due.filter((endpointId) => isChosen.has(endpointId));
      await leave(left, { kind: 'not-now', reason, message });
    } else if (pause > 0 && due.length > 0) {
      // It rejects only when the run is interrupted, and then nothing more is sent.
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }

  /** Looks for these endpoints. `undefined`: the look failed, and they are left or wait. */
  async function tryToLook(chosen: readonly string[]): Promise<Known<Look> | undefined> {
    try {
      const look = await writing.look();
      return { look, at: now(), signals, all: attempts };
    } catch (error) {
      const reason = errorNameOf(error);
      if (isNoAccess(reason) && (await waitForAccess())) return undefined;
      await leave(chosen, { kind: 'unreadable', reason, message: errorMessageOf(error) });
      if (results.size === 0) throw error;
      return undefined;
    }
  }

  async function round(isFirst: boolean): Promise<void> {
    if (!isFirst) await hear();
    const reason = callOff();
    const chosen = due.slice(0, writing.endpointsPerLook);
    // What has just had no answer is looked for also when nothing more is sent.
    const isUnanswered = chosen.some((endpointId) => results.get(endpointId) === 'unknown');
    if (reason !== undefined && !isUnanswered) return leave(due, { kind: 'called-off', reason });
    const known = await tryToLook(chosen);
    const toSend = known === undefined ? [] : await decideAll(chosen, known, reason === undefined);
    if (reason !== undefined) return leave(due, { kind: 'called-off', reason });
    if (known === undefined || toSend.length === 0) return;
    const rows: Row[] = [];
    try {
      await sendAll(toSend, known, rows);
    } finally {
      await note(rows);
    }
    await goOnAfter(rows, toSend);
  }

  try {
    for (let isFirst = true; due.length > 0 && hasTime(); isFirst = false) await round(isFirst);
  } finally {
    await leave(due, { kind: 'not-now', reason: 'Interrupted' });
  }
  return countResults([...results.values()]);
}

interface Row extends Noted {
  readonly endpointId: string;
  readonly retryAfterSeconds?: number;
}

function lineOf(verdict: 'send' | Noted | undefined, isOpen: boolean): Noted | undefined {
  if (verdict === 'send') return isOpen ? undefined : { result: 'intended' };
  return verdict ?? (isOpen ? { result: 'not-sent', reason: 'NotNeeded' } : undefined);
}

/** The write was not carried out, and may be accepted soon. */
function mayPass(result: WriteResult, reason: string): boolean {
  return result === 'rejected' && meaningOf(reason).roll === 'again';
}

function isNo({ reason = '' }: Row): boolean {
  return meaningOf(reason).others !== 'go' || meaningOf(reason).roll === 'again';
}

/** How many endpoints of a batch were left with each result. The single lines are in the journal. */
export type BatchSummary = Readonly<Partial<Record<WriteResult, number>>>;

function countResults(results: readonly WriteResult[]): BatchSummary {
  const counts: Partial<Record<WriteResult, number>> = {};
  for (const result of results) counts[result] = (counts[result] ?? 0) + 1;
  return counts;
}
