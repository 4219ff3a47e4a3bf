import { allowOnly, compileResultPath } from './paths.ts';

/** What follows an error of a state. `null`: the execution fails. */
export type AfterError =
  | { readonly waitMs: number }
  | { readonly next: string; readonly output: unknown }
  | null;

/** What Retry and Catch of one state say, each time that the state is entered. */
export type ErrorRules = () => (error: Error, input: unknown, random: () => number) => AfterError;

/** @param isTask Only a Task can fail with `States.TaskFailed`. */
export function compileErrorRules(retry: unknown, caught: unknown, isTask: boolean): ErrorRules {
  const retriers = (retry as readonly Retrier[]).map(checkRetrier);
  const catchers = (caught as readonly Catcher[]).map(compileCatcher);
  const isMeant = (name: string) => (names: { readonly ErrorEquals: readonly string[] }) =>
    matches(names.ErrorEquals, name, isTask);
  return () => {
    const attempts = new Map<Retrier, number>();
    return ({ name, message }, input, random) => {
      const retrier = retriers.find(isMeant(name));
      const tried = retrier === undefined ? 0 : (attempts.get(retrier) ?? 0);
      if (retrier !== undefined && tried < retrier.MaxAttempts) {
        attempts.set(retrier, tried + 1);
        return { waitMs: waitBefore(retrier, tried, random) };
      }
      const catcher = catchers.find(isMeant(name));
      if (catcher === undefined) return null;
      return {
        next: catcher.Next,
        output: catcher.resultOf(input, { Error: name, Cause: message }),
      };
    };
  };
}

/** Without attempts the other fields say nothing. */
interface Retrier {
  readonly ErrorEquals: readonly string[];
  readonly MaxAttempts: number;
  readonly IntervalSeconds?: number;
  readonly BackoffRate?: number;
  readonly MaxDelaySeconds?: number;
  readonly JitterStrategy?: 'FULL';
}

const SPREAD = ['IntervalSeconds', 'BackoffRate', 'MaxDelaySeconds', 'JitterStrategy'];

function checkRetrier(retrier: Retrier): Retrier {
  allowOnly(['ErrorEquals', 'MaxAttempts', ...SPREAD], retrier);
  const isComplete = SPREAD.every((field) => field in retrier) && retrier.JitterStrategy === 'FULL';
  if (retrier.MaxAttempts !== 0 && !isComplete) throw new Error('A retry needs all of its fields');
  return retrier;
}

/** A whole number of milliseconds: all waits up to the longest one are equally likely. */
function waitBefore(
  { IntervalSeconds = 0, BackoffRate = 1, MaxDelaySeconds = 0 }: Retrier,
  tried: number,
  random: () => number,
): number {
  const longest = Math.min(IntervalSeconds * BackoffRate ** tried, MaxDelaySeconds) * 1000;
  return Math.floor(random() * (longest + 1));
}

interface Catcher {
  readonly ErrorEquals: readonly string[];
  readonly ResultPath: string | null;
  readonly Next: string;
}

function compileCatcher(catcher: Catcher) {
  allowOnly(['ErrorEquals', 'ResultPath', 'Next'], catcher);
  return { ...catcher, resultOf: compileResultPath(catcher.ResultPath) };
}

function matches(names: readonly string[], name: string, isTask: boolean): boolean {
  return names.some(
    (one) =>
      one === name ||
      one === 'States.ALL' ||
      (one === 'States.TaskFailed' && isTask && name !== 'States.Timeout'),
  );
}
