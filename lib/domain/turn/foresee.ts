import type { SteprollError } from '../errors.ts';
import type { Ending } from '../rollout/outcome.ts';

/** When a rollout that is asked for now would begin. Times are milliseconds since the Unix epoch. */
export interface ForeseenBegin {
  /** `null`: it would be refused, or nobody can say until when it waits. */
  readonly at: number | null;
  /** When it would end, if all goes well. `null`: nobody can say. */
  readonly endsAt: number | null;
  /** Why it would not begin at once, in a sentence. `null`: it would. */
  readonly message: string | null;
}

/** What the first condition says that would not let the rollout begin; `go`: all would. */
type First =
  | { readonly decision: 'go' }
  | { readonly decision: 'wait'; readonly until: number | null; readonly of: string | null }
  | { readonly decision: 'refuse'; readonly error: Pick<SteprollError, 'name' | 'message'> }
  | { readonly decision: 'end'; readonly ending: Pick<Ending, 'message'> };

/** When a rollout would begin and end that is asked for at `now`. @param seconds How long it takes; `null`: nobody knows. */
export function foresee(first: First, seconds: number | null, now: number): ForeseenBegin {
  const endOf = (begin: number | null) =>
    begin === null || seconds === null ? null : begin + seconds * 1000;
  switch (first.decision) {
    case 'go':
      return { at: now, endsAt: endOf(now), message: null };
    case 'wait': {
      const { until, of: message } = first;
      return { at: until, endsAt: endOf(until), message };
    }
    case 'refuse':
      return { at: null, endsAt: null, message: `${first.error.name}: ${first.error.message}` };
    case 'end':
      return { at: null, endsAt: null, message: first.ending.message };
    default:
      return first satisfies never;
  }
}
