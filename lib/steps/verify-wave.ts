import type { Position } from '../contract/position.ts';
import { decideAfterBake } from '../domain/judge/decide-after-bake.ts';
import { observeWave } from '../domain/judge/observe-wave.ts';
import { beginWave } from '../domain/judge/wave-progress.ts';
import { resume } from './resume.ts';
import type { StepPorts } from './step-ports.ts';
import { toPosition } from './to-position.ts';

/**
 * Reads the list once after the bake: the next wave starts only while this one is still converged.
 *
 * @throws `LeaseLost`, and any error of the list: the workflow tries again, and a wave that cannot be
 * verified is not trusted.
 */
export async function verifyWave(position: Position, ports: StepPorts): Promise<Position> {
  const { service, ledger, clock } = ports;
  const { runtimeId, rolloutId, epoch, wave } = position;
  const lease = { runtimeId, rolloutId, epoch };
  const { record, plan } = await resume(ports, lease);
  const before = record.progress ?? beginWave(wave, clock.now());
  // A step that ran before and was not heard of has begun the next wave already: watch that one.
  if (before.wave > wave) return toPosition({ next: 'wait' }, record.request, lease, before.wave);
  const endpoints = await service.list(runtimeId);
  const now = clock.now();
  const observations = observeWave(record, plan, before, endpoints);
  const progress = { ...before, observations, readAt: now };
  await ledger.saveProgress(lease, progress);
  const decision = decideAfterBake(record, plan, progress, now - before.progressedAt);
  if (decision.next === 'roll') {
    await ledger.saveProgress(lease, beginWave(decision.wave, now, observations));
  }
  return toPosition(decision, record.request, lease, wave);
}
