import type { Instant } from '../clock.ts';
import { dateMinute } from '../local-time.ts';
import { groupNameOf } from '../rollout/group.ts';
import { asSentence } from '../sentences.ts';
import type { Stored } from '../stored.ts';
import type { hold } from './stored.ts';

/** What people may hold. `HELD` says what that means. */
export const HOLD_KINDS = ['freeze', 'pause', 'quarantine', 'unlock', 'pin'] as const;
export const PAUSE: HoldKind = 'pause';
export type HoldKind = (typeof HOLD_KINDS)[number];

/** What a hold of a kind keeps from happening. */
export interface Held {
  /** Every rollout within its scope, or every one to its version, or one endpoint, whatever rollout is about it. */
  readonly target: 'rollouts' | 'version' | 'endpoint';
  /** What a rollout does that has not begun. */
  readonly begin: 'begins' | 'waits' | 'is refused';
  /** What a rollout does that is under way: one that is paused begins no further wave and no further roll. */
  readonly underWay: 'goes on' | 'is paused' | 'is paused or goes back';
  /** Whether it may be on one rollout alone, instead of all of a runtime. */
  readonly mayBeOnOne: boolean;
}

/** A kind without a row does not compile. */
export const HELD: Readonly<Record<HoldKind, Held>> = {
  freeze: { target: 'rollouts', begin: 'waits', underWay: 'goes on', mayBeOnOne: false },
  pause: { target: 'rollouts', begin: 'begins', underWay: 'is paused', mayBeOnOne: true },
  quarantine: {
    target: 'version',
    begin: 'is refused',
    underWay: 'is paused or goes back',
    mayBeOnOne: false,
  },
  unlock: { target: 'rollouts', begin: 'begins', underWay: 'goes on', mayBeOnOne: false },
  pin: { target: 'endpoint', begin: 'begins', underWay: 'goes on', mayBeOnOne: false },
};

/** Those that end by themselves. */
export const ENDING_KINDS = HOLD_KINDS.filter((kind) => kind !== 'pin');

/** What lets a locked window or freeze of the configuration be passed: it holds nothing. */
export const UNLOCK: HoldKind = 'unlock';

/** What leaves an endpoint at what it has, until somebody lifts it: rollouts neither roll it forward nor stop it. */
export const PIN: HoldKind = 'pin';

/** `null`: only a newer steproll knows the kind, and it holds nothing here. */
export function heldBy({ kind }: Pick<Hold, 'kind'>): Held | null {
  const known = HOLD_KINDS.find((one) => one === kind);
  return known === undefined ? null : HELD[known];
}

/** Whether a hold concerns what is under way. */
export function holdsUnderWay(hold: Pick<Hold, 'kind'>): boolean {
  const underWay = heldBy(hold)?.underWay ?? 'goes on';
  return underWay !== 'goes on';
}

export const GO_BACK = 'go-back';

/** A person's word that something must not go on, until somebody lifts it or its end comes. */
export interface Hold extends Stored<typeof hold> {}

/** What a hold is on. Without any field that is everything. */
export type HoldScope = Hold['scope'];

const HOUR_MS = 3_600_000;

const DAY_MS = 24 * HOUR_MS;

/** After that nobody remembers why nothing goes on. */
const LONGEST_USUAL_MS = 7 * DAY_MS;

/** A runtime may be left alone for a season, as long as the others go on: its freeze is the longest hold that people add. */
export const LONGEST_HOLD_MS = 90 * DAY_MS;

/** A rollout that waits longer for the end of its freezes is not wanted any more. */
export const LONGEST_WAIT_MS = 7 * DAY_MS;

/** The same for people. */
export const WAITS_NO_LONGER = 'No rollout waits longer than 7 days for that.';

/** Locks of the configuration are passed in an emergency, and not for days. */
export const LONGEST_UNLOCK_MS = 4 * HOUR_MS;

export const LONGEST_QUARANTINE_MS = 30 * DAY_MS;

/** The owner of a hold that nobody has added. */
export const NOBODY = 'steproll';

/** So many holds may be on everything and on groups together, and so many on a runtime. */
export const MOST_HOLDS = 100;

/** So many of them may be pins, which stay, so that there is room for what stops the line. */
export const MOST_PINS = 80;

