import { adviceOnAccess } from '../../adapters/aws/aws-errors.ts';
import { ErrorName, errorMessageOf, errorNameOf } from '../../domain/errors.ts';
import { clockTime } from '../../domain/local-time.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { rolloutNotFound } from '../../ledger/refusals.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { readChildren } from '../../steps/group/children.ts';
import { findRecord } from '../../steps/io/record.ts';
import { quietSince } from '../../telling/story/quiet.ts';
import { type Engine, SHOWING_UP_MS } from '../engine/engine.ts';
import { answerTo } from '../invocation/exit-code.ts';
import type { LiveView } from '../live/view.ts';

/** Without `isAbandoned` it runs in this process, and without `describeExecution` no execution is asked for. */
export interface Following
  extends Pick<Engine, 'describeWaiting'>,
    Partial<Pick<Engine, 'describeExecution' | 'isAbandoned'>> {
  readonly rolloutId: string;
  readonly ledger: Pick<Ledger, 'read'>;
  readonly clock: Clock;
  readonly view: Pick<LiveView, 'update' | 'note'>;
  /** Milliseconds between two reads while things change; while nothing changes, up to `LONGEST_READ_MS`. */
  readonly readMs: number;
  /** Milliseconds to wait for a rollout whose process seems to be dead: another may take it up. @default - for ever */
  readonly abandonedMs?: number;
}

const LONGEST_READ_MS = 5_000;
const SLOWDOWN = 1.5;

/** After so long without an answer, the state of the rollout counts as unknown. */
const PATIENCE_MS = 300_000;

/**
 * Reads the record of a rollout until it has an outcome, and shows each record, with a group those of its runtimes. Answers the last record. If that has
 * no outcome, the signal has ended the following, or the rollout seemed to be dead for `abandonedMs`.
 *
 * @throws `RolloutNotFound` when nobody knows the rollout, `LedgerUnavailable` or `AwsUnavailable` when nothing has
 *   answered for 5 minutes or access is refused from the beginning, and other errors of the ledger.
 */
export async function followRollout(
  following: Following,
  signal: AbortSignal,
): Promise<AskedRollout | null> {
  const { clock, readMs, abandonedMs = Number.POSITIVE_INFINITY } = following;
  const now = clock.now();
  const readEach = childrenReader(following.ledger);
  let known: Known = {
    record: null,
    children: [],
    waitMs: readMs,
    answeredAt: now,
    aliveAt: now,
    isFirst: true,
  };
  while (!signal.aborted) {
    const answer = await unlessAborted(look(following, readEach), signal);
    if (answer === null) break;
    known = takeIn(answer, known, following);
    if (known.record?.outcome || known.answeredAt - known.aliveAt >= abandonedMs) break;
    await clock.sleep(known.waitMs, signal).catch(() => undefined);
  }
  return known.record;
}

interface Known {
  readonly record: AskedRollout | null;
  readonly children: readonly AskedRollout[];
  /** Milliseconds until the next read. */
  readonly waitMs: number;
  /** When anything last answered, in milliseconds since the Unix epoch. */
  readonly answeredAt: number;
  /** When the rollout last did not seem to be dead, in milliseconds since the Unix epoch. */
  readonly aliveAt: number;
  readonly isFirst: boolean;
}

