import { ErrorName } from '../../../lib/domain/errors.ts';
import { type Ordeal, wasLeft } from './ordeal.ts';
import type { Observed } from './to-script.ts';
import type { StepRun, WatchedExecution } from './watch-engine.ts';

// What the history of its executions shows of a rollout: which step is run after one that failed, and how they end.

/** A step fails with an error that has a name, or with the one that it died of. Any other error is a mistake in it. */
export function noneStumbles({ death }: Ordeal, { executions }: Observed): string[] {
  const failed = executions.flatMap(({ runs }) => runs.filter(({ error }) => error !== null));
  const stumbled = failed.find(
    ({ error }) => !NAMES.has(error?.name ?? '') && error?.name !== death?.error,
  );
  return stumbled === undefined ? [] : [`${stumbled.state} stumbled: ${stumbled.error?.message}`];
}

const NAMES: ReadonlySet<string> = new Set(Object.values(ErrorName));

/** An execution ends long before the limit of its history: it hands over to the next one. */
export function executionsAreShort(
  { executionEvents }: Ordeal,
  { executions }: Observed,
): string[] {
  const looks = executions.map(({ states }) => states.filter((state) => LOOKS.has(state)).length);
  const most = Math.max(0, ...looks);
  const daysOf = ({ runs }: WatchedExecution) =>
    ((runs.at(-1)?.begunAt ?? 0) - (runs[0]?.begunAt ?? 0)) / A_DAY_MS;
  const longest = Math.max(0, ...executions.map(daysOf));
  const hasty = executions.find(
    (execution) =>
      execution.states.at(-1) === HANDED_OVER &&
      daysOf(execution) < MOST_DAYS - 1 &&
      MOST_EVENTS_OF_STATE * (execution.states.length + 1) < executionEvents,
  );
  return [
    ...(most > executionEvents / EVENTS_OF_LOOK + 2
      ? [`an execution had ${most} looks, and ${executionEvents} events were allowed`]
      : []),
    ...(longest > MOST_DAYS ? [`an execution took ${longest} days`] : []),
    ...(hasty === undefined ? [] : [`it was handed over after ${hasty.states.length} states`]),
  ];
}

const A_DAY_MS = 24 * 3_600_000;
const MOST_DAYS = 10;

const HANDED_OVER = 'Handed over';

/** A batch of a map, and every other state has fewer. */
const MOST_EVENTS_OF_STATE = 7;

/** A wait, a step and a choice. */
const EVENTS_OF_LOOK = 9;

const LOOKS: ReadonlySet<string> = new Set(['Check wave', 'Verify wave']);

/** Whoever looks only at the last execution sees whether the rollout has succeeded. */
export function failedIsFailed(ordeal: Ordeal, { executions, outcome }: Observed): string[] {
  const status = executions.at(-1)?.status;
  const isRight = (status === 'SUCCEEDED') === (outcome.outcome === 'Succeeded');
  return wasLeft(ordeal) || isRight
    ? []
    : [`it ended as ${outcome.outcome}, and its execution as ${status}`];
}

/** What may pass is tried again at once. */
export function passingIsTriedAgain(_: Ordeal, { executions }: Observed): string[] {
  return failuresIn(executions).flatMap(({ failed, rest }) => {
    if (!mayPass(failed)) return [];
    const again = rest.find((run) => isSame(run, failed));
    const waitedMs = (again?.begunAt ?? Number.POSITIVE_INFINITY) - (failed.endedAt ?? 0);
    return waitedMs <= LONGEST_WAIT_MS
      ? []
      : [`${failed.state} was not run again after ${failed.error?.name}`];
  });
}

/** What would come again is not. */
export function lastingIsLeft(_: Ordeal, { executions }: Observed): string[] {
  return failuresIn(executions).flatMap(({ failed, rest }) => {
    if (mayPass(failed)) return [];
    const { state, error } = failed;
    if (isBatch(failed)) {
      const ofThisMap = rest.slice(0, rest.findIndex((run) => run.state !== state) >>> 0);
      const isAgain = ofThisMap.some((run) => isSame(run, failed));
      return isAgain ? [`a batch was run again after ${error?.name}: ${state}`] : [];
    }
    const [next] = rest;
    const isOver = state === CLOSE ? next === undefined : isCloseAt(next, failed.endedAt);
    return isOver ? [] : [`${next?.state} came after ${state}, which failed with ${error?.name}`];
  });
}

interface Failure {
  readonly failed: StepRun;
  /** The runs that began after it. */
  readonly rest: readonly StepRun[];
}

/** Those of a process that went on. */
function failuresIn(executions: readonly WatchedExecution[]): Failure[] {
  return executions
    .filter(({ runs }) => runs.every(({ error }) => error?.name !== 'Killed'))
    .flatMap(({ runs }) =>
      runs.flatMap((failed, index) =>
        failed.error === null ? [] : [{ failed, rest: runs.slice(index + 1) }],
      ),
    );
}

const CLOSE = 'Close rollout';
const BATCHES: ReadonlySet<string> = new Set(['Roll batch', 'Stop batch']);

/** The longest wait before the first of several tries. */
const LONGEST_WAIT_MS = 2000;

/** Errors of the ledger and of Lambda itself. */
const NOTHING_WRITTEN: ReadonlySet<string> = new Set([
  'LedgerUnavailable',
  'Lambda.ServiceException',
]);

function mayPass(failed: StepRun): boolean {
  const name = failed.error?.name ?? '';
  return NOTHING_WRITTEN.has(name) || (!isBatch(failed) && !NAMES.has(name));
}

function isBatch({ state }: StepRun): boolean {
  return BATCHES.has(state);
}

function isSame(one: StepRun, other: StepRun): boolean {
  return one.state === other.state && one.payload === other.payload;
}

function isCloseAt(run: StepRun | undefined, at: number | null): boolean {
  return run?.state === CLOSE && run.begunAt === at;
}