export function isOver({ until, lifted }: Pick<Hold, 'until' | 'lifted'>, now: Instant): boolean {
  return lifted !== undefined || now >= endOf({ until });
}

/** When it ends by itself. `Infinity`: never. */
export function endOf({ until }: Pick<Hold, 'until'>): Instant {
  return until ?? Number.POSITIVE_INFINITY;
}

/** `until 14:00`, `until it is lifted` */
export function describeEnd({ until }: Pick<Hold, 'until'>, describe: (at: Instant) => string) {
  return until === null ? 'until it is lifted' : `until ${describe(until)}`;
}

/** What is wrong with how long it lasts. */
export function lengthMistakes(
  kinds: readonly HoldKind[],
  { runtimeId }: HoldScope,
  ms: number,
  called: string,
): string[] {
  if (kinds.includes(UNLOCK) && ms > LONGEST_UNLOCK_MS) {
    return [`${called}: an unlock lasts at most 4 hours`];
  }
  const isOfRuntime = runtimeId !== undefined && groupNameOf(runtimeId) === null;
  const mayBeLong = isOfRuntime && kinds.every((kind) => kind === 'freeze');
  const longest = mayBeLong ? LONGEST_HOLD_MS : LONGEST_USUAL_MS;
  return ms > longest ? [`${called}: ${LONGEST}`] : [];
}

/** How long holds may last, for people. */
export const LONGEST = 'use at most 7 days, or 90 for a freeze of one runtime';

/** `a freeze`, `an unlock` */
export function aHold({ kind }: Pick<Hold, 'kind'>): string {
  return `${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}`;
}

/** What of a scope does not fit what is held. @param called What its fields are called where people say them. */
export function scopeMistakes(
  kinds: readonly HoldKind[],
  { runtimeId, version, endpointId }: HoldScope,
  called = { runtimeId: 'runtimeId', version: 'version', endpointId: 'endpointId' },
): string[] {
  const isOf = (target: Held['target']) => kinds.some((kind) => HELD[kind].target === target);
  const [isOfVersion, isOfEndpoint] = [isOf('version'), isOf('endpoint')];
  const isOfOne = runtimeId !== undefined && groupNameOf(runtimeId) === null;
  const ofOne = (what: string) => `${called.runtimeId}: missing; ${what} of one runtime`;
  return [
    isOfVersion && !isOfOne && ofOne('a quarantine is of a version'),
    isOfVersion && version === undefined && `${called.version}: missing; use the bad version`,
    !isOfVersion && version !== undefined && `${called.version}: only a quarantine takes it`,
    isOfEndpoint && !isOfOne && ofOne('a pin is of an endpoint'),
    isOfEndpoint &&
      endpointId === undefined &&
      `${called.endpointId}: missing; use the name or the id of an endpoint`,
    !isOfEndpoint && endpointId !== undefined && `${called.endpointId}: only a pin takes it`,
  ].filter((one) => one !== false);
}

/**
 * What a hold is on, for a sentence: `everything`, `group prod`, `runtime shop`, `rollout 4f1f9a52`, `version 7 of runtime shop`,
 * `endpoint web-3 of runtime shop`.
 */
export function describeScope(scope: HoldScope): string {
  const { runtimeId, rolloutId, version } = scope;
  if (scope.endpointId !== undefined)
    return `endpoint ${nameOfPinned(scope)} of runtime ${runtimeId}`;
  if (version !== undefined) return `version ${version} of runtime ${runtimeId}`;
  if (rolloutId !== undefined) return `rollout ${rolloutId}`;
  if (runtimeId === undefined) return 'everything';
  const group = groupNameOf(runtimeId);
  return group === null ? `runtime ${runtimeId}` : `group ${group}`;
}

/** What people call the endpoint of a pin. */
export function nameOfPinned({ endpointId = '', endpointName = endpointId }: HoldScope): string {
  return endpointName;
}

/** What people are told of a hold. */
export type ToldHold = Pick<Hold, 'id' | 'kind' | 'scope' | 'by' | 'reason' | 'until'>;

export function describeHold({ id, kind, scope, by, reason, until }: ToldHold): string {
  const what = `${kind} ${id} of ${describeScope(scope)}`;
  return asSentence(
    `Held by the ${what} ${describeEnd({ until }, dateMinute)}, from ${by}: ${reason}`,
  );
}
