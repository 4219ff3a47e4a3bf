import { legOf } from '../endpoint/leg.ts';
import { isInMidRoll } from '../endpoint/observation.ts';
import { groupNameOf } from '../rollout/group.ts';
import { isAwaited } from '../rollout/opening.ts';
import type { Ending } from '../rollout/outcome.ts';
import { type Signal, wasOpened } from '../rollout/record.ts';
import type { SignalKind } from './signal-kind.ts';

/** The reason of a stop that is not made because the rollout gives way. */
const CALLED_OFF = 'gave-way';

/**
 * A newer rollout, which `by` names, waits for this one. The endpoints that were rolled stay as they are, and the newer
 * rollout goes on with them. A rollback is finished first, and so are the rollouts that a group has under way: the newer
 * one would find the runtimes taken.
 */
export const GIVE_WAY = {
  kind: 'give-way',
  /** A newer rollout that is gone would leave the runtime between two versions. */
  counts(newer, now) {
    if (newer === null || newer.outcome !== null) return false;
    return wasOpened(newer) || (newer.wait !== null && isAwaited(newer.wait.lookAt, now));
  },
  limit: {
    mayWrite: (operation, signals) =>
      signals.some(isGiveWay) ? operation === 'roll-back' : undefined,
    callOff: CALLED_OFF,
  },
  decide({ record: { request, signals }, plan, progress }) {
    const signal = signals.find(isGiveWay);
    if (signal === undefined || !legOf(plan).givesWay) return undefined;
    const isGroup = groupNameOf(request.runtimeId) !== null;
    if (isGroup && progress.observations.some(isInMidRoll)) return undefined;
    return { next: 'close', ending: endByGivingWay(signal) };
  },
  /**
   * A rollout that had failed has called off its stops because it was asked to give way. The newer rollout has the
   * runtime now, so that is the outcome, and the reason of the failure follows in the message.
   */
  endLate(ending, { signals, journal }) {
    const hasCalledOff = journal.some(
      ({ result, reason }) => result === 'kept' && reason === CALLED_OFF,
    );
    const signal = signals.findLast(isGiveWay);
    if (ending.outcome !== 'Failed' || !hasCalledOff || signal === undefined) return ending;
    const gaveWay = endByGivingWay(signal);
    return { ...gaveWay, message: `${gaveWay.message} ${ending.message}` };
  },
  describe: ({ by }) => `The newer rollout ${by} waits for this one to give way`,
} satisfies SignalKind;

function isGiveWay({ kind }: Signal): boolean {
  return kind === GIVE_WAY.kind;
}

function endByGivingWay({ reason }: Signal): Ending {
  return { outcome: 'Superseded', reason: 'GaveWay', message: `${reason}.` };
}
