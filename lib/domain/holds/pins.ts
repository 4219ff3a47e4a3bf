import type { Instant } from '../clock.ts';
import { legOf } from '../endpoint/leg.ts';
import { groupNameOf } from '../rollout/group.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { AskedRequest } from '../rollout/request.ts';
import { type Hold, isOver, nameOfPinned, PIN } from './hold.ts';

/** The pins that a rollout heeds, by the ids of their endpoints. */
export type Pins = ReadonlyMap<string, Hold>;

export const NO_PINS: Pins = new Map();

type Pinnable = Pick<AskedRequest, 'runtimeId'> & Partial<Pick<AskedRequest, 'revert' | 'unpin'>>;

/** A way back heeds none, and nobody those that a person passes with the rollout. */
export function pinsFor(
  { runtimeId, revert, unpin = [] }: Pinnable,
  holds: readonly Hold[],
  now: Instant,
): Pins {
  if (revert !== undefined) return NO_PINS;
  const heeded = pinsInForce(holds, now).filter(
    ({ id, scope }) => scope.runtimeId === runtimeId && !unpin.includes(id),
  );
  return new Map(heeded.map((pin) => [pin.scope.endpointId ?? '', pin]));
}

/** The same under way: a way back passes pins. */
export function pinsUnderWay(
  plan: Pick<RolloutPlan, 'direction'>,
  request: Pinnable,
  holds: readonly Hold[],
  now: Instant,
): Pins {
  return legOf(plan).heedsHolds ? pinsFor(request, holds, now) : NO_PINS;
}

/** Their endpoints, for a record: absent, where there are none. */
export function asPinned(pins: Pins): { readonly pinned?: ReadonlySet<string> } {
  return pins.size === 0 ? {} : { pinned: new Set(pins.keys()) };
}

export function pinsInForce(holds: readonly Hold[], now: Instant): readonly Hold[] {
  return holds.filter((hold) => hold.kind === PIN && !isOver(hold, now));
}

/** What is wrong with the pins that somebody wants to pass, in a sentence. `null`: all of them are in force. */
export function faultOfUnpin(
  unpin: readonly string[],
  runtimeId: string,
  holds: readonly Hold[],
  now: Instant,
): string | null {
  // A group has pins of its runtimes.
  const isGroup = groupNameOf(runtimeId) !== null;
  const there = pinsInForce(holds, now).filter(
    ({ scope }) => isGroup || scope.runtimeId === runtimeId,
  );
  const unknown = unpin.filter((id) => !there.some((pin) => pin.id === id));
  if (unknown.length === 0) return null;
  const which =
    there.length === 0
      ? 'No pin is in force there.'
      : `In force there: ${there.map(({ id, scope }) => `${id} (${nameOfPinned(scope)})`).join(', ')}.`;
  return `unpin: ${unknown.map((id) => JSON.stringify(id)).join(', ')} is no pin in force. ${which}`;
}
