import type { Watched } from '../clock.ts';
import { type Attempts, NO_ATTEMPTS } from '../endpoint/attempts.ts';
import {
  type Endpoint,
  isBusy,
  isConverged,
  isFailed,
  isStopped,
  type PlannedEndpoint,
  type StatusWords,
  targetOf,
} from '../endpoint/endpoint.ts';
import type { JournalEntry } from '../endpoint/journal.ts';
import { type Leg, legOf } from '../endpoint/leg.ts';
import {
  hasConverged,
  isInMidRoll,
  isLetGo,
  isLostForGood,
  isShownConverged,
  type Observation,
  REGISTERING_READS,
} from '../endpoint/observation.ts';
import {
  isForeign,
  isOnItsWay,
  isUnknownTo,
  mayBeMoving,
  mayBeStranded,
} from '../endpoint/observe-endpoint.ts';
import {
  findLockout,
  isAnyTaken,
  isOverdue,
  isPostponed,
  isPutOff,
  isRefused,
  mayRepeat,
  rollsOfPlan,
  wasSent,
} from '../endpoint/rolls.ts';
import { unknownWordOf } from '../endpoint/status-words.ts';
import { mostAtALook } from '../planning/batches.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { firstPollSeconds } from '../wave/polls.ts';
import { type Decision, waitFor } from './decision.ts';

/**
 * The endpoints to roll next, by index, rising: as many pending endpoints as may be unavailable now. An endpoint
 * that was in mid-roll before the rollout is unavailable already. So it counts, and to roll it makes no further
 * endpoint unavailable. But it may come to rest before it is rolled, so no more of them go at once than may be
 * unavailable. One that the service will not roll for now takes nobody's place: until it is asked again, the others go,
 * and then those first that the service is not at work on. Until the service has accepted a roll of this rollout, one
 * endpoint goes alone, so that a bad version is refused only once. One goes alone, too, as long as nobody is let in. What
 * is lost is at risk like what is in mid-roll, where the plan limits that: then an
 * endpoint that is moving already needs room as well, because it may be lost like any other. In a rollback, endpoints
 * that are known to be broken go at once and count nowhere: they have nothing to lose.
 */
export function chooseRolls(
  plan: RolloutPlan,
  observations: readonly Observation[],
  journal: readonly JournalEntry[],
  now: Watched,
): number[] {
  const { undoes, tolerates } = legOf(plan);
  const sent = observations.filter(takesAPlace).length;
  const moving = observations.filter(({ isBroken, isMoving }) => isMoving && !isBroken).length;
  const lost = tolerates === 'lost-before' ? 0 : observations.filter(isLostForGood).length;
  const atRisk = sent + lost;
  let roomAtRisk = (plan.maxAtRisk ?? Number.POSITIVE_INFINITY) - atRisk;
  let room = plan.maxUnavailable - sent - moving;
  let roomToTurn = plan.maxUnavailable - sent;
  const mayGo = ({ isBroken, isMoving }: Observation): boolean => {
    if (isBroken) return true;
    if (roomAtRisk <= 0) return false;
    const may = isMoving ? roomToTurn-- > 0 : room-- > 0;
    if (may) roomAtRisk -= 1;
    return may;
  };
  const histories = rollsOfPlan(journal, plan);
  const pending = observations.flatMap((each, index) => {
    const history = histories[index] ?? NO_ATTEMPTS;
    const isOpen = each.state === 'pending' && !isLetGo(each);
    const isAsked = isOpen && !isPutOff(history, each.isBusy === true, now);
    // What is moving is unavailable anyway, so to roll it soon costs nothing.
    const isLater = isPostponed(history) || (each.isBusy === true && each.isMoving !== true);
    return isAsked ? [{ each, index, isLater }] : [];
  });
  const chosen = pending
    .sort((one, other) => Number(one.isLater) - Number(other.isLater))
    .flatMap(({ each, index }) => (mayGo(each) ? [index] : []));
  // The one that goes alone is the first in turn, and not one that the service would not roll a moment ago.
  const together = () => goTogether(chosen, journal).sort((a, b) => a - b);
  const isShown = (id: string) =>
    plan.endpoints.some(
      ({ endpointId }, index) => endpointId === id && observations[index]?.hadTarget === true,
    );
  if (undoes !== null || isAnyTaken(journal, isShown)) return together();
  return observations.some(isOurs) ? [] : chosen.slice(0, 1);
}

