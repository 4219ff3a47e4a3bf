import type { Instant } from '../clock.ts';
import { legOf } from '../endpoint/leg.ts';
import { groupIdOf, groupOf } from '../rollout/group.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { AskedRequest } from '../rollout/request.ts';
import { type Hold, type HoldScope, isOver } from './hold.ts';

/** A rollout as far as holds ask for it. */
export type Holdable = Pick<AskedRequest, 'runtimeId'> &
  Partial<
    Pick<AskedRequest, 'rolloutId' | 'group' | 'parent' | 'revert' | 'desiredVersion' | 'again'>
  >;

/** The holds in force that keep a rollout from starting. A way back is never held. */
export function whatFreezes(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return whatHolds('freeze', rollout, holds, now).filter(
    // A group that has begun runs, and its runtimes with it. Only a runtime that is held itself makes its group wait.
    ({ scope }) => rollout.parent === undefined || scope.runtimeId === rollout.runtimeId,
  );
}

/** The holds in force that keep a rollout under way from its next roll and its next wave. */
export function whatPauses(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  const { runtimeId, desiredVersion, again, revert } = rollout;
  const quarantined =
    again || revert !== undefined || typeof desiredVersion !== 'number'
      ? []
      : whatQuarantines(runtimeId, [desiredVersion], holds, now);
  return [...whatHolds('pause', rollout, holds, now), ...quarantined];
}

/** The quarantines in force of any of these versions of a runtime. */
export function whatQuarantines(
  runtimeId: string,
  versions: readonly number[],
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return holds.filter((hold) => {
    const { version = 0 } = hold.scope;
    const isOf = hold.scope.runtimeId === runtimeId && versions.includes(version);
    return hold.kind === 'quarantine' && !isOver(hold, now) && isOf;
  });
}

/** The versions of a runtime that are in quarantine. */
export function versionsInQuarantine(
  runtimeId: string,
  holds: readonly Hold[],
  now: Instant,
): readonly number[] {
  return holds.flatMap((hold) => {
    const { version } = hold.scope;
    if (version === undefined) return [];
    return whatQuarantines(runtimeId, [version], [hold], now).length > 0 ? [version] : [];
  });
}

/** Whether a rollout that follows this plan is kept from its next roll and its next wave. */
export function isPausedOn(
  plan: Pick<RolloutPlan, 'direction'>,
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): boolean {
  return legOf(plan).heedsHolds && whatPauses(rollout, holds, now).length > 0;
}

function whatHolds(
  kind: Hold['kind'],
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  if (rollout.revert !== undefined) return [];
  return holds.filter(
    (hold) => hold.kind === kind && !isOver(hold, now) && isWithin(rollout, hold.scope),
  );
}

/** Whether a rollout is in the scope of a hold. */
export function isWithin(rollout: Holdable, { runtimeId, rolloutId, version }: HoldScope): boolean {
  if (version !== undefined) {
    return runtimeId === rollout.runtimeId && version === rollout.desiredVersion;
  }
  if (rolloutId !== undefined) {
    return rolloutId === rollout.rolloutId || rolloutId === rollout.parent;
  }
  if (runtimeId === undefined) return true;
  const group = groupOf(rollout);
  return runtimeId === rollout.runtimeId || (group !== null && runtimeId === groupIdOf(group));
}

/** The ids of all holds in force that a rollout is in the scope of. */
export function holdIdsOn(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly string[] {
  return holds
    .filter((hold) => !isOver(hold, now) && isWithin(rollout, hold.scope))
    .map(({ id }) => id);
}
