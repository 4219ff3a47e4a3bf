import { isAskedForAgain } from '../containment/decide-stop.ts';
import { mayWrite } from '../containment/failure-policies.ts';
import { countOldEndpoints } from '../containment/old-endpoints.ts';
import { endByAbort, endByGivingWay, endingAfterAbort } from '../ending/asked-to-end.ts';
import { legOf } from '../endpoint/leg.ts';
import { isInMidRoll } from '../endpoint/observation.ts';
import { stopHistories } from '../endpoint/stops.ts';
import { groupNameOf } from '../rollout/group.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { FailurePolicy } from '../rollout/policy.ts';
import {
  countAborts,
  findAbort,
  type RolloutRecord,
  type WaveProgress,
} from '../rollout/record.ts';
import { contain, type Decision, endRollback } from './decision.ts';

/**
 * Ends a rollout that a person has aborted. The endpoints that were rolled stay as they are, unless the person asked
 * for more. A rollback goes on only when the abort asks for one; otherwise endpoints that are not back yet stay as
 * they are.
 */
export function decideAbort(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Decision | undefined {
  const { signals } = record;
  const abort = findAbort(signals);
  if (abort === undefined) return undefined;
  const { after, roll } = legOf(plan);
  if (after === 'close') {
    return mayWrite(roll, signals) ? undefined : endRollback(record);
  }
  return contain(record, plan, progress, endByAbort(abort), abort.onFailure ?? 'hold');
}

/**
 * What an abort still asks for, when it was accepted after the rollout had decided how to end: to stop or to roll
 * back after all. An abort before it may have called off the very stops that it asks for. `undefined` when nothing is
 * left to do but to close the rollout.
 *
 * @param done What was done with the old endpoints already, and how many aborts had been accepted when it began.
 *   @default - nothing
 */
export function decideLateAbort(
  record: RolloutRecord,
  ending: Ending,
  done?: { readonly onFailure?: FailurePolicy | undefined; readonly aborts?: number | undefined },
): Decision | undefined {
  const { plan, progress, rollback, signals } = record;
  const asked = findAbort(signals)?.onFailure ?? 'hold';
  if (plan === null || progress === null || rollback !== null) return undefined;
  // No containment begins again without a new abort, whatever keeps its stops from being noted.
  const isNewer = countAborts(signals) > (done?.aborts ?? 0);
  const isDone = asked === done?.onFailure && !(isNewer && isAnyStopMissing(record));
  if (asked === 'hold' || isDone) return undefined;
  return contain(record, plan, progress, endingAfterAbort(ending, signals), asked);
}

/**
 * An earlier abort, or a newer rollout, has called off a stop that the last abort asks for, or nobody has noted
 * anything about it.
 */
function isAnyStopMissing(record: RolloutRecord): boolean {
  const { journal, signals } = record;
  const stops = [...stopHistories(journal).values()];
  const isCalledOff = stops.some(({ last }) => isAskedForAgain(last, signals));
  return isCalledOff || stops.length < countOldEndpoints(record);
}

/**
 * Ends a rollout that a newer one waits for. The endpoints that were rolled stay as they are, and the newer rollout
 * goes on with them. A rollback is finished first, and so are the rollouts that a group has under way: the newer one
 * would find the runtimes taken.
 */
export function decideGiveWay(
  { request, signals }: Pick<RolloutRecord, 'request' | 'signals'>,
  plan: Pick<RolloutPlan, 'direction'>,
  { observations }: Pick<WaveProgress, 'observations'>,
): Decision | undefined {
  const signal = signals.find(({ kind }) => kind === 'give-way');
  if (signal === undefined || !legOf(plan).givesWay) return undefined;
  if (groupNameOf(request.runtimeId) !== null && observations.some(isInMidRoll)) return undefined;
  return { next: 'close', ending: endByGivingWay(signal) };
}
