import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import type { ListCall } from '../../../../lib/rehearsal/calls.ts';
import type { ListFault, WriteFault } from '../../../../lib/rehearsal/faults.ts';
import { isWhole } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import type { Act } from '../ordeal.ts';
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
  /** The service carries out all rolls with the same token only once. */
  readonly repeatsRolls: boolean;
  readonly lists: readonly ListFault[];
  readonly writes: readonly WriteFault[];
  readonly people: readonly Act[];
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

/** A list that nobody could read, or that lacks most of the fleet, proves nothing. */
export function provesNothing({ forward }: Walk, call: ListCall): boolean {
  return call.endpoints === null || !isWhole(call, { plan: forward });
}

/** Why a list could not be read. */
export function faultAt({ lists }: Walk, at: number): string {
  const second = (at - START) / 1000;
  const met = lists.find(({ fromSecond, seconds }) => {
    return second >= fromSecond && second < fromSecond + seconds;
  });
  // Otherwise the service does answer, with a list that lacks most of the fleet.
  return met !== undefined && isError(met.kind) ? met.kind : 'ListUnstable';
}

/** Errors have the names of classes. */
function isError(kind: string): boolean {
  return /^[A-Z]/.test(kind);
}
