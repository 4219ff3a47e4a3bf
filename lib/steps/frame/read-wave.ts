import type { Position } from '../../contract/flow/position.ts';
import { containAsTold, type Decision } from '../../domain/decision/decision.ts';
import { decideAbort, decideGiveWay } from '../../domain/decision/interruption.ts';
import { decideUnreadable, isWorthWaiting } from '../../domain/decision/unreadable.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import { progressOn, type RolloutRecord, type WaveProgress } from '../../domain/rollout/record.ts';
import { beginWave } from '../../domain/wave/progress.ts';
import type { StepPorts } from './ports.ts';
import { readList } from './read-list.ts';

/** One look at a wave: a complete list, or what follows without one. */
type WaveLook = { readonly before: WaveProgress } & (
  | {
      readonly endpoints: readonly Endpoint[];
      readonly now: number;
      /** Milliseconds since the last look, if every wait was as long as planned: the wait and the time of this read. */
      readonly meantMs: number;
    }
  | { readonly decision: Decision }
);

/**
 * Reads the list for the wave that the ledger is at. When the answer of an earlier step got lost, the position may name
 * an earlier wave than the ledger. Then no list is read now, and the decision is to wait: the next position names the
 * wave of the ledger. Once the rollout has told that it fails, no list can change that, and none is read.
 *
 * @throws errors of the list that waiting does not mend, such as `UpstreamRejected`.
 */
export async function readWave(
  next: 'wait' | 'bake',
  { runtimeId, rolloutId, epoch, wave, direction, waitSeconds }: Position,
  record: RolloutRecord,
  plan: RolloutPlan,
  { service, ledger, clock }: StepPorts,
): Promise<WaveLook> {
  const { policy } = record.request;
  const before = progressOn(record, plan) ?? beginWave(plan, 0, clock.now());
  const told = containAsTold(record, plan, before);
  if (told !== undefined) return { before, decision: told };
  if (before.direction !== direction || before.wave !== wave) {
    return { before, decision: { next: 'wait', seconds: policy.pollSeconds } };
  }
  const startedAt = clock.now();
  const meantMs = () => waitSeconds * 1000 + readMsOf(clock.now() - startedAt);
  try {
    const endpoints = await readList(record, service);
    return { before, endpoints, now: clock.now(), meantMs: meantMs() };
  } catch (error) {
    if (!isWorthWaiting(error)) throw error;
    const unreadableMs =
      before.unreadableMs === null ? 0 : triedFor(before, clock.now(), meantMs());
    const looked = {
      ...before,
      unreadableMs,
      readFault: error.name,
      looks: before.looks + 1,
    };
    await ledger.saveProgress({ runtimeId, rolloutId, epoch }, looked);
    const asked = decideAbort(record, plan, looked) ?? decideGiveWay(record, plan, looked);
    if (asked !== undefined) return { before: looked, decision: asked };
    return { before: looked, decision: decideUnreadable(error, next, unreadableMs, policy) };
  }
}

/**
 * Milliseconds since reads began to fail. It adds up the meant times and not those of the clock: a machine that slept
 * has not tried to read. A step that ran twice has not waited twice.
 */
function triedFor({ unreadableMs, readAt }: WaveProgress, now: number, meantMs: number): number {
  const triedMs = (unreadableMs ?? 0) + meantMs;
  return now >= readAt ? Math.min(triedMs, now - readAt) : triedMs;
}

/** No step lives longer. If more time has passed, the machine slept or the clock jumped. */
const LONGEST_READ_MS = 120_000;

function readMsOf(passedMs: number): number {
  return passedMs >= 0 && passedMs <= LONGEST_READ_MS ? passedMs : 0;
}
