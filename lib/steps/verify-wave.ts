import type { Position } from '../contract/position.ts';
import { addBake } from '../domain/judge/bake.ts';
import { decideAfterBake, hasHeld } from '../domain/judge/decide-after-bake.ts';
import { decideAfterGates } from '../domain/judge/decide-after-gates.ts';
import { observeWave } from '../domain/judge/observe-wave.ts';
import { beginWave, watchedSince } from '../domain/judge/wave-progress.ts';
import type { WaveProgress } from '../domain/observation.ts';
import { askGates } from './ask-gates.ts';
import { handOn } from './hand-on.ts';
import { readWave } from './read-wave.ts';
import { resume } from './resume.ts';
import type { VerifyPorts } from './step-ports.ts';

/**
 * Looks at a wave during its bake and after it: the next wave starts only when this one has baked, is
 * still converged, and every gate says yes.
 *
 * @throws `LeaseLost`, and the errors of a list that no waiting mends, such as `UpstreamAuth`.
 */
export async function verifyWave(position: Position, ports: VerifyPorts): Promise<Position> {
  const { ledger, gates } = ports;
  const { lease, record, plan } = await resume(ports, position);
  const read = await readWave('bake', position, record, plan, ports);
  const { before } = read;
  if ('decision' in read)
    return handOn(
      read.decision,
      { record, plan, progress: before, lease, execution: position.execution },
      ports,
    );
  const { endpoints, now, meantMs } = read;
  const observations = observeWave(record, plan, before, endpoints, now);
  const progress: WaveProgress = {
    ...before,
    observations,
    readAt: now,
    unreadableMs: null,
    bakedMs: addBake(before, now, position.waitSeconds),
    doubtMs: before.doubtMs === null ? 0 : before.doubtMs + watchedSince(before, now, meantMs),
    looks: before.looks + 1,
  };
  const afterBake = decideAfterBake(record, plan, progress);
  const readings =
    afterBake === undefined
      ? await askGates(record.request.policy.verify, plan, progress, endpoints, gates)
      : [];
  const decision = afterBake ?? decideAfterGates(record, plan, progress, readings);
  const isSure =
    hasHeld(record, plan, progress) && readings.every(({ verdict }) => verdict !== 'unknown');
  await ledger.saveProgress(lease, isSure ? { ...progress, doubtMs: null } : progress);
  if (decision.next === 'roll') {
    await ledger.saveProgress(lease, beginWave(plan, decision.wave, now, progress));
  }
  return handOn(
    decision,
    { record, plan, progress: before, lease, execution: position.execution },
    ports,
  );
}
