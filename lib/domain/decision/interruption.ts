import { countOldEndpoints } from '../containment/old-endpoints.ts';
import { stopHistories } from '../endpoint/attempts.ts';
import type { Ending } from '../rollout/outcome.ts';
import type { FailurePolicy } from '../rollout/policy.ts';
import type { RolloutRecord } from '../rollout/record.ts';
import { countAborts, findAbort } from '../signals/abort.ts';
import type { SignalContext, SignalEffect } from '../signals/signal-kind.ts';
import { endingAsTold, isAskedForAgain, SIGNALS } from '../signals/signals.ts';
import { contain, type Decision, endRollback } from './decision.ts';

/** What follows from the signals of a rollout, whatever else a look at the wave shows. `undefined`: nothing. */
export function decideInterruption(look: SignalContext): Decision | undefined {
  for (const { decide } of SIGNALS) {
    const told = decide?.(look);
    if (told !== undefined) return follow(told, look);
  }
  return undefined;
}

export function follow(told: SignalEffect, { record, plan, progress }: SignalContext): Decision {
  const { next, ending } = told;
  if (next === 'contain') return contain(record, plan, progress, ending, told.onFailure);
  return ending === null ? endRollback(record) : { next, ending };
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
  return contain(record, plan, progress, endingAsTold(ending, record), asked);
}

/** The last abort asks for a stop that was called off before, or of which nobody has noted anything. */
function isAnyStopMissing(record: RolloutRecord): boolean {
  const { journal, signals } = record;
  const stops = [...stopHistories(journal).values()];
  const isCalledOff = stops.some(({ last }) => isAskedForAgain(last, signals));
  return isCalledOff || stops.length < countOldEndpoints(record);
}
