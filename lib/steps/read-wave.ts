import type { Position } from '../contract/position.ts';
import type { Decision } from '../domain/decision.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { decideAbort } from '../domain/judge/decide-abort.ts';
import { decideGiveWay } from '../domain/judge/decide-give-way.ts';
import { decideUnreadable, isWorthWaiting } from '../domain/judge/decide-unreadable.ts';
import { beginWave } from '../domain/judge/wave-progress.ts';
import type { WaveProgress } from '../domain/observation.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';
import { readList } from './read-list.ts';
import type { StepPorts } from './step-ports.ts';

/** One look at a wave: a complete list, or what follows because there is none. */
export type WaveLook = { readonly before: WaveProgress } & (
  | {
      readonly endpoints: readonly Endpoint[];
      readonly now: number;
      /** Milliseconds that were meant to pass since the last look: its wait, and the time of this read. */
      readonly meantMs: number;
    }
  | { readonly decision: Decision }
);

/**
 * Reads the list for the wave that the ledger is at. A position from before another one, of a step that
 * ran and was not heard of, is answered with the wave that is watched now.
 *
 * @throws the errors of a list that no waiting mends, such as `UpstreamAuth`.
 */
export async function readWave(
  next: 'wait' | 'bake',
  { runtimeId, rolloutId, epoch, wave, direction, waitSeconds }: Position,
  record: RolloutRecord,
  plan: RolloutPlan,
  { service, ledger, clock }: StepPorts,
): Promise<WaveLook> {
  const { progress, request } = record;
  const { policy } = request;
  const isKnown = progress?.direction === plan.direction;
  const before = isKnown ? progress : beginWave(plan, 0, clock.now());
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
    const looked = { ...before, unreadableMs, looks: before.looks + 1 };
    await ledger.saveProgress({ runtimeId, rolloutId, epoch }, looked);
    const told = decideAbort(record, plan, looked) ?? decideGiveWay(record, plan);
    if (told !== undefined) return { before: looked, decision: told };
    return { before: looked, decision: decideUnreadable(error, next, unreadableMs, policy) };
  }
}

/**
 * Milliseconds since the first of the reads that failed. What was meant counts and not the clock: a machine
 * that slept has not tried. A step that ran twice has not waited twice.
 */
function triedFor({ unreadableMs, readAt }: WaveProgress, now: number, meantMs: number): number {
  const triedMs = (unreadableMs ?? 0) + meantMs;
  return now >= readAt ? Math.min(triedMs, now - readAt) : triedMs;
}

/** No step lives longer: what takes more time was a machine that slept, or a clock that jumped. */
const LONGEST_READ_MS = 120_000;

function readMsOf(passedMs: number): number {
  return passedMs >= 0 && passedMs <= LONGEST_READ_MS ? passedMs : 0;
}
