import { fingerprintOf } from '../../contract/flow/fingerprint.ts';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { NO_PINS, pinsFor } from '../../domain/holds/pins.ts';
import { frozenTooLong, quarantinesFor } from '../../domain/holds/what-holds.ts';
import type { DrawnPlan } from '../../domain/planning/drawn-plan.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import type { Clock } from '../../ports/clock.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { GroupPlanning } from '../io/ports.ts';
import { wantedOf } from '../opening/asked-request.ts';
import { matchesOf } from '../opening/matches.ts';
import { openTrial, planForward, type Trial } from '../opening/plan.ts';
import { type GroupContext, groupOn, type ListAhead } from './group-service.ts';
import { planReverts, planRuntimes } from './plan-runtimes.ts';
import {
  type HoldsOf,
  NO_HOLDS,
  needsPlanning,
  settleVersions,
  type WantedOfGroup,
} from './settle-versions.ts';

// Only who plans a group imports this file. The functions of all other steps are smaller without it.

/**
 * The service of a group before any rollout of it: it lists the runtimes as a plan needs them, and rolls nothing.
 *
 * @param holdsOf @default - nothing holds the runtimes
 * @param trial @default - the gates of the runtimes are not tried
 */
function groupAhead(
  wanted: WantedOfGroup,
  service: EndpointService,
  planning: GroupPlanning | undefined,
  holdsOf: HoldsOf = NO_HOLDS,
  trial: Trial | null = null,
): EndpointService {
  return {
    ...groupOn(service),
    /** @throws as `settleVersions` does, and why runtimes cannot be rolled. */
    async list() {
      const { policyOf, runtimesOf } = needsPlanning(planning);
      const settled = await settleVersions(wanted, { service, planning });
      const runtimeIds = runtimesOf(groupNameOf(wanted.runtimeId) ?? '') ?? [];
      const ports = { service, policyOf, holdsOf, trial };
      return withAttributes(await planRuntimes(runtimeIds, settled, ports), planning);
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
      const rows = await planReverts(reverted, { service, policyOf, ledger, clock });
      return withAttributes(rows, planning);
    },
  };
}

/** The runtimes with what the configuration says of them: only who plans asks for that. */
function withAttributes(rows: readonly Endpoint[], planning: GroupPlanning | undefined) {
  return rows.map((row): Endpoint => {
    return { ...row, attributes: planning?.attributesOf?.(row.id) ?? {} };
  });
}

export const listAhead: ListAhead = async ({ request }, context) => {
  const { runtimeId, revert } = request;
  if (revert !== undefined) {
    return revertAhead(await context.ledger.read(revert), context).list(runtimeId);
  }
  const { service, groups = {}, ledger, clock, gates } = context;
  const holdsOf = holdsIn(() => ledger.listHolds(), clock, request);
  const trial = gates === undefined ? null : openTrial(gates, clock);
  return groupAhead(request, service, groups.planning, holdsOf, trial).list(runtimeId);
};

/**
 * What a rollout of a group would do to its runtimes as they are now. It changes nothing.
 *
 * @param service That of the runtimes.
 * @throws as `settleVersions` does, and why runtimes cannot be rolled.
 */
export async function drawGroup(
  wanted: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
  planning: GroupPlanning,
  holdsOf: HoldsOf,
  trial: Trial | null,
): Promise<DrawnPlan> {
  const { runtimeId } = wanted;
  const asked = { runtimeId, ...wantedOf(wanted) };
  const settled = await settleVersions(asked, { service, planning, holdsOf });
  const group = groupAhead({ runtimeId, ...settled }, service, planning, holdsOf, trial);
  const rows = await group.list(runtimeId);
  const of = { endpointUrl: service.url, runtimeId, ...settled, policy };
  const drawn = await planForward(of, rows, NO_PINS, group, trial);
  const fingerprint = fingerprintOf(drawn.plan, policy);
  const matches = matchesOf(policy, rows);
  return { ...of, isBeingMade: false, ...drawn, matches, words: [], fingerprint };
}

/** Those among all holds, which are read once for all runtimes, and not before somebody asks. */
export function holdsIn(
  readHolds: () => Promise<readonly Hold[]>,
  clock: Pick<Clock, 'now'>,
  { again, unpin }: Partial<Pick<AskedRequest, 'again' | 'unpin'>>,
): HoldsOf {
  let all: Promise<readonly Hold[]> | undefined;
  return async (runtimeId) => {
    all ??= readHolds();
    const of = { runtimeId, ...(again && { again }) };
    const holds = await all;
    const now = clock.now();
    return {
      refusing: [...quarantinesFor(of, holds, now), ...frozenTooLong(of, holds, now)],
      pins: pinsFor({ runtimeId, ...(unpin && { unpin }) }, holds, now),
    };
  };
}
