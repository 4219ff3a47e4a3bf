import type { Ending } from '../decision.ts';
import type { Observation, RolloutPlan, RolloutRecord, WaveProgress } from '../rollout.ts';
import { hasConverged, hasVanished, type WaveFailure } from './judge-wave.ts';
import { NO_ROLLS, rollHistories } from './roll-history.ts';

/** The sentences that people read when a wave decides how a rollout ends. */
export function describeSuccess({ request }: RolloutRecord, plan: RolloutPlan): Ending {
  const rolled = countOf(plan.endpoints.length, 'endpoint');
  const waves = countOf(plan.waves.length, 'wave');
  return {
    outcome: 'Succeeded',
    reason: 'Converged',
    message: `${rolled} rolled to version ${request.desiredVersion} in ${waves}.${leftOut(plan)}`,
  };
}

export function describeNothingToDo(
  { desiredVersion }: RolloutRecord['request'],
  plan: RolloutPlan,
): Ending {
  return {
    outcome: 'Succeeded',
    reason: 'NothingToDo',
    message: `Nothing to do for version ${desiredVersion}.${leftOut(plan)}`,
  };
}

export function describeLoss(
  reason: WaveFailure,
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  const { request } = record;
  const wave = waveOf(plan, progress);
  const { desiredVersion, policy } = request;
  switch (reason) {
    case 'Stalled': {
      const late = namesWhere(plan, progress, (observation) => !hasConverged(observation));
      return failed(
        reason,
        `${wave} made no progress for ${policy.progressDeadlineSeconds} s: ${late} not live on version ${desiredVersion}.`,
      );
    }
    case 'EndpointVanished': {
      const gone = namesWhere(plan, progress, hasVanished);
      return failed(reason, `${wave}: ${gone} gone from the list.`);
    }
    case 'EndpointFailed':
      return describeFailure(record, plan, progress);
    default:
      return reason satisfies never;
  }
}

/** A roll that the service refused has a reason of its own: the error it refused it with. */
function describeFailure(record: RolloutRecord, plan: RolloutPlan, progress: WaveProgress): Ending {
  const wave = waveOf(plan, progress);
  const names = namesWhere(plan, progress, ({ state }) => state === 'failed');
  const histories = rollHistories(record.journal);
  const refusal = progress.observations
    .map(({ state }, position) => {
      const id = plan.endpoints[position]?.endpointId ?? '';
      return state === 'failed' ? (histories.get(id) ?? NO_ROLLS).last : undefined;
    })
    .find((entry) => entry?.result === 'rejected');
  if (refusal?.reason === undefined) {
    return failed('EndpointFailed', `${wave}: ${names} in a failed state.`);
  }
  return failed(
    refusal.reason,
    `${wave}: ${names} not rolled or in a failed state. ${refusal.message ?? ''}`.trim(),
  );
}

export function describeRegress(
  { request }: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  const names = namesWhere(plan, progress, (observation) => !hasConverged(observation));
  return failed(
    'LiveRegressed',
    `${waveOf(plan, progress)}: ${names} no longer live on version ${request.desiredVersion} after the bake.`,
  );
}

export function describeSuperseded(
  { request }: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  const names = namesWhere(
    plan,
    progress,
    ({ state }) => state === 'superseded' || state === 'reverted',
  );
  return {
    outcome: 'Superseded',
    reason: 'Superseded',
    message: `${waveOf(plan, progress)}: ${names} in the hands of somebody else on the way to version ${request.desiredVersion}.`,
  };
}

function failed(reason: string, message: string): Ending {
  return { outcome: 'Failed', reason, message };
}

function waveOf(plan: RolloutPlan, progress: WaveProgress): string {
  return `Wave ${progress.wave + 1} of ${plan.waves.length}`;
}

const MAX_NAMES = 3;

/** "web-03 is", "web-03 and web-04 are", "web-03, web-04, web-05 and 7 more are". */
function namesWhere(
  plan: RolloutPlan,
  progress: WaveProgress,
  isMeant: (observation: Observation) => boolean,
): string {
  const names = progress.observations.flatMap((observation, position) => {
    const planned = plan.endpoints[position];
    return planned !== undefined && isMeant(observation)
      ? [planned.name ?? planned.endpointId]
      : [];
  });
  const shown = names.slice(0, MAX_NAMES);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more are`;
  const last = shown.pop() ?? 'no endpoint';
  return shown.length > 0 ? `${shown.join(', ')} and ${last} are` : `${last} is`;
}

function leftOut({ leftOut }: RolloutPlan): string {
  const atVersion = leftOut.filter(({ reason }) => reason === 'at-version').length;
  const stopped = leftOut.length - atVersion;
  const parts = [
    ...(atVersion > 0 ? [`${atVersion} at the version already`] : []),
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
  ];
  return parts.length > 0 ? ` Left alone: ${parts.join(', ')}.` : '';
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
