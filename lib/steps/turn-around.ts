import { type Position, parsePosition } from '../contract/flow/position.ts';
import { endRollback, waitAfter } from '../domain/decision/decision.ts';
import { decideLateAbort } from '../domain/decision/interruption.ts';
import { startWave } from '../domain/decision/next-rolls.ts';
import { UNEXPLAINED } from '../domain/ending/error.ts';
import type { Observation } from '../domain/endpoint/observation.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { asWatched, planUndo } from '../domain/planning/undo.ts';
import { isFresh } from '../domain/rollout/lease.ts';
import { progressOn, type WaveProgress } from '../domain/rollout/record.ts';
import { mayWrite } from '../domain/signals/signals.ts';
import { observeWave } from '../domain/wave/observations.ts';
import { beginWave } from '../domain/wave/progress.ts';
import { stepFrom } from './group/group-service.ts';
import { handOn } from './io/hand-on.ts';
import type { StepPorts } from './io/ports.ts';
import { readList } from './io/read-list.ts';
import { type TakenUp, takeUp } from './io/take-up.ts';

export const handleTurnAround = stepFrom(({ position }) => parsePosition(position), turnAround);

/**
 * Turns a failed rollout around: draws the plan of its way back on a fresh list and freezes it, and then the same loop
 * rolls and watches it. When it runs again for the same rollout, it finds that plan and leaves it as it is. If an abort was
 * accepted meanwhile that asks for something else, it follows the abort instead.
 *
 * @throws `LeaseLost`
 */
export async function turnAround(position: Position, ports: StepPorts): Promise<Position> {
  const { ledger } = ports;
  const taken = await takeUp(ports, position);
  const { lease, record, plan: forward, clock } = taken;
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
  const draw = async () => {
    const seen = await seenByNow(taken, progress, ports);
    return { cause, plan: planUndo(record, asWatched(record, forward, seen)), seen };
  };
  const rollback = frozen ?? (await ledger.freezeRollback(lease, await draw()));
  const { plan } = rollback;
  if (plan.waves.length === 0) {
    const { looks } = progress;
    const nowhere = { direction: plan.direction, wave: 0, looks, bakedMs: null, observations: [] };
    return handOn(endRollback({ rollback }), { ...known, plan, progress: nowhere }, ports);
  }
  const before = { ...progress, observations: [], fastestRollMs: null };
  const begun = progressOn(record, plan) ?? beginWave(plan, 0, clock, before);
  const first = startWave(record, plan, 0, { ...begun, observations: [], fastestRollMs: null });
  await ledger.saveProgress(lease, begun, waitAfter(first, begun, record.wait));
  return handOn(first, { ...known, plan, progress: begun }, ports);
}

/**
 * What is known of the endpoints that were watched on the way forward. The list of the last look serves when it is as
 * recent as a write asks for; another one is read otherwise. When that cannot be read, what was seen last counts, because
 * a plan writes nothing: there is another look before each roll, and nothing is rolled without one.
 */
async function seenByNow(
  taken: TakenUp,
  progress: WaveProgress,
  ports: StepPorts,
): Promise<readonly Observation[]> {
  const { readAt, observations } = progress;
  if (isFresh(readAt, ports.clock.now())) return observations;
  try {
    const { record, plan, now } = taken;
    const endpoints = await readList(taken, ports);
    return observeWave(record, plan, progress, { endpoints, clock: now() });
  } catch (error) {
    if (!(error instanceof SteprollError)) throw error;
    return observations;
  }
}
