import { ErrorName } from '../../../../lib/domain/errors.ts';
import { isSteady, type Ordeal, wasLeft } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import type { StepRun, WatchedExecution } from '../watch-engine.ts';

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

/** An execution ends long before the limits of its history and its age: it hands over to the next one. */
export function executionsAreShort(ordeal: Ordeal, { executions }: Observed): string[] {
  const { executionEvents, executionSeconds } = ordeal;
  return executions.flatMap(({ states, runs }) => {
    const looks = states.filter((state) => LOOKS.has(state)).length;
    // Its first wait may be longer: it took that over.
    const seconds = secondsBetween(runs[0], runs.filter(isLook).slice(1).at(-1));
    return [
      ...(looks > executionEvents / EVENTS_OF_LOOK + 2
        ? [`an execution had ${looks} looks, and ${executionEvents} events were allowed`]
        : []),
      ...(isSteady(ordeal) && seconds > executionSeconds + LATE_SECONDS
        ? [`an execution looked after ${seconds} s, and ${executionSeconds} s were allowed`]
        : []),
    ];
  });
}

/** Writes and tries may take so long after the wait before a look. */
const LATE_SECONDS = 300;

/** It does not hand over before the next look would go beyond a limit. */
export function handsOverLate(ordeal: Ordeal, { executions }: Observed): string[] {
  const { executionEvents, executionSeconds, clock } = ordeal;
  return executions.flatMap(({ states, runs }, index) => {
    const ahead = executions[index + 1]?.runs ?? [];
    const next = ahead.find(isLook);
    if (!states.includes('Hand over') || next === undefined || clock !== null) return [];
    const eventsAhead = EVENTS_OF_MAP + ahead.indexOf(next) * EVENTS_OF_BATCH + EVENTS_OF_LOOK;
    const events = runs.length * MOST_EVENTS + eventsAhead;
    const seconds = secondsBetween(runs[0], next);
    return events <= executionEvents && seconds <= executionSeconds
      ? [`an execution handed over, with ${events} events and ${seconds} s at the next look`]
      : [];
  });
}

/** A step has no more with all that is around it, and a batch with its Map. */
const MOST_EVENTS = 11;

const EVENTS_OF_MAP = 4;
const EVENTS_OF_BATCH = 7;

function isLook({ state }: StepRun): boolean {
  return LOOKS.has(state);
}

function secondsBetween(from: StepRun | undefined, to: StepRun | undefined): number {
  return from === undefined || to === undefined ? 0 : (to.begunAt - from.begunAt) / 1000;
}

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
    const wrong = isOver ? rest.find((run) => run.state !== CLOSE) : next;
    return isOver && wrong === undefined
      ? []
      : [`${wrong?.state} came after ${state}, which failed with ${error?.name}`];
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
