import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, errorMessageOf, errorNameOf, SteprollError } from '../../domain/errors.ts';
import { describeHold, WAITS_NO_LONGER } from '../../domain/holds/hold.ts';
import { unknownVersion } from '../../domain/planning/find-version.ts';
import { asListed, revertingPolicy } from '../../domain/planning/plan-revert.ts';
import { planUndo } from '../../domain/planning/undo.ts';
import { RUNTIME_STATUS } from '../../domain/rollout/group.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { versionFor } from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { PolicyOf, StepPorts } from '../io/ports.ts';
import { findRecord } from '../io/record.ts';
import type { Settled } from '../opening/condition.ts';
import { readStableList } from '../opening/list.ts';
import { planForward, refuseUnanswerable, type Trial } from '../opening/plan.ts';
import { lookUpVersion, settledOn } from '../opening/version.ts';
import { childrenOf } from './children.ts';
import { ofEach } from './of-each.ts';
import type { HoldsOf } from './settle-versions.ts';

interface PlanningPorts {
  readonly service: EndpointService;
  readonly policyOf: PolicyOf;
}

interface PlanningPortsAhead extends PlanningPorts {
  readonly holdsOf: HoldsOf;
  readonly trial: Trial | null;
}

/** Plans the rollout of every runtime of a group. Answers a row for each runtime. @throws as `ofEach` does. */
export async function planRuntimes(
  runtimeIds: readonly string[],
  settled: Settled,
  ports: PlanningPortsAhead,
): Promise<Endpoint[]> {
  const rows = await ofEach(runtimeIds, async (runtimeId) => {
    const version = versionFor(settled, runtimeId);
    try {
      const plan = await planRuntime(runtimeId, settledOn(version, settled.passedOver), ports);
      return rowOf(runtimeId, version, plan);
    } catch (error) {
      if (errorNameOf(error) === ErrorName.EmptyScope) return emptyRow(runtimeId, error);
      throw error;
    }
  });
  return [...rows.values()];
}

/** The same for an undoing rollout. A runtime with nothing to undo is where it goes. @throws as `ofEach` does. */
export async function planReverts(
  reverted: AskedRollout,
  { service, policyOf, ledger, clock }: PlanningPorts & Pick<StepPorts, 'ledger' | 'clock'>,
): Promise<Endpoint[]> {
  const { plan } = reverted;
  const children = childrenOf(reverted, 'forward');
  const planned = new Map((plan?.endpoints ?? []).map((one) => [one.endpointId, one]));
  const rows = await ofEach([...planned.keys()], async (runtimeId) => {
    const { previousVersion = null, desiredVersion = null } = planned.get(runtimeId) ?? {};
    const child = await findRecord(children.get(runtimeId) ?? '', ledger);
    const before = runtimeRow(runtimeId, previousVersion, RUNTIME_STATUS.ready);
    if (child === null) return before;
    const policy = revertingPolicy(policyOf(runtimeId));
    const endpoints = await readStableList(service, runtimeId);
    const listed = asListed(endpoints, policy, service.abilities, clock.now());
    const { waves } = planUndo(child, listed);
    if (waves.length === 0) return before;
    return runtimeRow(runtimeId, desiredVersion, RUNTIME_STATUS.ready);
  });
  const leftOut = (plan?.leftOut ?? []).map(({ endpointId }) => runtimeRow(endpointId, null, null));
  return [...rows.values(), ...leftOut];
}

/** @throws what would keep a rollout of this runtime from beginning. */
async function planRuntime(
  runtimeId: string,
  settled: Settled,
  { service, policyOf, holdsOf, trial }: PlanningPortsAhead,
): Promise<RolloutPlan> {
  const policy: RolloutPolicy = policyOf(runtimeId);
  const version = settled.desiredVersion;
  const { found } = await lookUpVersion(runtimeId, version, service);
  if (found.state === 'none') throw unknownVersion(found);
  const endpoints = await readStableList(service, runtimeId);
  const of = { runtimeId, ...settled, policy };
  const { pins } = await holdsOf(runtimeId);
  const { plan, unanswerable } = await planForward(of, endpoints, pins, service, trial);
  refuseUnanswerable(unanswerable);
  if (plan.endpoints.length > 0) await refuseHeld(runtimeId, version, holdsOf);
  return plan;
}

/** @throws `Quarantined` or `Held`. Otherwise only its own rollout would be refused, after those of other runtimes. */
async function refuseHeld(runtimeId: string, version: number, holdsOf: HoldsOf): Promise<void> {
  const { refusing: holds } = await holdsOf(runtimeId);
  const hold = holds.find(({ scope }) => scope.version === version);
  if (hold !== undefined) throw new SteprollError(ErrorName.Quarantined, describeHold(hold));
  const freeze = holds.find(({ scope }) => scope.version === undefined);
  if (freeze === undefined) return;
  const advice = 'Leave it out of the release, or lift the hold.';
  throw new SteprollError(ErrorName.Held, `${describeHold(freeze)} ${WAITS_NO_LONGER} ${advice}`);
}

/** The runtime as an endpoint, with the lowest version of what would be rolled: people say from what they update. */
function rowOf(runtimeId: string, version: number, { endpoints }: RolloutPlan): Endpoint {
  const before = endpoints.flatMap(({ previousVersion: one }) =>
    one === null || one < 1 || one === version ? [] : [one],
  );
  // Endpoints that are broken on the version itself have no version before, but have to be rolled.
  const lowest = before.length === 0 ? null : Math.min(...before);
  return runtimeRow(runtimeId, endpoints.length === 0 ? version : lowest, RUNTIME_STATUS.ready);
}

function emptyRow(runtimeId: string, error: unknown): Endpoint {
  return {
    ...runtimeRow(runtimeId, null, RUNTIME_STATUS.stopped),
    statusReason: errorMessageOf(error),
  };
}

/** A runtime as an endpoint of its group, at rest on a version. */
export function runtimeRow(
  runtimeId: string,
  version: number | null,
  status: string | null,
): Endpoint {
  return {
    id: runtimeId,
    name: runtimeId,
    version: null,
    targetVersion: version,
    liveVersion: version,
    replicas: null,
    url: null,
    status,
    statusReason: null,
  };
}