export function findRolls(
  record: RolloutRecord,
  plan: RolloutPlan,
  { observations }: Pick<WaveProgress, 'observations'>,
  tolerated: ReadonlySet<number>,
  now: Watched,
): number[] {
  const open = observations.findIndex(
    (each, index) => !isShownConverged(each) && !tolerated.has(index),
  );
  const { to: end = 0 } = plan.waves.find(({ to }) => open < to) ?? {};
  const overdue = rollsOfPlan(record.journal, plan).flatMap((history, index) => {
    const observation = observations[index];
    if (observation?.state !== 'requested' || isLetGo(observation)) return [];
    const isLost = isOverdue(history, now) && observation.reads >= REGISTERING_READS;
    const isRepeatable = mayRepeat(history) && !isPutOff(history, false, now);
    return isLost || isRepeatable ? [index] : [];
  });
  // A roll that is repeated has its place among those in mid-roll already, unless more of them are there than may be:
  // an endpoint that was missing in the list for a while gave its place to another one.
  const tooMany = observations.filter(takesAPlace).length - plan.maxUnavailable;
  const repeated = overdue.slice(Math.max(0, tooMany));
  const rolls = [...repeated, ...chooseRolls(plan, observations, record.journal, now)];
  // While the list does not show every endpoint of an earlier, trusted wave converged, nothing after that wave is rolled.
  // A loss of it that was tolerated may be there again, and need its roll.
  const may = rolls.filter((index) => index < end).sort((a, b) => a - b);
  return goTogether(may, record.journal);
}

/** While nobody is let in, one roll at a look is enough to learn when that is over. */
function goTogether(rolls: readonly number[], journal: readonly JournalEntry[]): number[] {
  return rolls.slice(0, findLockout(journal) === undefined ? rolls.length : 1);
}

/** On the way back, what is known to be broken takes nobody's place. What is pinned meanwhile is unavailable all the same. */
function takesAPlace(observation: Observation): boolean {
  return observation.isBroken !== true && isInMidRoll(observation);
}

function isOurs(observation: Observation): boolean {
  return isInMidRoll(observation) && !isLetGo(observation);
}

/**
 * Whether a list that was read just now shows that somebody else has an endpoint of the wave. Then nothing of it is
 * rolled, and the next look ends the rollout.
 *
 * @param index Of any endpoint of the wave in the plan.
 * @param seen At the last look: what was let go of there does not count.
 */
export function isWaveTaken(
  plan: RolloutPlan,
  index: number,
  listed: ReadonlyMap<string, Endpoint>,
  seen: readonly Observation[],
): boolean {
  if (legOf(plan).others === 'pass') return false;
  const { waves, endpoints } = plan;
  const { from, to } = waves.find((wave) => index < wave.to) ?? NO_WAVE;
  return endpoints.slice(from, to).some((planned, place) => {
    const endpoint = listed.get(planned.endpointId);
    const before = seen[from + place];
    const isLeft = before !== undefined && isLetGo(before);
    return endpoint !== undefined && !isLeft && isForeign(planned, endpoint);
  });
}

const NO_WAVE = { from: 0, to: 0 };

/**
 * Whether a list shows every endpoint of the waves before that was converged at the last look.
 *
 * @param index Of any endpoint of the wave in the plan.
 */
export function areEarlierHeld(
  plan: RolloutPlan,
  index: number,
  seen: readonly Observation[],
  listed: ReadonlyMap<string, Endpoint>,
  statuses: StatusWords,
): boolean {
  const { waves, endpoints, restingWords } = plan;
  const { from } = waves.find((wave) => index < wave.to) ?? NO_WAVE;
  const isKnown = (endpoint: Endpoint) =>
    legOf(plan).undoes !== null || unknownWordOf(endpoint, statuses, restingWords) === undefined;
  return endpoints.slice(0, from).every(({ endpointId, desiredVersion }, place) => {
    const endpoint = listed.get(endpointId);
    if (seen[place]?.state !== 'converged') return true;
    return (
      endpoint !== undefined && isConverged(endpoint, desiredVersion, statuses) && isKnown(endpoint)
    );
  });
}

/**
 * - `roll`: send the roll.
 * - `found-rolled`: we intended to roll the endpoint and never learned the result, and it is on its way.
 * - `leave`: there is nothing to send. The endpoint is there already, gone, stopped, moved by somebody else or
 *   refused for good, or an earlier roll may still show.
 */
export type RollDecision = 'roll' | 'found-rolled' | 'leave';

export interface RollEvidence {
  readonly planned: PlannedEndpoint;
  /** The endpoint in a list read just now. */
  readonly endpoint: Endpoint | undefined;
  readonly history: Attempts;
  /** Chosen because it is broken, beyond those that may be unavailable: once it has recovered, it has to wait. */
  readonly isBroken: boolean;
  /** Chosen because it is on its way already, beyond those that may be unavailable: at rest it has to wait. */
  readonly isMoving: boolean;
  /** As in `Evidence`. */
  readonly rolledForwardAt?: Watched | undefined;
}

/** Decides whether an endpoint is rolled. The list was read at `now`, for this decision. */
export function decideRoll(
  evidence: RollEvidence,
  statuses: StatusWords,
  now: Watched,
): RollDecision {
  const { planned, endpoint, history } = evidence;
  if (endpoint === undefined || isLeftAlone(evidence, endpoint, statuses, now)) return 'leave';
  if (targetOf(endpoint) === planned.desiredVersion) {
    return decideAtTarget(evidence, endpoint, statuses, now);
  }
  if (endpoint.isBusy || !mayAsk(history, endpoint, statuses, now)) return 'leave';
  const isLost = endpoint.targetVersion !== null && isOverdue(history, now);
  return !wasSent(history) || isLost || mayRepeat(history) ? 'roll' : 'leave';
}

