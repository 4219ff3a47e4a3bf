import type { Instant } from '../clock.ts';
import { dateMinute } from '../local-time.ts';
import { groupNameOf } from '../rollout/group.ts';
import { asSentence } from '../sentences.ts';
import type { Stored } from '../stored.ts';
import type { hold } from './stored.ts';

/**
 * What people may hold.
 * - `freeze`: nothing starts. What runs goes on.
 * - `pause`: what runs begins no further wave and no further roll.
 * - `quarantine`: nothing starts to this version of this runtime, and what is under way to it rolls nothing more.
 */
export const HOLD_KINDS = ['freeze', 'pause', 'quarantine'] as const;
export const PAUSE: HoldKind = 'pause';
export type HoldKind = (typeof HOLD_KINDS)[number];

export const GO_BACK = 'go-back';

/** A person's word that something must not go on, until somebody lifts it or its end comes. */
export interface Hold extends Stored<typeof hold> {}

/** What a hold is on. Without any field that is everything. */
export type HoldScope = Hold['scope'];

export const LONGEST_HOLD_MS = 7 * 24 * 3_600_000;

export const LONGEST_QUARANTINE_MS = 30 * 24 * 3_600_000;

/** The owner of a hold that nobody has added. */
export const NOBODY = 'steproll';

/** So many holds may be on everything and on groups together, and so many on a runtime. */
export const MOST_HOLDS = 100;

export function isOver({ until, lifted }: Pick<Hold, 'until' | 'lifted'>, now: Instant): boolean {
  return lifted !== undefined || now >= until;
}

/** What of a scope does not fit what is held. @param called What its fields are called where people say them. */
export function scopeMistakes(
  kinds: readonly HoldKind[],
  { runtimeId, version }: HoldScope,
  called = { runtimeId: 'runtimeId', version: 'version' },
): string[] {
  const isOfVersion = kinds.includes('quarantine');
  const ofOne = `${called.runtimeId}: missing; a quarantine is of a version of one runtime`;
  return [
    isOfVersion && (!runtimeId || groupNameOf(runtimeId) !== null) && ofOne,
    isOfVersion && version === undefined && `${called.version}: missing; use the bad version`,
    !isOfVersion && version !== undefined && `${called.version}: only a quarantine takes it`,
  ].filter((one) => one !== false);
}

/** What a hold is on, for a sentence: `everything`, `group prod`, `runtime shop`, `rollout 4f1f9a52`, `version 7 of runtime shop`. */
export function describeScope({ runtimeId, rolloutId, version }: HoldScope): string {
  if (version !== undefined) return `version ${version} of runtime ${runtimeId}`;
  if (rolloutId !== undefined) return `rollout ${rolloutId}`;
  if (runtimeId === undefined) return 'everything';
  const group = groupNameOf(runtimeId);
  return group === null ? `runtime ${runtimeId}` : `group ${group}`;
}

export function describeHold({ id, kind, scope, by, reason, until }: Hold): string {
  const what = `${kind} of ${describeScope(scope)}`;
  const lift = `to lift it: steproll hold lift ${id} --reason WHY`;
  return asSentence(
    `Held by a ${what} until ${dateMinute(until)}, from ${by} (${lift}): ${reason}`,
  );
}
