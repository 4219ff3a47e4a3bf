import { type Position, parsePosition } from '../contract/flow/position.ts';
import { decideAfterCheck } from '../domain/decision/after-check.ts';
import { decideConfirmedNo, lookForGates } from '../domain/decision/after-gates.ts';
import { waitAfter } from '../domain/decision/decision.ts';
import { legOf } from '../domain/endpoint/leg.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import type { WaveProgress } from '../domain/rollout/record.ts';
import { judgeBake } from '../domain/wave/bake.ts';
import { lookedAt } from '../domain/wave/names-seen.ts';
import { observeWave } from '../domain/wave/observations.ts';
import { advanceProgress } from '../domain/wave/progress.ts';
import { askWaves } from './frame/ask-waves.ts';
import { handOn } from './frame/hand-on.ts';
import type { VerifyPorts } from './frame/ports.ts';
import { readWave } from './frame/read-wave.ts';
import { takeUp } from './frame/take-up.ts';
import { stepFrom } from './group/group-service.ts';

export const handleCheckWave = stepFrom(({ position }) => parsePosition(position), checkWave);

/**
 * Reads the list once, judges the wave and says what comes next. Waves that have baked stay under their gates: whichever
 * step looks first asks them. When the list cannot be read now, the step waits for
 * it until the wave's deadline: such a list proves nothing, and nothing is written because of it.
 *
 * @throws `LeaseLost`, and errors of the list that waiting does not mend, such as `IncompatibleState`.
 */
export async function checkWave(position: Position, ports: VerifyPorts): Promise<Position> {
  const taken = await takeUp(ports, position);
  const read = await readWave('check', position, taken, ports);
  const { before } = read;
  const { lease } = taken;
  const found = {
    record: taken.record,
    plan: taken.plan,
    progress: before,
    lease,
    execution: position.execution,
  };
  if ('decision' in read) return handOn(read.decision, found, ports);
  const observations = observeWave(taken.record, taken.plan, before, read);
  const { record, plan } = lookedAt(taken, observations);
  const at = { ...found, record, plan };
  const { clock } = read;
  const progress = advanceProgress(record, plan, before, { observations, clock });
  const checked = decideAfterCheck(record, plan, progress);
  const hasConverged = checked.next === 'wait' && checked.look === 'verify';
  const reached = hasConverged ? beginBake(plan, progress) : progress;
  const goesOn = checked.next === 'wait' || checked.next === 'roll';
  // A wave that has no bake is asked about at its end, which is now.
  const isOver = hasConverged && checked.seconds === 0;
  if (legOf(plan).after === 'close' || !goesOn || isOver) {
    await ports.ledger.saveProgress(lease, reached, waitAfter(checked, reached, record.wait));
    return handOn(checked, { ...at, progress: reached }, ports);
  }
  const isNew = hasConverged && before.converged === undefined;
  const look = { record, plan, progress: reached, endpoints: read.endpoints };
  const { progress: after } = await askWaves(look, isNew, ports.gates);
  const decision = decideConfirmedNo(record, plan, after) ?? lookForGates(checked, after);
  await ports.ledger.saveProgress(lease, after, waitAfter(decision, after, record.wait));
  return handOn(decision, { ...at, progress: after }, ports);
}

/**
 * A wave that had converged before bakes on. No progress is due in a bake, so it takes nothing of the deadline. What the
 * list has said against the wave is refuted now, but a gate that was silent after the bake has no new deadline: only the
 * looks after it are due once more.
 */
function beginBake(
  plan: RolloutPlan,
  { isCheckedAgain: _, ...progress }: WaveProgress,
): WaveProgress {
  const { clock, bakedMs, doubtMs } = progress;
  const { at, watched } = clock;
  const hasBaked = bakedMs !== null && judgeBake(plan, progress) === 'baked';
  return {
    ...progress,
    bakedMs: bakedMs ?? 0,
    converged: progress.converged ?? { at, watched },
    doubtMs: hasBaked ? doubtMs : null,
    looksInDoubt: 0,
    stalledMs: 0,
  };
}
