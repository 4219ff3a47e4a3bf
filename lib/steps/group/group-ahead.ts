import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { AskedVersion } from '../../domain/rollout/request.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { GroupPlanning } from '../frame/ports.ts';
import { type GroupContext, groupOn, type ListAhead } from './group-service.ts';
import { planReverts, planRuntimes } from './plan-runtimes.ts';

// Only who plans a group imports this file. The functions of all other steps are smaller without it.

/** The service of a group before any rollout of it: it lists the runtimes as a plan needs them, and rolls nothing. */
export function groupAhead(
  name: string,
  version: AskedVersion | null | undefined,
  service: EndpointService,
  planning: GroupPlanning | undefined,
): EndpointService {
  return {
    ...groupOn(service),
    /** @throws `InvalidInput`, and why runtimes cannot be rolled. */
    async list() {
      const { policyOf, runtimesOf } = needsPlanning(planning);
      const runtimeIds = runtimesOf(name);
      if (runtimeIds === null) {
        const message = `groups: the configuration in use has no group ${JSON.stringify(name)}.`;
        throw new SteprollError(ErrorName.InvalidInput, message);
      }
      if (typeof version !== 'number') {
        const message = 'version: a group is rolled to a version that is a number.';
        throw new SteprollError(ErrorName.InvalidInput, message);
      }
      return planRuntimes(runtimeIds, version, { service, policyOf });
    },
  };
}

/** The same for a rollout that undoes one of the group: it lists what would go back. */
export function revertAhead(
  reverted: AskedRollout,
  { service, groups, ledger, clock }: GroupContext,
): EndpointService {
  const { planning } = groups ?? {};
  const name = groupNameOf(reverted.request.runtimeId) ?? '';
  return {
    ...groupAhead(name, null, service, planning),
    async list() {
      const { policyOf } = needsPlanning(planning);
      return planReverts(reverted, { service, policyOf, ledger, clock });
    },
  };
}

function needsPlanning(planning: GroupPlanning | undefined): GroupPlanning {
  if (planning !== undefined) return planning;
  const message = 'The ledger has no plan of this group, and none can be drawn here.';
  throw new SteprollError(ErrorName.IncompatibleState, message);
}

/** Lists the runtimes as the rollout of their group needs them for its plan. */
export const listAhead: ListAhead = async ({ request }, context) => {
  const { runtimeId, revert, desiredVersion } = request;
  if (revert !== undefined) {
    return revertAhead(await context.ledger.read(revert), context).list(runtimeId);
  }
  const name = groupNameOf(runtimeId) ?? '';
  const { service, groups = {} } = context;
  return groupAhead(name, desiredVersion, service, groups.planning).list(runtimeId);
};
