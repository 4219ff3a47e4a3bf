import { type Position, parsePosition } from '../contract/flow/position.ts';
import { mayWrite } from '../domain/containment/failure-policies.ts';
import { endRollback } from '../domain/decision/decision.ts';
import { decideLateAbort } from '../domain/decision/interruption.ts';
import { startWave } from '../domain/decision/next-rolls.ts';
import { UNEXPLAINED } from '../domain/ending/error.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { planWayBack } from '../domain/planning/undo.ts';
import { progressOn } from '../domain/rollout/record.ts';
import { beginWave } from '../domain/wave/progress.ts';
import { setBackBy } from '../domain/wave/watched.ts';
import { handOn } from './frame/hand-on.ts';
import type { RecordPorts, StepPayload } from './frame/ports.ts';
import { takeUp } from './frame/take-up.ts';

export function handleTurnAround({ position }: StepPayload, context: RecordPorts) {
  return turnAround(parsePosition(position), context);
}

/**
 * Turns a failed rollout around: freezes the plan of the rollback, and then the same loop rolls and watches it. When
 * it runs again for the same rollout, it finds that plan and leaves it as it is. If an abort was accepted meanwhile
 * that asks for something else, it follows the abort instead.
 *
 * @throws `LeaseLost`
 */
export async function turnAround(position: Position, ports: RecordPorts): Promise<Position> {
  const { ledger, clock } = ports;
  const { lease, record, plan: forward } = await takeUp(ports, position);
  const known = { record, lease, execution: position.execution };
  const { rollback: frozen, progress } = record;
  if (progress === null) {
    throw new SteprollError(ErrorName.IncompatibleState, 'The ledger has nothing to roll back.');
  }
  const cause = position.ending ?? UNEXPLAINED;
  if (frozen === null && !mayWrite('roll-back', record.signals)) {
    const decision = decideLateAbort(record, cause) ?? { next: 'close', ending: cause };
    return handOn(decision, { ...known, plan: forward, progress }, ports);
  }
  const drawn = () => {
    const seen = progress.observations;
    return { cause, plan: planWayBack(record, forward, seen), seen };
  };
  const rollback = frozen ?? (await ledger.freezeRollback(lease, drawn()));
  const { plan } = rollback;
  if (plan.waves.length === 0) {
    const nowhere = { direction: plan.direction, wave: 0 };
    return handOn(endRollback({ rollback }), { ...known, plan, progress: nowhere }, ports);
  }
  const { looks } = progress;
  const now = clock.now();
  const begun = progressOn(record, plan) ?? {
    ...beginWave(plan, 0, now),
    ...setBackBy(progress, now, 0),
    looks,
  };
  await ledger.saveProgress(lease, begun);
  return handOn(startWave(record, plan, 0), { ...known, plan, progress: begun }, ports);
}
