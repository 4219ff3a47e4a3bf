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
  | { readonly endpoints: readonly Endpoint[]; readonly now: number }
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
  try {
    const endpoints = await readList(record, service);
    return { before, endpoints, now: clock.now() };
  } catch (error) {
    if (!isWorthWaiting(error)) throw error;
    // What was waited counts and not the clock: a machine that slept has not tried.
    const unreadableMs =
      before.unreadableMs === null ? 0 : before.unreadableMs + waitSeconds * 1000;
    const looked = { ...before, unreadableMs, looks: before.looks + 1 };
    await ledger.saveProgress({ runtimeId, rolloutId, epoch }, looked);
    const told = decideAbort(record, plan, looked) ?? decideGiveWay(record, plan);
    if (told !== undefined) return { before: looked, decision: told };
    return { before: looked, decision: decideUnreadable(error, next, unreadableMs, policy) };
  }
}
