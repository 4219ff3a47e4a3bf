import type { Instant, Moment } from '../clock.ts';
import { NO_ATTEMPTS } from '../endpoint/attempts.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { legOf } from '../endpoint/leg.ts';
import { furthestOf, isLostForGood, type Observation, rankOf } from '../endpoint/observation.ts';
import { observeEndpoint } from '../endpoint/observe-endpoint.ts';
import { rollHistories, undoneRollsAt } from '../endpoint/rolls.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';

interface ListRead {
  readonly endpoints: readonly Endpoint[];
  readonly clock: Moment;
}

export function observeWave(
  record: RolloutRecord,
  plan: RolloutPlan,
  before: WaveProgress,
  { endpoints, clock }: ListRead,
): Observation[] {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const histories = rollHistories(record.journal, plan.direction);
  const undoneAt = undoneRollsAt(record.journal, plan);
  const leg = legOf(plan);
  const { to = 0 } = plan.waves[before.wave] ?? {};
  const seen = { reasons: 0, elsewhere: 0, names: 0 };
  return plan.endpoints.slice(0, to).map((planned, index) => {
    const earlier = before.observations[index];
    const row = byId.get(planned.endpointId);
    const observed = observeEndpoint(
      {
        leg,
        planned,
        endpoint: row,
        history: histories.get(planned.endpointId) ?? NO_ATTEMPTS,
        rolledForwardAt: undoneAt(planned.endpointId),
        before: earlier,
        restingWords: plan.restingWords,
        isPinned: record.pinned?.has(planned.endpointId),
        now: clock.watched,
      },
      record.request.policy.statuses,
    );
    const { statusReason, elsewhere, ...rest } = rememberPast(observed, earlier, clock.at);
    const says = statusReason !== undefined && seen.reasons++ < MOST_TOLD;
    const shows = elsewhere !== undefined && seen.elsewhere++ < MOST_TOLD;
    // What is gone from the list is called as before.
    const isDouble = !planned.sharesName && (row ?? earlier)?.sharesName;
    const names = isDouble && seen.names++ < MOST_NAMES && { sharesName: true as const };
    return { ...rest, ...(says && { statusReason }), ...(shows && { elsewhere }), ...names };
  });
}

/** So many endpoints may say why they failed, or where they are. A wave of thousands would outgrow its record. */
const MOST_TOLD = 20;

/** So many endpoints may have got the name of another one since the plan. No sentence has more names. */
const MOST_NAMES = 200;

/** The sum of how far each endpoint has ever got. So an endpoint that is lost takes nothing away from the others. */
export function reachOf(observations: readonly Observation[]): number {
  return observations.reduce((sum, observation) => sum + furthestOf(observation), 0);
}

/** The same observation, with how far its endpoint got earlier, and since when it is as it is. */
function rememberPast(
  observation: Observation,
  before: Observation | undefined,
  now: Instant,
): Observation {
  // One that is back after it was lost for good has to get there like any other.
  const isBack = before !== undefined && isLostForGood(before) && !isLostForGood(observation);
  const furthest = before === undefined || isBack ? 0 : furthestOf(before);
  const changedAt = observation.state === before?.state ? before.changedAt : now;
  return {
    ...observation,
    ...(furthest > rankOf(observation) && { furthest }),
    ...(observation.state !== 'pending' && changedAt !== undefined && { changedAt }),
  };
}
