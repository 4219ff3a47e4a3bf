import type { Endpoint } from '../endpoint/endpoint.ts';
import {
  type EndpointState,
  hasConverged,
  hasFailed,
  hasVanished,
  isUnregistered,
  type Observation,
  observeEndpoint,
  REGISTERING_READS,
} from '../endpoint/observation.ts';
import { isOverdue, isUnsure, NO_ROLLS, rollHistories } from '../endpoint/rolls.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy, Tolerance } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';

const RANK: Readonly<Record<EndpointState, number>> = {
  pending: 0,
  missing: 0,
  failed: 0,
  superseded: 0,
  reverted: 0,
  requested: 1,
  progressing: 2,
  converged: 3,
};

/** Begins a wave after the earlier ones. Its deadline starts to run. */
export function beginWave(
  { direction }: Pick<RolloutPlan, 'direction'>,
  wave: number,
  now: number,
  before?: WaveProgress,
): WaveProgress {
  const observations = before?.observations ?? [];
  return {
    direction,
    wave,
    progressedAt: now,
    readAt: now,
    unreadableMs: null,
    bakedMs: null,
    doubtMs: null,
    looks: before?.looks ?? 0,
    fastestRollMs: before?.fastestRollMs ?? null,
    furthest: reachOf(observations),
    observations,
  };
}

/** One complete read of the list, as far as it concerns the wave. */
interface WaveRead {
  readonly observations: readonly Observation[];
  readonly now: number;
  /** Milliseconds that were meant to pass since the last look: the planned wait and the time of this read. */
  readonly meantMs: number;
}

/**
 * Adds one complete read to the wave's progress. Only when the wave gets further than ever before does the deadline
 * move; getting back to an earlier point does not move it. While we wait to repeat a roll that may never have been
 * sent, the deadline stands still. Time in which nobody looked, because no process ran, its clock jumped or the list
 * could not be read, is not time without progress: only the watched time since the last read counts.
 */
export function advanceProgress(
  record: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  { observations, now, meantMs }: WaveRead,
): WaveProgress {
  const reached = reachOf(observations);
  const hasProgressed = reached > before.furthest;
  const isHeld = isWaitingToRepeat(record, plan, before, observations);
  const watchedMs = sinceProgressMs(before) + watchedSince(before, now, meantMs);
  return {
    ...before,
    progressedAt: hasProgressed || isHeld ? now : now - watchedMs,
    readAt: now,
    unreadableMs: null,
    looks: before.looks + 1,
    fastestRollMs: fastestRollOf(record, plan, before, observations, now),
    furthest: Math.max(reached, before.furthest),
    observations,
  };
}

/**
 * Whether a roll may never have been sent and at the last read it was too early to repeat it. That happens when a
 * process dies between its journal and its call, or when the call gets no answer.
 */
function isWaitingToRepeat(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  observations: readonly Observation[],
): boolean {
  const histories = rollHistories(journal, plan.direction);
  return observations.some((observation, position) => {
    const history = histories.get(plan.endpoints[position]?.endpointId ?? '') ?? NO_ROLLS;
    if (!isUnregistered(observation) || !isUnsure(history)) return false;
    const { reads = 0 } = before.observations[position] ?? {};
    return reads < REGISTERING_READS || !isOverdue(history, before.readAt);
  });
}

/** For how many milliseconds the wave was watched without progress, up to the last complete read. */
export function sinceProgressMs({
  readAt,
  progressedAt,
}: Pick<WaveProgress, 'readAt' | 'progressedAt'>): number {
  return readAt - progressedAt;
}

/**
 * A step may take this long besides its wait and its read of the list: to start, and to be tried again. If more time
 * has passed, nobody watched the wave.
 */
const UNWATCHED_AFTER_MS = 30_000;

/**
 * Milliseconds since the last complete read in which somebody watched the wave. When more time has passed than was
 * meant to pass and than a step can take, nobody watched, and the meant time counts. The same holds when the clock
 * went back.
 */
export function watchedSince(
  { readAt }: Pick<WaveProgress, 'readAt'>,
  now: number,
  meantMs: number,
): number {
  const passedMs = now - readAt;
  return passedMs >= 0 && passedMs <= meantMs + UNWATCHED_AFTER_MS ? passedMs : meantMs;
}

/**
 * Goes on with the progress after another process has taken the rollout over. Nobody has watched the wave since the
 * last read.
 */
export function resumeProgress(before: WaveProgress, now: number): WaveProgress {
  return { ...before, progressedAt: now - sinceProgressMs(before), readAt: now };
}

