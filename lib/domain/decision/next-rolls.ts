import {
  type Endpoint,
  isFailed,
  isStopped,
  type PlannedEndpoint,
  type StatusWords,
} from '../endpoint/endpoint.ts';
import type { Direction, JournalEntry } from '../endpoint/journal.ts';
import {
  isForeign,
  isInMidRoll,
  isLongUnregistered,
  isOnItsWay,
  isUnknownTo,
  type Observation,
} from '../endpoint/observation.ts';
import {
  isAnyAccepted,
  isOverdue,
  isRefused,
  NO_ROLLS,
  type RollHistory,
  rollHistories,
  wasSent,
} from '../endpoint/rolls.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { firstPollSeconds } from '../wave/polls.ts';
import type { Decision } from './decision.ts';

/**
 * The endpoints to roll next, by position, rising: as many as are pending and may be unavailable now. What
 * was in mid-roll before is unavailable already, so it counts, and rolling it takes nobody's place. Until the
 * service has accepted a roll of this rollout one goes alone, so that a version which it refuses is refused
 * once. On the way back, what is known to be broken goes at once and does not count: it has nothing to lose.
 */
export function chooseRolls(
  plan: RolloutPlan,
  observations: readonly Observation[],
  journal: readonly JournalEntry[],
): number[] {
  const isBack = plan.direction === 'back';
  const counted = observations.filter(({ isBroken }) => isBroken !== true);
  const sent = counted.filter(isInMidRoll).length;
  const moving = counted.filter(({ isMoving }) => isMoving === true).length;
  let room = plan.maxUnavailable - sent - moving;
  let roomToTurn = isBack ? plan.maxUnavailable - sent : Number.POSITIVE_INFINITY;
  const mayGo = ({ isBroken, isMoving }: Observation): boolean => {
    if (isBroken) return true;
    if (isMoving) return roomToTurn-- > 0;
    return room-- > 0;
  };
  const chosen = observations.flatMap((each, position) =>
    each.state === 'pending' && mayGo(each) ? [position] : [],
  );
  if (isBack || isAnyAccepted(journal)) return chosen;
  return observations.some(isInMidRoll) ? [] : chosen.slice(0, 1);
}

export function findRolls(
  record: RolloutRecord,
  plan: RolloutPlan,
  { wave, observations }: WaveProgress,
  tolerated: ReadonlySet<number>,
  now: number,
): number[] {
  const { from = 0 } = plan.waves[wave] ?? {};
  // While a wave that was trusted is not what it was, nothing more is rolled.
  const hasRegressed = observations
    .slice(0, from)
    .some(({ state }, position) => state !== 'converged' && !tolerated.has(position));
  if (hasRegressed) return [];
  const histories = rollHistories(record.journal, plan.direction);
  const overdue = plan.endpoints.flatMap(({ endpointId }, position) => {
    const isLate = isOverdue(histories.get(endpointId) ?? NO_ROLLS, now);
    const observation = observations[position];
    return isLate && observation && isLongUnregistered(observation) ? [position] : [];
  });
  return [...overdue, ...chooseRolls(plan, observations, record.journal)].sort((a, b) => a - b);
}

/**
 * - `roll`: send it.
 * - `found-rolled`: we meant to roll it, never learned what came of it, and it is on its way.
 * - `leave`: nothing to send. It is there already, gone, stopped, somebody else's, refused for
 *   good, or an earlier roll may still show.
 */
export type RollDecision = 'roll' | 'found-rolled' | 'leave';

export interface RollEvidence {
  readonly planned: PlannedEndpoint;
  /** The endpoint in a list read just now. */
  readonly endpoint: Endpoint | undefined;
  readonly history: RollHistory;
  /** It was chosen as broken, beside those that may be unavailable: one that has recovered has to wait its turn. */
  readonly isBroken: boolean;
}

/** Decides whether an endpoint is rolled, from a list that was read for this decision at `now`. */
export function decideRoll(
  evidence: RollEvidence,
  statuses: StatusWords,
  now: number,
): RollDecision {
  const { planned, endpoint, history } = evidence;
  if (endpoint === undefined || isLeftAlone(evidence, endpoint, statuses)) return 'leave';
  if (endpoint.targetVersion === planned.desiredVersion) {
    return decideAtTarget(evidence, endpoint, statuses);
  }
  if (isRefused(history)) return 'leave';
  const isLost = endpoint.targetVersion !== null && isOverdue(history, now);
  return !wasSent(history) || isLost ? 'roll' : 'leave';
}

/** Its target is the desired version already. */
function decideAtTarget(
  { planned, history }: RollEvidence,
  endpoint: Endpoint,
  statuses: StatusWords,
): RollDecision {
  if (wasSent(history)) {
    // One that is there already may be an old answer, from when it was on that version before.
    const isFound = history.last?.result !== 'accepted' && isOnItsWay(planned, endpoint);
    return isFound ? 'found-rolled' : 'leave';
  }
  // Somebody rolled it there before, and it failed.
  const isStranded = planned.failedBefore && isFailed(endpoint, statuses);
  return isStranded && !isUnknownTo(planned, endpoint.liveVersion) ? 'roll' : 'leave';
}

/** Somebody else has moved or stopped it, or it was chosen as broken and has recovered. */
function isLeftAlone(
  { planned, isBroken }: RollEvidence,
  endpoint: Endpoint,
  statuses: StatusWords,
): boolean {
  const hasRecovered = isBroken && !isFailed(endpoint, statuses);
  return isForeign(planned, endpoint) || isStopped(endpoint, statuses) || hasRecovered;
}

/** What the waves before leave behind. */
type Earlier = Pick<WaveProgress, 'observations' | 'fastestRollMs'>;

const NOTHING: Earlier = { observations: [], fastestRollMs: null };

/** Begins a wave after those before it: rolls as many endpoints as may be unavailable at once. */
export function startWave(
  { request, journal }: Pick<RolloutRecord, 'request' | 'journal'>,
  plan: RolloutPlan,
  wave: number,
  earlier: Earlier = NOTHING,
): Decision {
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const observations = [
    ...earlier.observations,
    ...plan.endpoints.slice(from, to).map((planned) => pendingAsPlanned(planned, plan.direction)),
  ];
  return {
    next: 'roll',
    wave,
    positions: chooseRolls(plan, observations, journal),
    seconds: firstPollSeconds(request.policy, earlier.fastestRollMs),
  };
}

/** As the plan has it, until a read tells more. */
function pendingAsPlanned(
  { previousVersion, previousTarget, isBroken, isUnsettled }: PlannedEndpoint,
  direction: Direction,
): Observation {
  const wasMoving = previousTarget !== null && previousTarget !== previousVersion;
  const isMoving = direction === 'back' ? isUnsettled === true : wasMoving;
  return {
    state: 'pending',
    reads: 1,
    ...(isMoving && { isMoving }),
    ...(isBroken && { isBroken }),
  };
}
