import { countOldEndpoints, findOldEndpoints } from '../containment/old-endpoints.ts';
import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import { rolledBy } from '../planning/undo.ts';
import type { Ending } from '../rollout/outcome.ts';
import { type AskedRollout, wasOpened } from '../rollout/record.ts';
import { failurePolicyOf } from '../signals/signals.ts';

/** What the failure policy had to do with endpoints that were rolled, and what nobody has done up to the end. */
export interface LeftUndone {
  /** How many old endpoints there were to stop. One without a line in the journal was not looked at. */
  readonly stops: number;
  /** What was to go back, when there is not even a plan for its way. */
  readonly back: readonly PlannedEndpoint[];
}

const NOTHING_UNDONE: LeftUndone = { stops: 0, back: [] };

/**
 * What is left undone of a rollout that was cut off. Nobody has counted that, so everything counts that was rolled and was
 * not seen to converge. When an error ended a rollout whose policy is to roll back, what has converged counts as well: it
 * would have gone back, too, and nobody looks after it any more.
 *
 * @param isBroken A step failed, or the process died: nobody has decided that this rollout ends like this.
 */
export function leftUndone(ending: Ending, record: AskedRollout, isBroken: boolean): LeftUndone {
  if (!wasOpened(record)) return NOTHING_UNDONE;
  const { plan, progress, rollback } = record;
  switch (failurePolicyOf(record)) {
    case 'hold':
      return NOTHING_UNDONE;
    case 'stop-old':
      return { stops: countOldEndpoints(record), back: [] };
    default: {
      if (plan === null || progress === null || rollback !== null) return NOTHING_UNDONE;
      const back =
        isBroken && ending.outcome === 'Errored'
          ? rolledBy(record).map(({ before }) => before)
          : findOldEndpoints(record, plan, progress).flatMap(
              (index) => plan.endpoints[index] ?? [],
            );
      return { stops: 0, back };
    }
  }
}
