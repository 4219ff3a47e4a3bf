import { listNames } from '../endpoint/endpoint.ts';
import type { LeftOutEndpoint, RolloutPlan } from '../rollout/plan.ts';
import { nameOf } from '../sentences.ts';

// What people are told of endpoints that a plan leaves alone because they are pinned.

export function pinnedIn({ leftOut }: Pick<RolloutPlan, 'leftOut'>): readonly LeftOutEndpoint[] {
  return leftOut.filter(({ reason }) => reason === 'pinned');
}

/** `web-3, pinned by ann: debugging`, of the first ones. */
export function listPinned(pinned: readonly LeftOutEndpoint[]): string {
  return listNames(
    pinned.map((one) => `${nameOf(one)}, pinned by ${one.pin?.by}: ${one.pin?.reason}`),
  );
}

/** How to roll them all the same, as the end of a message. */
export function adviceToUnpin(pinned: readonly LeftOutEndpoint[]): string {
  const ids = [...new Set(pinned.flatMap(({ pin }) => pin?.id ?? []))];
  return ids.length === 0 ? '' : ` To roll them once all the same: --unpin ${ids.join(',')}.`;
}
