import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import { type Call, isList } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import type { Course, Next } from './next.ts';

/** A run that is followed call by call. */
export interface Walk {
  readonly run: ScenarioResult;
  /** It says how many endpoints there were, also on the way back. */
  readonly forward: RolloutPlan;
  /** From then on somebody has said something. */
  readonly until: number;
  /** Of each call of the service. */
  readonly latencyMs: number;
  /** The answer to a roll may not show its target. On the way back that leaves it open whether it has arrived. */
  readonly isMute: boolean;
}

/** Where the rollout is: `next` has to come after the look at `course.at`, and its first call is `place`. */
export interface Stand {
  readonly course: Course;
  readonly next: Next;
  readonly place: number;
}

export interface Verdict {
  readonly wrong: string[];
}

/** Nobody can say more. */
export const UNFORESEEN: Verdict = { wrong: [] };

/** What follows a list that nobody could read is not foreseen. */
export function isUnread(call: Call | undefined): boolean {
  return call !== undefined && isList(call) && call.endpoints === null;
}
