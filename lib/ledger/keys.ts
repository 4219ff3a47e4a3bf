import {
  ANSWER_KEY_PREFIX,
  ANSWERERS_KEY_PREFIX,
  RELEASE_KEY_PREFIX,
  ROLLOUT_KEY_PREFIX,
} from '../contract/ledger/table.ts';
import { type HoldScope, UNLOCK } from '../domain/holds/hold.ts';
import { groupNameOf } from '../domain/rollout/group.ts';
import type { LatestRequest } from '../domain/turn/queue.ts';
import type { Key } from './storage.ts';

// An id comes last, after a prefix without text from users, so no id can make the key of another item.

/** Request, plan, journal, progress, signals and outcome of a rollout. */
export function rolloutKey(rolloutId: string): Key {
  return { pk: `${ROLLOUT_KEY_PREFIX}${rolloutId}`, sk: 'rollout' };
}

export function eventKey(rolloutId: string, eventId: string): Key {
  return { pk: rolloutKey(rolloutId).pk, sk: `event#${eventId}` };
}

/** The rollout's id, from the key of any of its items. */
export function rolloutIdOf({ pk }: Key): string {
  return pk.slice(ROLLOUT_KEY_PREFIX.length);
}

/** The partition key of a lease begins with this. */
export const RUNTIME_KEY_PREFIX = 'runtime#';

export function leaseKey(runtimeId: string): Key {
  return { pk: `${RUNTIME_KEY_PREFIX}${runtimeId}`, sk: 'lease' };
}

/** The `pk` of everything that is held. A role may be allowed to write to that alone. */
export const HOLDS_KEY = 'holds';

/** The same of unlocks: who may hold may not pass what is locked. */
export const UNLOCKS_KEY = 'unlocks';

/** The holds on a runtime and on its rollouts, or on everything and on groups. */
export function holdsKey({ runtimeId }: HoldScope, kind?: string): Key {
  const isWide = runtimeId === undefined || groupNameOf(runtimeId) !== null;
  return {
    pk: kind === UNLOCK ? UNLOCKS_KEY : HOLDS_KEY,
    sk: isWide ? 'everything' : `runtime#${runtimeId}`,
  };
}

/** @param release A hash, because what makes a release is text of its sender. */
export function releaseKey(release: string): Key {
  return { pk: `${RELEASE_KEY_PREFIX}${release}`, sk: 'rollout' };
}

/**
 * What one person has answered to a rollout. The key of the partition is the person's, so that AWS lets nobody write
 * another's answer: `dynamodb:LeadingKeys` may have `yes#${aws:userid}`.
 */
export function answerKey(person: string, rolloutId: string): Key {
  return { pk: `${ANSWER_KEY_PREFIX}${person}`, sk: rolloutId };
}

/** Says that a person may have answered to a rollout, and nothing else: whoever writes one for another says nothing. */
export function answererKey(rolloutId: string, person: string): Key {
  return { pk: `${ANSWERERS_KEY_PREFIX}${rolloutId}`, sk: person };
}

export type OfRuntime = Pick<LatestRequest, 'runtimeId' | 'endpointUrl'>;

export function latestKey({ runtimeId, endpointUrl }: OfRuntime): Key {
  return { pk: leaseKey(runtimeId).pk, sk: `latest#${endpointUrl}` };
}
