import type { Hold } from '../../domain/holds/hold.ts';
import { quarantinesFor } from '../../domain/holds/what-holds.ts';
import { unlistable } from '../../domain/planning/abilities.ts';
import { decideVersion, findVersion } from '../../domain/planning/find-version.ts';
import { type Picked, pickVersion } from '../../domain/planning/passed-over.ts';
import { versionBefore } from '../../domain/planning/plan-revert.ts';
import { refuseVersionStep, resolveVersion } from '../../domain/planning/version.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { isSettled, waitedBy } from '../../domain/rollout/opening.ts';
import {
  type AskedVersion,
  askedVersionOf,
  LATEST,
  type PassedOver,
} from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { StepPorts } from '../io/ports.ts';
import {
  type Condition,
  type Configured,
  type OpeningPorts,
  type Ready,
  type Settled,
  Unread,
  type WithHolds,
  waitPatiently,
} from './condition.ts';
import { readPatiently, readToOpen } from './list.ts';
import { readReverted } from './plan.ts';

/** It is known where the rollout goes, and the version has been made. */
export const versionKnown: Condition<Configured & WithHolds, Pick<Ready, 'request'>> = {
  async ask(rollout, ports) {
    const { versions: _, passedOver: __, ...request } = rollout.request;
    const isGroup = groupNameOf(request.runtimeId) !== null;
    const settled =
      isGroup && request.revert === undefined
        ? await settleOfGroup(rollout, ports)
        : await settleVersion(rollout, ports);
    const known = { ...request, ...settled };
    // The list of a group shows what its runtimes go to, and reads that from the ledger.
    const effect = () => ports.ledger.saveWaiting(known, rollout);
    return { decision: 'go', learnt: { request: known }, ...(isGroup && { effect }) };
  },
};

/** Each runtime of a group may have a version of its own. */
function settleOfGroup(rollout: Configured, ports: OpeningPorts): Promise<Settled> {
  return readPatiently('versions', () => ports.settleGroup(rollout.request), rollout, ports);
}

/** The version that is not known when a rollout is asked for is found once and then kept, even while it waits. */
async function settleVersion(rollout: Configured & WithHolds, ports: StepPorts): Promise<Settled> {
  const { request } = rollout;
  const { runtimeId, versionFrom, revert, policy } = request;
  if (revert !== undefined) {
    const { service, ledger } = ports;
    const reverted = await readReverted({ ...request, revert }, service.url, ledger);
    return settledOn(versionBefore(reverted));
  }
  if (isSettled(rollout) && request.desiredVersion !== null) {
    return settledOn(request.desiredVersion, request.passedOver);
  }
  const quarantines = quarantinesFor(request, rollout.holds, ports.clock.now());
  const known = await awaitVersion(rollout, quarantines, ports);
  // Such a low version passes the check whatever the list says.
  if (known !== null && known.desiredVersion <= policy.maxVersionStep) return known;
  const endpoints = await readToOpen(rollout, ports);
  const take = async (signal: AbortSignal) => {
    const from = resolveVersion(endpoints, versionFrom ?? '', policy.statuses);
    return takeVersion(runtimeId, from, ports.service, quarantines, signal);
  };
  const settled = known ?? (await readPatiently('versions', take, rollout, ports));
  // This is checked now and not with the plan, because nobody may give way to a request for such a version.
  refuseVersionStep(endpoints, settled.desiredVersion, policy);
  return settled;
}

/**
 * Looks the version up in the list of versions, and waits until it is made. `null`: it is taken from an endpoint, so
 * it exists.
 *
 * @throws `Unread`, `VersionUnknown`, `VersionsUnsupported`, and errors of the list that waiting does not mend.
 */
async function awaitVersion(
  rollout: Configured,
  quarantines: readonly Hold[],
  ports: StepPorts,
): Promise<Settled | null> {
  const { runtimeId, policy } = rollout.request;
  const asked = askedVersionOf(rollout.request);
  if (asked === null) return null;
  const lookUp = (signal: AbortSignal) =>
    lookUpVersion(runtimeId, asked, ports.service, quarantines, signal);
  const { found, passedOver } = await readPatiently('versions', lookUp, rollout, ports);
  const now = ports.clock.now();
  const decided = decideVersion(found, waitedBy(rollout, now).version, policy);
  if (decided.decision === 'wait') throw new Unread(waitPatiently('version', decided, now));
  return settledOn(decided.version, passedOver);
}

type Versions = Pick<EndpointService, 'abilities' | 'listVersions'>;

/**
 * What the service says of a version that was asked for. The latest version is none of the quarantines that are in force.
 * Where it cannot list versions, a number is taken for granted.
 *
 * @throws `VersionsUnsupported` when it cannot say which version is the latest one, and errors of the list.
 */
export async function lookUpVersion(
  runtimeId: string,
  asked: AskedVersion,
  service: Versions,
  quarantines: readonly Hold[] = [],
  signal?: AbortSignal,
): Promise<Picked> {
  if (service.abilities.listsVersions) {
    const versions = await service.listVersions(runtimeId, signal);
    return asked === LATEST
      ? pickVersion(runtimeId, versions, LATEST, quarantines)
      : { found: findVersion(versions, asked), passedOver: [] };
  }
  if (asked === LATEST) throw unlistable();
  return { found: { state: 'ready', version: asked }, passedOver: [] };
}

/**
 * The version that is taken from an endpoint, or the next one below that is not in quarantine. Where versions cannot be
 * listed, nobody knows that one, and the start is refused.
 *
 * @throws errors of the list of versions.
 */
export async function takeVersion(
  runtimeId: string,
  version: number,
  service: Versions,
  quarantines: readonly Hold[],
  signal?: AbortSignal,
): Promise<Settled> {
  const isHeld = quarantines.some(({ scope }) => scope.version === version);
  if (!isHeld || !service.abilities.listsVersions) return { desiredVersion: version };
  const versions = await service.listVersions(runtimeId, signal);
  const { found, passedOver } = pickVersion(runtimeId, versions, version, quarantines);
  return found.state === 'ready'
    ? settledOn(found.version, passedOver)
    : { desiredVersion: version };
}

export function settledOn(desiredVersion: number, passedOver: readonly PassedOver[] = []): Settled {
  return { desiredVersion, ...(passedOver.length > 0 && { passedOver }) };
}