/** The sum of how far each endpoint has ever got. So an endpoint that is lost takes nothing away from the others. */
function reachOf(observations: readonly Observation[]): number {
  return observations.reduce((sum, observation) => sum + furthestOf(observation), 0);
}

/** The read that confirms a convergence is progress too: only then the next endpoints may be rolled. */
const CONFIRMED_RANK = 4;

function rankOf(observation: Observation): number {
  return hasConverged(observation) ? CONFIRMED_RANK : RANK[observation.state];
}

function furthestOf(observation: Observation): number {
  return Math.max(rankOf(observation), observation.furthest ?? 0);
}

/** The same observation, with how far its endpoint got earlier. */
function rememberFurthest(observation: Observation, before: Observation | undefined): Observation {
  const furthest = before === undefined ? 0 : furthestOf(before);
  return furthest > rankOf(observation) ? { ...observation, furthest } : observation;
}

/** The fastest roll, with the endpoints that this read shows converged for the first time. */
function fastestRollOf(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  before: WaveProgress,
  observations: readonly Observation[],
  now: number,
): number | null {
  const histories = rollHistories(journal, plan.direction);
  const times = observations.flatMap(({ state, reads }, position) => {
    const rolledAt = histories.get(plan.endpoints[position]?.endpointId ?? '')?.last?.at;
    return state === 'converged' && reads === 1 && rolledAt !== undefined ? [now - rolledAt] : [];
  });
  const fastest = Math.min(before.fastestRollMs ?? Number.POSITIVE_INFINITY, ...times);
  return Number.isFinite(fastest) ? fastest : null;
}

/** One observation for each endpoint up to the end of the current wave, from one complete read. */
export function observeWave(
  record: RolloutRecord,
  plan: RolloutPlan,
  before: WaveProgress,
  endpoints: readonly Endpoint[],
  now: number,
): Observation[] {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const histories = rollHistories(record.journal, plan.direction);
  const { to = 0 } = plan.waves[before.wave] ?? {};
  return plan.endpoints.slice(0, to).map((planned, position) => {
    const earlier = before.observations[position];
    const observed = observeEndpoint(
      {
        direction: plan.direction,
        planned,
        endpoint: byId.get(planned.endpointId),
        history: histories.get(planned.endpointId) ?? NO_ROLLS,
        before: earlier,
        now,
      },
      record.request.policy.statuses,
    );
    return rememberFurthest(observed, earlier);
  });
}

/**
 * The positions of lost endpoints that do not stop the rollout. On the way forward: in each wave as many failed or
 * vanished endpoints as the failure threshold allows, but never a whole wave, and none that somebody else moved,
 * because whoever moves endpoints during a rollout wants something else. In a rollback: endpoints that were not live
 * when it began, and endpoints that somebody else has moved or stopped.
 */
export function findToleratedLosses(
  plan: RolloutPlan,
  observations: readonly Observation[],
  { failureThreshold }: Pick<RolloutPolicy, 'failureThreshold'>,
): ReadonlySet<number> {
  if (plan.direction === 'back') return new Set(lostToOthers(plan, observations));
  return new Set(
    plan.waves.flatMap(({ from, to }) => {
      const lost = positionsOf(observations, from, to).filter((position) =>
        isFailedOrGone(observations[position]),
      );
      const isTolerated = lost.length <= allowanceOf(failureThreshold, to - from);
      return isTolerated && lost.length < to - from ? lost : [];
    }),
  );
}

function lostToOthers({ endpoints }: RolloutPlan, observations: readonly Observation[]): number[] {
  return observations.flatMap((observation, position) => {
    const { isBroken, isUnsettled } = endpoints[position] ?? {};
    const wasLive = isBroken !== true && isUnsettled !== true;
    return (!wasLive && isFailedOrGone(observation)) || observation.state === 'superseded'
      ? [position]
      : [];
  });
}

function isFailedOrGone(observation: Observation | undefined): boolean {
  return observation !== undefined && (hasFailed(observation) || hasVanished(observation));
}

function positionsOf(observations: readonly Observation[], from: number, to: number): number[] {
  const length = Math.max(0, Math.min(to, observations.length) - from);
  return Array.from({ length }, (_, index) => from + index);
}

function allowanceOf(tolerance: Tolerance, waveSize: number): number {
  return 'endpoints' in tolerance
    ? tolerance.endpoints
    : Math.floor((tolerance.percent * waveSize) / 100 + 1e-9);
}
