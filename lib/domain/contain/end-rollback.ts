import type { Decision, Ending } from '../decision.ts';
import { ErrorName } from '../errors.ts';
import type { RolloutRecord } from '../rollout.ts';

/**
 * A rollback that is over, whatever came of it: the rollout ends for the reason that it failed for.
 * `trouble` says what kept the rollback from going on.
 */
export function endRollback(
  { rollback }: Pick<RolloutRecord, 'rollback'>,
  trouble?: string,
): Decision {
  const cause = rollback?.cause ?? UNEXPLAINED;
  const message = trouble === undefined ? cause.message : `${cause.message} ${trouble}`;
  return { next: 'close', ending: { ...cause, message } };
}

const UNEXPLAINED: Ending = {
  outcome: 'Errored',
  reason: ErrorName.IncompatibleState,
  message: 'The ledger has no reason for this rollback.',
};