function takeIn(answer: Sighting, before: Known, { clock, view, readMs }: Following): Known {
  const now = clock.now();
  if ('error' in answer) {
    if (now - before.answeredAt >= answer.patienceMs) throw answer.error;
    // Later this may be credentials that expired and are renewed. At the first look it is a mistake that a person has
    // to correct.
    if (before.isFirst && adviceOnAccess(answer.error) !== null) throw answer.error;
    const silence = describeSilence(answer.error, before.answeredAt);
    view.note([silence, answer.execution].join(' ').trim());
    return { ...before, isFirst: false };
  }
  if ('waits' in answer) {
    view.note(answer.waits);
    const waitMs = slower(before.waitMs);
    return { ...before, record: null, waitMs, answeredAt: now, aliveAt: now, isFirst: false };
  }
  const { children, isAbandoned, execution } = answer;
  const isSame = before.record !== null && versionOf(answer.record) === versionOf(before.record);
  const record = isSame ? before.record : answer.record;
  const isNews =
    !isSame || children.map(versionOf).join() !== before.children.map(versionOf).join();
  view.note(execution);
  view.update(record, isAbandoned, children);
  const waitMs = isNews ? readMs : slower(before.waitMs);
  const aliveAt = isAbandoned ? before.aliveAt : now;
  return { record, children, waitMs, answeredAt: now, aliveAt, isFirst: false };
}

function slower(waitMs: number): number {
  return Math.min(waitMs * SLOWDOWN, LONGEST_READ_MS);
}

type Sighting =
  | {
      readonly record: AskedRollout;
      readonly children: readonly AskedRollout[];
      readonly isAbandoned: boolean;
      /** How its execution stands of which nothing was heard for too long. */
      readonly execution: string | null;
    }
  | { readonly waits: string }
  | { readonly error: unknown; readonly patienceMs: number; readonly execution: string | null };

async function look(following: Following, readEach: ReadChildren): Promise<Sighting> {
  const { rolloutId, ledger, clock } = following;
  const readExecution = async () => {
    const said = await following.describeExecution?.(rolloutId).catch(() => null);
    return said ? oneLine(said) : null;
  };
  try {
    const record = await findRecord(rolloutId, ledger);
    if (record !== null) {
      const isAbandoned = (await following.isAbandoned?.(rolloutId)) ?? false;
      const execution = quietSince(record, clock.now()) === null ? null : await readExecution();
      return { record, children: await readEach(record), isAbandoned, execution };
    }
    const waits = await following.describeWaiting(rolloutId);
    return waits === null
      ? { error: rolloutNotFound(rolloutId), patienceMs: SHOWING_UP_MS, execution: null }
      : { waits };
  } catch (error) {
    // Errors that may pass are waited for.
    if (!answerTo(errorNameOf(error)).isSilence) throw error;
    return { error, patienceMs: PATIENCE_MS, execution: await readExecution() };
  }
}

type ReadChildren = (record: AskedRollout) => Promise<readonly AskedRollout[]>;

/** Reads the rollouts of a group's runtimes, and those that have ended only once. */
function childrenReader(ledger: Following['ledger']): ReadChildren {
  const ended = new Map<string, AskedRollout>();
  const read = async (rolloutId: string) => {
    const child = ended.get(rolloutId) ?? (await ledger.read(rolloutId));
    if (child.outcome !== null) ended.set(rolloutId, child);
    return child;
  };
  return (record) => readChildren(record, { read });
}

/** A note is shown in one line. */
function oneLine(text: string): string {
  return text.replaceAll(/\s*\n\s*/g, ' ');
}

function describeSilence(error: unknown, since: number): string {
  const why = oneLine(errorMessageOf(error));
  return errorNameOf(error) === ErrorName.RolloutNotFound
    ? `${why} It may show up any moment.`
    : `No news since ${clockTime(since)}, trying again. ${why}`;
}

/** A text that changes with all that people see: waits may change, and else something is added, so counts do. */
export function versionOf(record: AskedRollout): string {
  const { epoch, plan, rollback, progress, journal, signals, events, outcome, wait } = record;
  const { readAt, looks, wave, bakedMs, heard } = progress ?? {};
  const counts = [epoch, journal.length, signals.length, events.length];
  const parts = [plan !== null, rollback !== null, outcome !== null];
  return JSON.stringify([counts, parts, readAt, looks, wave, bakedMs, heard, wait]);
}

/** Answers `null` when the signal comes first: the work may take long, and nobody needs it any more. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | null> {
  return new Promise((resolve, reject) => {
    const leave = () => resolve(null);
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
