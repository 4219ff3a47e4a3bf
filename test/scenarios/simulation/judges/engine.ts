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

/** An execution looks no more beyond a limit, and hands over only when it comes near one. */
export function handsOverInTime(ordeal: Ordeal, { executions }: Observed): string[] {
  // What a step adds that is run again or got lost is not counted, and a clock that is wrong cannot tell an age.
  if (!isSteady(ordeal)) return [];
  const { executionEvents, executionSeconds } = ordeal;
  return executions.flatMap(({ states, runs }, index) => {
    const [first] = runs;
    const last = runs.findLast(isLook);
    const looks = states.slice(0, states.lastIndexOf('Look') + 1);
    // Its first look may be later: it took over the wait before that.
    const isLate =
      runs.filter(isLook).length > 1 &&
      (LEAST_EVENTS * looks.length > executionEvents ||
        secondsBetween(first, last) > executionSeconds + LATE_SECONDS);
    const [opening] = executions[index + 1]?.runs ?? [];
    const hasHandedOver = states.includes(HAND_OVER) && opening !== undefined;
    const age = secondsBetween(first, opening) + meantSeconds(opening);
    const isYoung = MOST_EVENTS * (states.length + STATES_OF_A_LOOK) < executionEvents;
    return [
      ...(isLate ? ['an execution looked again beyond a limit'] : []),
      ...(hasHandedOver && isYoung && age <= executionSeconds
        ? [`an execution handed over after ${states.length} states and ${age} s`]
        : []),
    ];
  });
}

/** How long the wait is that it was handed over with. Who listens may wait for less of it. */
function meantSeconds(opening: StepRun | undefined): number {
  return JSON.parse(opening?.payload ?? '{}').input?.position?.waitSeconds ?? 0;
}

/** Writes and tries may take so long after the wait before a look. */
const LATE_SECONDS = 300;

/** A state is entered and left, and one that runs a step has up to seven events. */
const LEAST_EVENTS = 2;
const MOST_EVENTS = 7;

/** What may come until the end of the next look, with a batch for each endpoint. */
const STATES_OF_A_LOOK = 40;

const HAND_OVER = 'Hand over';

export function isLook({ state }: StepRun): boolean {
  return state === 'Look';
}

function secondsBetween(from: StepRun | undefined, to: StepRun | undefined): number {
  return from === undefined || to === undefined ? 0 : (to.begunAt - from.begunAt) / 1000;
}

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
