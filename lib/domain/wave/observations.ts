import { NO_ATTEMPTS } from '../endpoint/attempts.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { legOf } from '../endpoint/leg.ts';
import { furthestOf, type Observation, rankOf } from '../endpoint/observation.ts';
import { observeEndpoint } from '../endpoint/observe-endpoint.ts';
import { rollHistories, undoneRollsAt } from '../endpoint/rolls.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { watchedSince, withoutUnwatched } from './watched.ts';

/** One complete read of the list. */
interface ListRead {
  readonly endpoints: readonly Endpoint[];
  readonly now: number;
  /** Milliseconds since the last look, if every wait was as long as planned: the wait and the time of this read. */
  readonly meantMs: number;
}

/**
 * One observation for each endpoint up to the end of the current wave, from one complete read. For how long reads have
 * agreed is counted in watched time: a clock that jumps makes no answer older.
 */
export function observeWave(
  record: RolloutRecord,
  plan: RolloutPlan,
  before: WaveProgress,
  { endpoints, now, meantMs }: ListRead,
): Observation[] {
  // A list that cannot be read makes the answer before it older, too.
  const waitedMs = (before.unreadableMs ?? 0) + meantMs;
  const passedMs = now - before.readAt;
  // When the clock went back, the step may also have run twice: its wait was counted then.
  const watchedMs = passedMs < 0 ? 0 : watchedSince(before, now, waitedMs);
  const unwatchedMs = passedMs - watchedMs;
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const histories = rollHistories(record.journal, plan.direction);
  const undoneAt = undoneRollsAt(record.journal, plan);
  const leg = legOf(plan);
  const { to = 0 } = plan.waves[before.wave] ?? {};
  const seen = { reasons: 0, elsewhere: 0 };
  return plan.endpoints.slice(0, to).map((planned, index) => {
    const known = before.observations[index];
    const earlier = known && withoutUnwatched(known, unwatchedMs);
    const observed = observeEndpoint(
      {
        leg,
        planned,
        endpoint: byId.get(planned.endpointId),
        history: histories.get(planned.endpointId) ?? NO_ATTEMPTS,
        rolledForwardAt: undoneAt(planned.endpointId),
        before: earlier,
        now,
        watchedMs,
      },
      record.request.policy.statuses,
    );
    const { statusReason, elsewhere, ...rest } = rememberPast(observed, earlier, now);
    const says = statusReason !== undefined && seen.reasons++ < MOST_TOLD;
    const shows = elsewhere !== undefined && seen.elsewhere++ < MOST_TOLD;
    return { ...rest, ...(says && { statusReason }), ...(shows && { elsewhere }) };
  });
}

/**
 * So many endpoints may say why they have failed, or where they are instead. A wave of thousands would outgrow its
 * record.
 */
const MOST_TOLD = 20;

/** The sum of how far each endpoint has ever got. So an endpoint that is lost takes nothing away from the others. */
export function reachOf(observations: readonly Observation[]): number {
  return observations.reduce((sum, observation) => sum + furthestOf(observation), 0);
}

/** The same observation, with how far its endpoint got earlier, and since when it is as it is. */
function rememberPast(
  observation: Observation,
  before: Observation | undefined,
  now: number,
): Observation {
  const furthest = before === undefined ? 0 : furthestOf(before);
  const changedAt = observation.state === before?.state ? before.changedAt : now;
  return {
    ...observation,
    ...(furthest > rankOf(observation) && { furthest }),
    ...(observation.state !== 'pending' && changedAt !== undefined && { changedAt }),
  };
}
