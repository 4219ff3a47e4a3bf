import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { type AskedRollout, type RolloutRecord, wasOpened } from '../../domain/rollout/record.ts';
import { waveAwaitingApproval } from '../../domain/signals/approval.ts';
import { rolloutClosed } from '../../ledger/refusals.ts';
import { waveThatBakes } from '../../telling/story/phase.ts';

/**
 * The 0-based wave that an approval or a rejection is for.
 *
 * @param said The wave that the person named, 1-based. @default - the wave that waits
 * @throws `RolloutClosed`, `ApprovalNotWanted` when no wave waits, or another one.
 */
export function waveToAnswer(record: AskedRollout, said: number | undefined): number {
  const name = nameOfOpen(record);
  const waiting = wasOpened(record) ? waveAwaitingApproval(record) : null;
  if (waiting === null) {
    const why = wasOpened(record) ? whyNot(record) : ' yet: it has not begun';
    throw new SteprollError(ErrorName.ApprovalNotWanted, `${name} waits for no approval${why}.`);
  }
  if (said !== undefined && said !== waiting + 1) {
    const message = `${name} waits for an answer to wave ${waiting + 1}, not to wave ${said}.`;
    throw new SteprollError(ErrorName.ApprovalNotWanted, message);
  }
  return waiting;
}

function whyNot({ request, progress, plan, rollback }: RolloutRecord): string {
  if (request.policy.verify.approval === null) return ': its policy asks for none';
  if (rollback !== null) return ': it is on its way back';
  if (progress === null || plan === null) return ' yet: it has no plan';
  return ` now: it is in wave ${progress.wave + 1} of ${plan.waves.length}, and asks after the bake of a wave that another one follows`;
}

/**
 * The 0-based wave whose bake is ended. With all that follow, it need not have converged yet.
 *
 * @param said The wave that the person named, 1-based. @default - the wave under way
 * @throws `RolloutClosed`, `NothingBakes` when no wave bakes, or another one.
 */
export function waveToPromote(
  record: AskedRollout,
  said: number | undefined,
  isFull: boolean,
): number {
  const name = nameOfOpen(record);
  const { progress, rollback } = record;
  const isForward = rollback === null && progress !== null && wasOpened(record);
  const bakes = isForward ? waveThatBakes(record) : null;
  const wave = isForward && isFull ? progress.wave : bakes;
  if (wave === null) {
    const more = isForward ? ' With --full, the bakes are ended that are still to come.' : '';
    throw new SteprollError(ErrorName.NothingBakes, `${name} has no wave that bakes now.${more}`);
  }
  if (said !== undefined && said !== wave + 1) {
    const message = `${name} is in wave ${wave + 1}, not in wave ${said}.`;
    throw new SteprollError(ErrorName.NothingBakes, message);
  }
  return wave;
}

/** @throws `RolloutClosed` */
function nameOfOpen({ request, outcome }: AskedRollout): string {
  if (outcome !== null) throw rolloutClosed(request.rolloutId, outcome);
  return `Rollout ${JSON.stringify(request.rolloutId)}`;
}