/** The service has not refused the roll, or it is time to ask again. */
function mayAsk(
  history: Attempts,
  endpoint: Endpoint,
  statuses: StatusWords,
  now: Watched,
): boolean {
  return !isRefused(history) && !isPutOff(history, isBusy(endpoint, statuses), now);
}

function decideAtTarget(
  { planned, history }: RollEvidence,
  endpoint: Endpoint,
  statuses: StatusWords,
  now: Watched,
): RollDecision {
  if (wasSent(history)) {
    // An endpoint that seems to be there already may be an old answer, from a time when it was on that version
    // before.
    const isFound = history.last?.result !== 'accepted' && isOnItsWay(planned, endpoint);
    return isFound ? 'found-rolled' : 'leave';
  }
  const isStranded = mayBeStranded(planned) && isFailed(endpoint, statuses);
  const mayGo = isStranded && mayAsk(history, endpoint, statuses, now);
  return mayGo && !isUnknownTo(planned, endpoint.liveVersion) ? 'roll' : 'leave';
}

/** Somebody else has moved or stopped it, or the reason is gone for which it was chosen in addition. */
function isLeftAlone(
  { planned, isBroken, isMoving, rolledForwardAt }: RollEvidence,
  endpoint: Endpoint,
  statuses: StatusWords,
  now: Watched,
): boolean {
  const hasFailed = isFailed(endpoint, statuses);
  const isAtRest = !hasFailed && !mayBeMoving({ planned, endpoint, rolledForwardAt, now });
  const hasToWait = (isBroken && !hasFailed) || (isMoving && isAtRest);
  return isForeign(planned, endpoint) || isStopped(endpoint, statuses) || hasToWait;
}

type Earlier = Pick<
  WaveProgress,
  'observations' | 'fastestRollMs' | 'usualRollMs' | 'watch' | 'clock'
>;

/**
 * Rolls as many of these as go at one look, and waits. The rest of them can begin at the next look, which need not wait until
 * one of these has ended.
 */
export function rollNow(
  { request: { policy } }: Pick<RolloutRecord, 'request'>,
  { wave }: Pick<WaveProgress, 'wave'>,
  indexes: readonly number[],
  { next: _, seconds, ...wait }: Extract<Decision, { next: 'wait' }>,
): Extract<Decision, { next: 'roll' }> {
  const now = indexes.slice(0, mostAtALook(policy.maxAtRisk));
  const isRestLeft = now.length < indexes.length;
  return {
    ...{ next: 'roll', wave, indexes: now },
    wait: { ...wait, for: 'roll', seconds: isRestLeft ? policy.pollSeconds : seconds },
  };
}

/** @param earlier What is known of the waves before, and the time by the clock of the rollout. */
export function startWave(
  { request, journal }: Pick<RolloutRecord, 'request' | 'journal'>,
  plan: RolloutPlan,
  wave: number,
  { clock, ...earlier }: Earlier,
): Extract<Decision, { next: 'roll' }> {
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const observations = [
    ...earlier.observations,
    ...plan.endpoints.slice(from, to).map((planned) => pendingAsPlanned(planned, legOf(plan))),
  ];
  // Nothing of it was refused yet; if this step runs twice, each roll is decided again before it is sent.
  const indexes = chooseRolls(plan, observations, journal, Number.POSITIVE_INFINITY);
  const isAllOnItsWay = indexes.length === to - from;
  const usualRollMs = isAllOnItsWay && isAllWell(earlier) ? earlier.usualRollMs : undefined;
  const seconds = firstPollSeconds(request.policy, earlier.fastestRollMs, usualRollMs ?? null);
  const leftMs = request.policy.progressDeadlineSeconds * 1000;
  const wait = waitFor('roll', { clock }, { seconds, leftMs });
  return rollNow({ request }, { wave }, indexes, wait);
}

/** Nothing was lost, and no gate watches: nobody has to look soon for the sake of the waves before. */
function isAllWell({ observations, watch }: Omit<Earlier, 'clock'>): boolean {
  return watch === undefined && observations.every(hasConverged);
}

/** An endpoint as the plan describes it, until a read tells more. */
export function pendingAsPlanned(
  { previousVersion, previousTarget, leftAs }: PlannedEndpoint,
  { undoes }: Pick<Leg, 'undoes'>,
): Observation {
  const wasMoving = previousTarget !== null && previousTarget !== previousVersion;
  const isMoving = undoes === null ? wasMoving : leftAs === 'unsettled';
  return {
    state: 'pending',
    reads: 1,
    ...(isMoving && { isMoving }),
    ...(leftAs === 'broken' && { isBroken: true as const }),
  };
}
