import type { ServiceAbilities } from '../endpoint/abilities.ts';
import { NO_ATTEMPTS } from '../endpoint/attempts.ts';
import {
  type Endpoint,
  isConverged,
  isFailed,
  isStopped,
  type PlannedEndpoint,
} from '../endpoint/endpoint.ts';
import { REGISTERING_MS, rollHistories, wasSent } from '../endpoint/rolls.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import type { LeftOutEndpoint, LeftOutReason, RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy, Verification } from '../rollout/policy.ts';
import type { AskedRollout } from '../rollout/record.ts';
import { isMovedByService, layOut, sortByName } from './plan-rollout.ts';

/** A rollout that has ended, and what it wrote. */
export type Reverted = Pick<AskedRollout, 'request' | 'plan' | 'journal'>;

/**
 * How a rollout is undone. Its waves and its limits hold on the way back too. But nothing bakes, because the versions
 * before have served already. No gate is asked, because an alarm that the rollout has set off must not keep it from
 * being undone. Windows and freezes are for releases. And what cannot go back stays as it is: a way back of the way
 * back would roll forward again.
 */
export function revertingPolicy(policy: RolloutPolicy): RolloutPolicy {
  return {
    ...policy,
    waves: policy.waves.map(({ bakeSeconds: _, ...size }) => size),
    bakeSeconds: 0,
    onFailure: 'hold',
    allowDowngrade: true,
    verify: nothingOf(policy.verify),
    windows: [],
    freezes: [],
  };
}

function nothingOf(verify: Verification): Verification {
  const fields = Object.entries(verify);
  const emptied = fields.map(([name, said]) => [name, Array.isArray(said) ? [] : null]);
  return { ...Object.fromEntries(emptied), approval: null };
}

/**
 * Plans to undo a rollout: every endpoint that it may have rolled goes back to the version that its plan recorded. An
 * endpoint is left out that is back already, that was stopped, or that somebody else has moved since.
 *
 * @param endpoints The whole list of the runtime. One that is not in it any more is in the hands of somebody else.
 * @param policy As `revertingPolicy` says.
 * @param now Milliseconds since the Unix epoch: when the list was read.
 */
export function planRevert(
  endpoints: readonly Endpoint[],
  reverted: Reverted,
  policy: RolloutPolicy,
  abilities: ServiceAbilities,
  now: number,
): RolloutPlan {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const planned: PlannedEndpoint[] = [];
  const leftOut: LeftOutEndpoint[] = [];
  const rolled = rolledBy(reverted);
  for (const { before, isRecent } of rolled.map((one) => withAge(one, now))) {
    const { endpointId, name, previousVersion } = before;
    const endpoint = byId.get(endpointId);
    const reason = reasonToLeave(before, endpoint, isRecent, policy);
    if (reason !== undefined || endpoint === undefined || previousVersion === null) {
      leftOut.push({ endpointId, name, reason: reason ?? 'moved' });
    } else {
      planned.push(turnBack(before, previousVersion, endpoint, policy));
    }
  }
  const ids = new Set(rolled.map(({ before }) => before.endpointId));
  for (const endpoint of endpoints.filter(({ id }) => !ids.has(id))) {
    const reason = isMovedByService(endpoint, abilities) ? 'moved-by-service' : 'not-selected';
    leftOut.push({ endpointId: endpoint.id, name: endpoint.name, reason });
  }
  // The plan before had them in the order of its own waves.
  const sorted = sortByName(planned, ({ endpointId }) => endpointId);
  return layOut({ planned: sorted, leftOut }, endpoints, policy, abilities);
}

/**
 * The lowest version that a rollout which is undone goes back to. When it has rolled nothing, its own version: nothing
 * is left to do there.
 *
 * @throws `NothingToRevert` when it never had a version.
 */
export function versionBefore(reverted: Reverted): number {
  const { rolloutId, desiredVersion } = reverted.request;
  const versions = versionsBefore(reverted);
  if (versions.length > 0) return Math.min(...versions);
  if (desiredVersion !== null) return desiredVersion;
  const message = `Rollout ${JSON.stringify(rolloutId)} never began, so there is nothing to undo.`;
  throw new SteprollError(ErrorName.NothingToRevert, message);
}

/** The versions that a rollout which is undone goes back to, one for each endpoint. */
export function versionsBefore(reverted: Reverted): number[] {
  return rolledBy(reverted).flatMap(({ before: { previousVersion } }) =>
    previousVersion === null || previousVersion < 1 ? [] : [previousVersion],
  );
}

/** An endpoint that a rollout may have rolled, as its plan has it. */
interface Rolled {
  readonly before: PlannedEndpoint;
  /** Milliseconds since the Unix epoch: its last roll forward. `null`: the rollout has rolled it back after that. */
  readonly forwardAt: number | null;
}

function rolledBy({ plan, journal }: Reverted): Rolled[] {
  const forward = rollHistories(journal, 'forward');
  const back = rollHistories(journal, 'back');
  return (plan?.endpoints ?? []).flatMap((before) => {
    const history = forward.get(before.endpointId) ?? NO_ATTEMPTS;
    if (!wasSent(history)) return [];
    const isBack = wasSent(back.get(before.endpointId) ?? NO_ATTEMPTS);
    return [{ before, forwardAt: isBack ? null : (history.last?.at ?? null) }];
  });
}

/** Less than a minute after its roll, a list may still show an endpoint as it was before. */
function withAge({ before, forwardAt }: Rolled, now: number) {
  return {
    before,
    isRecent: forwardAt !== null && Math.abs(now - forwardAt) < REGISTERING_MS,
  };
}

function reasonToLeave(
  { previousVersion, desiredVersion }: PlannedEndpoint,
  endpoint: Endpoint | undefined,
  isRecent: boolean,
  { statuses }: RolloutPolicy,
): LeftOutReason | undefined {
  if (previousVersion === null || previousVersion < 1) return 'previous-unknown';
  if (endpoint === undefined) return 'moved';
  if (isStopped(endpoint, statuses)) return 'stopped';
  const isOurs = (version: number | null) =>
    version === null || version === 0 || [previousVersion, desiredVersion].includes(version);
  if (!isOurs(endpoint.targetVersion) || !isOurs(endpoint.liveVersion)) return 'moved';
  const isBack = isConverged(endpoint, previousVersion, statuses) && !isRecent;
  return isBack ? 'at-version' : undefined;
}

/** An endpoint that the list shows where it goes is there because of an old answer, so that is not believed. */
function turnBack(
  { endpointId, name, desiredVersion }: PlannedEndpoint,
  previousVersion: number,
  endpoint: Endpoint,
  { statuses }: RolloutPolicy,
): PlannedEndpoint {
  const isOldAnswer = isConverged(endpoint, previousVersion, statuses);
  return {
    endpointId,
    name,
    desiredVersion: previousVersion,
    previousVersion: isOldAnswer ? desiredVersion : endpoint.liveVersion,
    previousTarget: isOldAnswer ? desiredVersion : endpoint.targetVersion,
    failedBefore: isFailed(endpoint, statuses),
    ...(endpoint.replicas === 0 && { wasDark: true as const }),
  };
}
