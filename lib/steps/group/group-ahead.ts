import { groupNameOf } from '../../domain/rollout/group.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { GroupPlanning } from '../frame/ports.ts';
import { type GroupContext, groupOn, type ListAhead } from './group-service.ts';
import { planReverts, planRuntimes } from './plan-runtimes.ts';
import { quarantinesIn } from './quarantines-in.ts';
import {
  needsPlanning,
  type QuarantinesOf,
  settleVersions,
  type WantedOfGroup,
} from './settle-versions.ts';

// Only who plans a group imports this file. The functions of all other steps are smaller without it.

/**
 * The service of a group before any rollout of it: it lists the runtimes as a plan needs them, and rolls nothing.
 *
 * @param quarantinesOf The quarantines of a runtime that its rollout would heed. @default - none
 */
export function groupAhead(
  wanted: WantedOfGroup,
  service: EndpointService,
  planning: GroupPlanning | undefined,
  quarantinesOf: QuarantinesOf = async () => [],
): EndpointService {
  return {
    ...groupOn(service),
    /** @throws as `settleVersions` does, and why runtimes cannot be rolled. */
    async list() {
      const { policyOf, runtimesOf } = needsPlanning(planning);
      const settled = await settleVersions(wanted, { service, planning });
      const runtimeIds = runtimesOf(groupNameOf(wanted.runtimeId) ?? '') ?? [];
      return planRuntimes(runtimeIds, settled, { service, policyOf, quarantinesOf });
    },
  };
}

/** The same for a rollout that undoes one of the group: it lists what would go back. */
export function revertAhead(
  reverted: AskedRollout,
  { service, groups, ledger, clock }: GroupContext,
): EndpointService {
  const { planning } = groups ?? {};
  return {
    ...groupAhead(reverted.request, service, planning),
    async list() {
      const { policyOf } = needsPlanning(planning);
      return planReverts(reverted, { service, policyOf, ledger, clock });
    },
  };
}

/** Lists the runtimes as the rollout of their group needs them for its plan. */
export const listAhead: ListAhead = async ({ request }, context) => {
  const { runtimeId, revert } = request;
  if (revert !== undefined) {
    return revertAhead(await context.ledger.read(revert), context).list(runtimeId);
  }
  const { service, groups = {}, ledger, clock } = context;
  const readHolds = async () => (request.again ? [] : ledger.listHolds());
  const quarantinesOf = quarantinesIn(readHolds, clock);
  return groupAhead(request, service, groups.planning, quarantinesOf).list(runtimeId);
};
