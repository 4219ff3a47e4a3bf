import { ROLLOUT_KEY_PREFIX } from '../contract/ledger/table.ts';
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

export function leaseKey(runtimeId: string): Key {
  return { pk: `runtime#${runtimeId}`, sk: 'lease' };
}

export type OfRuntime = Pick<LatestRequest, 'runtimeId' | 'endpointUrl'>;

export function latestKey({ runtimeId, endpointUrl }: OfRuntime): Key {
  return { pk: leaseKey(runtimeId).pk, sk: `latest#${endpointUrl}` };
}
