import type { Instant } from '../clock.ts';
import { legOf } from '../endpoint/leg.ts';
import { groupIdOf, groupOf } from '../rollout/group.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { AskedRequest } from '../rollout/request.ts';
import {
  endOf,
  GO_BACK,
  HELD,
  type Held,
  HOLD_KINDS,
  type Hold,
  type HoldScope,
  heldBy,
  isOver,
  LONGEST_UNLOCK_MS,
  LONGEST_WAIT_MS,
  UNLOCK,
} from './hold.ts';

export type Holdable = Pick<AskedRequest, 'runtimeId'> &
  Partial<
    Pick<AskedRequest, 'rolloutId' | 'group' | 'parent' | 'revert' | 'desiredVersion' | 'again'>
  >;

/** The holds in force for whose end a rollout waits before it starts. A way back is never held. */
export function whatFreezes(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return freezesOn(rollout, holds, now).filter(
    // A group that has begun runs, and its runtimes with it. Only a runtime that is held itself makes its group wait.
    ({ scope }) => rollout.parent === undefined || scope.runtimeId === rollout.runtimeId,
  );
}

/** Those that last longer than any rollout waits. */
export function frozenTooLong(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return whatFreezes(rollout, holds, now).filter((hold) => endOf(hold) - now > LONGEST_WAIT_MS);
}

/** The freezes in force on a rollout, whether or not it has begun. */
export function freezesOn(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return whatHolds(rollout, holds, now, ({ begin }) => begin === 'waits');
}

/** The holds in force that keep a rollout under way from its next roll and its next wave. */
export function whatPauses(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return whatHolds(rollout, holds, now, ({ underWay }) => underWay !== 'goes on');
}

export function whatSendsBack(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  const mayGoBack = ({ underWay }: Held) => underWay === 'is paused or goes back';
  return whatHolds(rollout, holds, now, mayGoBack).filter(({ underWay }) => underWay === GO_BACK);
}

export function whatQuarantines(
  runtimeId: string,
  versions: readonly number[],
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return holds.filter((hold) => {
    const { version = 0 } = hold.scope;
    const isOf = hold.scope.runtimeId === runtimeId && versions.includes(version);
    return heldBy(hold)?.begin === 'is refused' && !isOver(hold, now) && isOf;
  });
}

/** The quarantines of a runtime that a rollout heeds which looks for a version. One that is wanted again heeds none. */
export function quarantinesFor(
  { runtimeId, again }: Pick<Holdable, 'runtimeId' | 'again'>,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  if (again) return [];
  return holds.filter((hold) => {
    const { version } = hold.scope;
    return version !== undefined && whatQuarantines(runtimeId, [version], [hold], now).length > 0;
  });
}

/** The unlocks in force of a rollout: with one it may start outside of windows and in a freeze that are locked. */
export function whatUnlocks(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return holds.filter((hold) => {
    const isInForce = !isOver(hold, now) && now < hold.at + LONGEST_UNLOCK_MS;
    return hold.kind === UNLOCK && isInForce && isWithin(rollout, hold.scope);
  });
}

/** The same for the leg that it is on. */
export function whatPausesOn(
  plan: Pick<RolloutPlan, 'direction'>,
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly Hold[] {
  return legOf(plan).heedsHolds ? whatPauses(rollout, holds, now) : [];
}

export function isPausedOn(...of: Parameters<typeof whatPausesOn>): boolean {
  return whatPausesOn(...of).length > 0;
}

/** The holds in force on a rollout that answer so, one kind after the other. A way back is never held. */
function whatHolds(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
  answersSo: (held: Held) => boolean,
): readonly Hold[] {
  if (rollout.revert !== undefined) return [];
  return HOLD_KINDS.filter((kind) => answersSo(HELD[kind]) && mayBeOn(rollout, HELD[kind])).flatMap(
    (kind) =>
      holds.filter(
        (hold) => hold.kind === kind && !isOver(hold, now) && isWithin(rollout, hold.scope),
      ),
  );
}

/** Whoever wants a version again heeds nothing that is on a version. */
function mayBeOn({ again, desiredVersion }: Holdable, { target }: Held): boolean {
  return target === 'rollouts' || (!again && typeof desiredVersion === 'number');
}

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

export function holdIdsOn(
  rollout: Holdable,
  holds: readonly Hold[],
  now: Instant,
): readonly string[] {
  return holds
    .filter((hold) => !isOver(hold, now) && isWithin(rollout, hold.scope))
    .map(({ id }) => id);
}
