import { mayWrite } from '../containment/failure-policies.ts';
import type { CallOff } from '../containment/old-endpoints.ts';
import { endByAbort, endingAfterAbort } from '../ending/abort.ts';
import { meaningOf } from '../error-meanings.ts';
import { SteprollError } from '../errors.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { FailurePolicy, RolloutPolicy } from '../rollout/policy.ts';
import {
  findAbort,
  type RolloutRecord,
  type Signal,
  type WaveProgress,
} from '../rollout/record.ts';
import { contain, type Decision, endRollback } from './decision.ts';

/** Whether a read of the list may succeed when it is tried again later. */
export function isWorthWaiting(error: unknown): error is SteprollError {
  return error instanceof SteprollError && meaningOf(error.name).list !== 'end';
}

/** When the service asks for a longer pause, it is asked again in between. */
const LONGEST_WAIT_SECONDS = 300;

/**
 * Decides what follows a list that could not be read: wait, or go on baking, and read it again. When no read was
 * complete for as long as the progress deadline, the rollout ends as Errored. Nobody knows the state of the endpoints
 * then, so none is stopped.
 */
export function decideUnreadable(
  error: SteprollError,
  next: 'wait' | 'bake',
  unreadableMs: number,
  { pollSeconds, progressDeadlineSeconds }: RolloutPolicy,
): Decision {
  const leftSeconds = Math.ceil(progressDeadlineSeconds - unreadableMs / 1000);
  if (leftSeconds > 0) {
    const wanted = Math.min(LONGEST_WAIT_SECONDS, error.retryAfterSeconds ?? 0);
    return { next, seconds: Math.max(Math.min(pollSeconds, leftSeconds), wanted) };
  }
  return {
    next: 'close',
    ending: {
      outcome: 'Errored',
      reason: error.name,
      message: `The list of endpoints could not be read for ${Math.floor(unreadableMs / 1000)} s. ${error.message}`,
    },
  };
}

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
  if (plan.direction === 'back') {
    return mayWrite('roll-back', signals) ? undefined : endRollback(record);
  }
  return contain(record, plan, progress, endByAbort(abort), abort.onFailure ?? 'hold');
}

/**
 * What an abort still asks for, when it was accepted after the rollout had decided how to end: to stop or to roll
 * back after all. `undefined` when nothing is left to do but to close the rollout.
 *
 * @param done What was done with the old endpoints already. @default - nothing
 */
export function decideLateAbort(
  record: RolloutRecord,
  ending: Ending,
  done?: FailurePolicy,
): Decision | undefined {
  const { plan, progress, rollback, signals } = record;
  const asked = findAbort(signals)?.onFailure ?? 'hold';
  if (plan === null || progress === null || rollback !== null) return undefined;
  if (asked === 'hold' || asked === done) return undefined;
  return contain(record, plan, progress, endingAfterAbort(ending, signals), asked);
}

/**
 * Ends a rollout that a newer one waits for. The endpoints that were rolled stay as they are, and the newer rollout
 * goes on with them. A rollback is finished first.
 */
export function decideGiveWay(
  { signals }: Pick<RolloutRecord, 'signals'>,
  { direction }: Pick<RolloutPlan, 'direction'>,
): Decision | undefined {
  const signal = signals.find(({ kind }) => kind === 'give-way');
  if (signal === undefined || direction === 'back') return undefined;
  return { next: 'close', ending: endByGivingWay(signal) };
}

function endByGivingWay({ reason }: Signal): Ending {
  return { outcome: 'Superseded', reason: 'GaveWay', message: `${reason}.` };
}

/**
 * The ending of a rollout that had failed and then called off its stops because it was asked to give way. The newer
 * rollout has the runtime now, so that is the outcome, and the reason of the failure follows in the message.
 */
export function endingAfterGiveWay(
  ending: Ending,
  { signals, journal }: Pick<RolloutRecord, 'signals' | 'journal'>,
): Ending {
  const hasCalledOff = journal.some(
    ({ result, reason }) => result === 'kept' && reason === ('gave-way' satisfies CallOff),
  );
  const signal = signals.findLast(({ kind }) => kind === 'give-way');
  if (ending.outcome !== 'Failed' || !hasCalledOff || signal === undefined) return ending;
  const gaveWay = endByGivingWay(signal);
  return { ...gaveWay, message: `${gaveWay.message} ${ending.message}` };
}
