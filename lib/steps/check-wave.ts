import type { Position } from '../contract/position.ts';
import type { Decision } from '../domain/decision.ts';
import { decideAfterCheck } from '../domain/judge/decide-after-check.ts';
import { decideUnreadable, isWorthWaiting } from '../domain/judge/decide-unreadable.ts';
import { observeWave } from '../domain/judge/observe-wave.ts';
import { advanceProgress, beginWave } from '../domain/judge/wave-progress.ts';
import type { RolloutPlan, RolloutRecord } from '../domain/rollout.ts';
import { resume } from './resume.ts';
import type { StepPorts } from './step-ports.ts';
import { toPosition } from './to-position.ts';

/**
 * Reads the list once, judges the wave and says what comes next. A list that cannot be read now is
 * waited for until the wave's deadline: it proves nothing, and nothing is written on it.
 *
 * @throws `LeaseLost`, and the errors of a list that no waiting mends, such as `UpstreamAuth`.
 */
export async function checkWave(position: Position, ports: StepPorts): Promise<Position> {
  const { record, plan } = await resume(ports, position);
  const decision = await check(position, record, plan, ports);
  return toPosition(decision, record.request, leaseOf(position), position.wave);
}

async function check(
  position: Position,
  record: RolloutRecord,
  plan: RolloutPlan,
  { service, ledger, clock }: StepPorts,
): Promise<Decision> {
  const { wave } = position;
  const before = record.progress?.wave === wave ? record.progress : beginWave(wave, clock.now());
  try {
    const endpoints = await service.list(position.runtimeId);
    const now = clock.now();
    const observations = observeWave(record, plan, before, endpoints);
    const progress = advanceProgress(before, observations, now, longestGapMs(record));
    await ledger.saveProgress(leaseOf(position), progress);
    return decideAfterCheck(record, plan, progress, now);
  } catch (error) {
    if (!isWorthWaiting(error)) throw error;
    const { policy } = record.request;
    return decideUnreadable(error, clock.now() - before.readAt, policy);
  }
}

function leaseOf({ runtimeId, rolloutId, epoch }: Position) {
  return { runtimeId, rolloutId, epoch };
}

/** Three missed polls, and the time that a step and its retries may take. */
function longestGapMs({ request }: RolloutRecord): number {
  return request.policy.pollSeconds * 3000 + 30_000;
}
