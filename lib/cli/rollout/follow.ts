import { adviceOnAccess } from '../../adapters/aws/errors.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../../steps/frame/record.ts';
import { SHOWING_UP_MS } from '../engine/engine.ts';
import type { RolloutView } from '../live/view.ts';
import { clockTime } from '../terminal/times.ts';

export interface Following {
  readonly rolloutId: string;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly clock: Clock;
  readonly view: Pick<RolloutView, 'update' | 'note'>;
  /** Milliseconds between two reads while things change; up to `LONGEST_READ_MS` while nothing does. */
  readonly readMs: number;
  /** What is known of a rollout that the ledger does not know; `null`: nothing. */
  readonly describeWaiting: () => Promise<string | null>;
}

const LONGEST_READ_MS = 5_000;
const SLOWDOWN = 1.5;

/** How long nothing may answer until it counts as not known how the rollout went on. */
const PATIENCE_MS = 300_000;

/**
 * Reads a rollout's record until it has an outcome, and shows each one. Answers the last record; without an
 * outcome in it the signal has ended the following, which nothing else but an error does.
 *
 * @throws `RolloutNotFound` when nobody knows the rollout, `LedgerUnavailable` or `AwsUnavailable` when
 *   nothing has answered for 5 minutes or access is refused from the beginning, and what the ledger throws beside those.
 */
export async function followRollout(
  following: Following,
  signal: AbortSignal,
): Promise<AskedRollout | null> {
  const { clock, readMs } = following;
  let known: Known = { record: null, waitMs: readMs, answeredAt: clock.now(), isFirst: true };
  while (!signal.aborted) {
    const answer = await unlessAborted(look(following), signal);
    if (answer === null) break;
    known = takeIn(answer, known, following);
    if (known.record?.outcome) break;
    await clock.sleep(known.waitMs, signal).catch(() => undefined);
  }
  return known.record;
}

interface Known {
  readonly record: AskedRollout | null;
  /** Until the next read. */
  readonly waitMs: number;
  /** The last time that anything answered, in milliseconds since the Unix epoch. */
  readonly answeredAt: number;
  /** Whether nobody has looked yet. */
  readonly isFirst: boolean;
}

function takeIn(answer: Look, before: Known, { clock, view, readMs }: Following): Known {
  const now = clock.now();
  if ('error' in answer) {
    if (now - before.answeredAt >= answer.patienceMs) throw answer.error;
    // Later it may be credentials that ran out and are renewed; now it is a mistake to mend.
    if (before.isFirst && adviceOnAccess(answer.error) !== null) throw answer.error;
    view.note(describeSilence(answer.error, before.answeredAt));
    return { ...before, isFirst: false };
  }
  if ('waits' in answer) {
    view.note(answer.waits);
    return { record: null, waitMs: slower(before.waitMs), answeredAt: now, isFirst: false };
  }
  const isNews = before.record === null || versionOf(answer.record) !== versionOf(before.record);
  const record = isNews ? answer.record : before.record;
  view.note(null);
  if (record !== null) view.update(record);
  const waitMs = isNews ? readMs : slower(before.waitMs);
  return { record, waitMs, answeredAt: now, isFirst: false };
}

function slower(waitMs: number): number {
  return Math.min(waitMs * SLOWDOWN, LONGEST_READ_MS);
}

type Look =
  | { readonly record: AskedRollout }
  | { readonly waits: string }
  | { readonly error: unknown; readonly patienceMs: number };

async function look({ rolloutId, ledger, describeWaiting }: Following): Promise<Look> {
  try {
    const record = await findRecord(rolloutId, ledger);
    if (record !== null) return { record };
    const waits = await describeWaiting();
    return waits === null ? { error: notFound(rolloutId), patienceMs: SHOWING_UP_MS } : { waits };
  } catch (error) {
    // What may pass is waited for.
    if (!SILENCES.has(errorNameOf(error))) throw error;
    return { error, patienceMs: PATIENCE_MS };
  }
}

function notFound(rolloutId: string): SteprollError {
  const message = `The ledger knows no rollout ${JSON.stringify(rolloutId)}.`;
  return new SteprollError(ErrorName.RolloutNotFound, message);
}

const SILENCES: ReadonlySet<string> = new Set([
  ErrorName.LedgerUnavailable,
  ErrorName.AwsUnavailable,
]);

function describeSilence(error: unknown, since: number): string {
  // It is shown in one line.
  const why = errorMessageOf(error).replaceAll(/\s*\n\s*/g, ' ');
  return errorNameOf(error) === ErrorName.RolloutNotFound
    ? `${why} It may show up any moment.`
    : `No news since ${clockTime(since)}, trying again. ${why}`;
}

/** The one thing that may differ between two records of a rollout is that something was added. */
function versionOf(record: AskedRollout): string {
  const { epoch, plan, rollback, progress, journal, signals, events, outcome } = record;
  const { readAt, looks, wave, bakedMs, unreadableMs } = progress ?? {};
  const counts = [epoch, journal.length, signals.length, events.length];
  const parts = [plan !== null, rollback !== null, outcome !== null];
  return JSON.stringify([counts, parts, readAt, looks, wave, bakedMs, unreadableMs]);
}

/** `null` when the signal comes first: what is under way may take long, and is of no use any more. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(null);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
