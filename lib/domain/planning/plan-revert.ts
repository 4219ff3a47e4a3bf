import type { ServiceAbilities } from '../endpoint/abilities.ts';
import { type Endpoint, isConverged, isStopped, troublesOf } from '../endpoint/endpoint.ts';
import { REGISTERING_MS } from '../endpoint/rolls.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import type { LeftOutEndpoint } from '../rollout/plan.ts';
import type { RolloutPolicy, Verification } from '../rollout/policy.ts';
import type { AskedRollout } from '../rollout/record.ts';
import { keptAttributes } from './named-attributes.ts';
import { identityOf, isMovedByService, layOut, sortByName } from './plan-rollout.ts';
import { type Rolled, rolledBy, type Undoing, type Undone } from './undo.ts';

export type Reverted = Pick<AskedRollout, 'request' | 'plan' | 'journal'>;

/**
 * How a rollout is undone. Its waves and its limits hold on the way back too. But nothing bakes, because the versions
 * before have served already. No gate is asked, because an alarm that the rollout has set off must not keep it from
 * being undone. Nor does a status word matter that nobody knows. Windows and freezes are for releases. And what cannot go back stays as it is: a way back of the way
 * back would roll forward again.
 */
export function revertingPolicy(policy: RolloutPolicy): RolloutPolicy {
  return {
    ...policy,
    waves: policy.waves.map(({ bakeSeconds: _, windows: __, ...size }) => size),
    bakeSeconds: 0,
    onFailure: 'hold',
    allowDowngrade: true,
    statuses: { ...policy.statuses, unknown: 'accept' },
    verify: nothingOf(policy.verify),
    windows: [],
    freezes: [],
  };
}

function nothing(said: unknown): readonly [] | null {
  return Array.isArray(said) ? [] : null;
}

function nothingOf({ redAtStart: _, ...verify }: Verification): Verification {
  const fields = Object.entries(verify);
  // Times ask nothing.
  const emptied = fields.map(([name, said]) => [
    name,
    typeof said === 'number' ? said : nothing(said),
  ]);
  return { ...Object.fromEntries(emptied), approval: null };
}

/**
 * A rollout of its own that undoes another one. An endpoint is left out that is back already, that was stopped, or that
 * somebody else has moved since.
 *
 * @param endpoints The whole list of the runtime. One that is not in it any more is in the hands of somebody else.
 * @param policy As `revertingPolicy` says.
 * @param now Milliseconds since the Unix epoch: when the list was read.
 */
export function asListed(
  endpoints: readonly Endpoint[],
  policy: RolloutPolicy,
  abilities: ServiceAbilities,
  now: number,
): Undoing {
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const keep = keptAttributes(policy);
  return {
    find(rolled) {
      const endpoint = byId.get(rolled.before.endpointId);
      const found = findListed(rolled, endpoint, policy, now);
      if (found === null || typeof found === 'string' || endpoint === undefined) return found;
      return { ...found, ...keep(endpoint) };
    },
    layOut({ planned, leftOut }) {
      const ids = new Set([...planned, ...leftOut].map(({ endpointId }) => endpointId));
      const others = endpoints.flatMap((endpoint): LeftOutEndpoint[] => {
        if (ids.has(endpoint.id)) return [];
        const reason = isMovedByService(endpoint, abilities) ? 'moved-by-service' : 'not-selected';
        return [{ ...identityOf(endpoint), reason }];
      });
      // The plan before had them in the order of its own waves.
      const sorted = sortByName(planned, ({ endpointId }) => endpointId);
      const all = { planned: sorted, leftOut: [...leftOut, ...others] };
      return layOut(all, endpoints, policy, abilities);
    },
  };
}

/**
 * The lowest version that a rollout which is undone goes back to. When it has rolled nothing, its own version: nothing
 * is left to do there.
 *
 * @throws `NothingToRevert` when it never had a version, or is itself a revert.
 */
export function versionBefore(reverted: Reverted): number {
  refuseUndoing(reverted);
  const { rolloutId, desiredVersion } = reverted.request;
  const versions = versionsBefore(reverted);
  if (versions.length > 0) return Math.min(...versions);
  if (desiredVersion !== null) return desiredVersion;
  const message = `Rollout ${JSON.stringify(rolloutId)} never began, so there is nothing to undo.`;
  throw new SteprollError(ErrorName.NothingToRevert, message);
}

/**
 * To undo a revert would roll forward, without a gate, a bake or a lock: whoever wants that starts a rollout to the version.
 *
 * @throws `NothingToRevert`
 */
export function refuseUndoing({ request, plan }: Reverted): void {
  if (request.revert === undefined) return;
  const before = (plan?.endpoints ?? []).flatMap(({ previousVersion }) => previousVersion ?? []);
  const which = before.length === 0 ? 'the version' : `version ${Math.max(...before)}`;
  const message = `Rollout ${JSON.stringify(request.rolloutId)} is itself a revert, and to undo it would roll forward with no gate: start a rollout to ${which} instead.`;
  throw new SteprollError(ErrorName.NothingToRevert, message);
}

/** The versions that a rollout which is undone goes back to, one for each endpoint. */
export function versionsBefore(reverted: Undone): number[] {
  return rolledBy(reverted).flatMap(({ previousVersion }) => previousVersion ?? []);
}

/** A list that shows it where it goes less than a minute after its roll may be an old answer. */
function findListed(
  { before: { desiredVersion }, previousVersion, forwardAt }: Rolled,
  endpoint: Endpoint | undefined,
  { statuses }: RolloutPolicy,
  now: number,
): ReturnType<Undoing['find']> {
  if (endpoint === undefined) return 'moved';
  if (isStopped(endpoint, statuses)) return 'stopped';
  const { targetVersion, liveVersion } = endpoint;
  const known = [null, 0, previousVersion, desiredVersion];
  if (!known.includes(targetVersion) || !known.includes(liveVersion)) return 'moved';
  const isThere = previousVersion !== null && isConverged(endpoint, previousVersion, statuses);
  const isRecent = forwardAt !== null && Math.abs(now - forwardAt) < REGISTERING_MS;
  if (isThere && !isRecent) return 'at-version';
  return {
    previousVersion: isThere ? desiredVersion : liveVersion,
    previousTarget: isThere ? desiredVersion : targetVersion,
    wrongBefore: troublesOf(endpoint, statuses),
  };
}
