import { type Endpoint, isConverged, isStopped, listNames } from '../endpoint/endpoint.ts';
import { hasConverged, isLetGo, type Observation } from '../endpoint/observation.ts';
import { listPinned } from '../planning/pinned.ts';
import { isSelected } from '../planning/selection.ts';
import { nounOf } from '../rollout/group.ts';
import type { Ending } from '../rollout/outcome.ts';
import { LEFT_OUT_WORDS, type RolloutPlan } from '../rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { describeWanted, versionFor } from '../rollout/request.ts';
import { countOf, nameOf } from '../sentences.ts';
import { describePromoted } from '../signals/promote.ts';
import { namesWhere } from './failure.ts';

/** The reason of a success in which some endpoints were lost, but no more than the policy allows. */
export const WITHIN_THRESHOLD = 'ConvergedWithinThreshold';

/** The reason of a success that has let go of endpoints, because they were pinned meanwhile: perhaps of all of them. */
export const WITHOUT_PINNED = 'ConvergedWithoutPinned';

export const NOTHING_TO_DO = 'NothingToDo';

/** The sentence that tells people that a rollout has succeeded. @param listed The last read of the list. */
export function describeSuccess(
  { request }: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
  listed: readonly Endpoint[],
): Ending {
  const there = progress.observations.filter(hasConverged).length;
  const isComplete = there === plan.endpoints.length;
  const within = (isMeant: (each: Observation) => boolean, what: string, words: string) =>
    progress.observations.some(isMeant)
      ? ` ${what} within the failure threshold: ${namesWhere(plan, progress, isMeant)} ${words}.`
      : '';
  const isPinned = (each: Observation) => !hasConverged(each) && isLetGo(each);
  const isLost = (each: Observation) =>
    !hasConverged(each) && !isLetGo(each) && each.refused === undefined;
  const isRefused = ({ refused }: Observation) => refused !== undefined;
  const words = `${within(isLost, 'Lost', 'not live on it')}${within(isRefused, 'Not rolled', 'refused')}`;
  const isAnyLost = progress.observations.some((each) => !hasConverged(each) && !isLetGo(each));
  const letGo = progress.observations.some(isPinned)
    ? ` Let go of: ${namesWhere(plan, progress, isPinned)} pinned meanwhile.`
    : '';
  const early = progress.promoted ? describePromoted(progress.wave, progress.gates) : '';
  return {
    outcome: 'Succeeded',
    reason: isComplete ? 'Converged' : isAnyLost ? WITHIN_THRESHOLD : WITHOUT_PINNED,
    message: `${countOf(there, nounOf(request.runtimeId))} rolled to ${describeWanted(request)} in ${countOf(plan.waves.length, 'wave')}.${words}${letGo}${early}${leftOut(plan)}${newcomers(request, plan, listed)}`,
  };
}

export function describeNothingToDo(request: RolloutRecord['request'], plan: RolloutPlan): Ending {
  return {
    outcome: 'Succeeded',
    reason: NOTHING_TO_DO,
    message: `Nothing to do for ${describeWanted(request)}.${leftOut(plan)}`,
  };
}

function leftOut({ leftOut }: RolloutPlan): string {
  const parts = Object.entries(LEFT_OUT_WORDS).flatMap(([reason, words]) => {
    const those = leftOut.filter((each) => each.reason === reason);
    if (those.length === 0) return [];
    // They were meant to be rolled, and no retry rolls them: a success must not hide which.
    const which =
      reason === 'stopped'
        ? ` (${listNames(those.map(nameOf))})`
        : reason === 'pinned'
          ? ` (${listPinned(those)})`
          : '';
    return [`${those.length} ${words}${which}`];
  });
  return parts.length > 0 ? ` Left alone: ${parts.join(', ')}.` : '';
}

/** Endpoints that the rollout would have rolled, had they been there when its plan was made. */
function newcomers(
  request: RolloutRecord['request'],
  { endpoints, leftOut }: RolloutPlan,
  listed: readonly Endpoint[],
): string {
  const { selection, statuses } = request.policy;
  const known = new Set([...endpoints, ...leftOut].map(({ endpointId }) => endpointId));
  const names = listed
    .filter(
      (endpoint) =>
        !known.has(endpoint.id) &&
        isSelected(endpoint, selection) &&
        !isStopped(endpoint, statuses) &&
        !isConverged(endpoint, versionFor(request, endpoint.id), statuses),
    )
    .map(nameOf);
  if (names.length === 0) return '';
  const came = names.length === 1 ? 'came after the plan, and is' : 'came after the plan, and are';
  return ` ${countOf(names.length, nounOf(request.runtimeId))} ${came} not on that version: ${listNames(names)}.`;
}
