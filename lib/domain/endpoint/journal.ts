import type { Stored } from '../stored.ts';
import type { journalEntry } from './stored.ts';

/**
 * What happened to a write.
 * - `intended`: it is about to be sent. When no later line follows, because of a crash, it may have been sent.
 * - `accepted`: the service said yes.
 * - `unknown`: it was sent, and no answer came. The list shows what happened.
 * - `rejected`: the service said no; `reason` names why.
 * - `not-sent`: nothing was sent; `reason` says why.
 * - `kept`: a stop that was left out on purpose; `reason` says why.
 */
export const WRITE_RESULTS = [
  'intended',
  'accepted',
  'unknown',
  'rejected',
  'not-sent',
  'kept',
] as const;
export type WriteResult = (typeof WRITE_RESULTS)[number];

/** `roll` goes to the desired version, `roll-back` to the previous one. */
export const WRITE_OPERATIONS = ['roll', 'roll-back', 'stop'] as const;
export type WriteOperation = (typeof WRITE_OPERATIONS)[number];

/** One line of a rollout's journal. Of several lines for the same endpoint and operation, the last one counts. */
export interface JournalEntry extends Stored<typeof journalEntry> {}

/** `forward` to the desired version, or `back` to the versions before. */
export const DIRECTIONS = ['forward', 'back'] as const;
export type Direction = (typeof DIRECTIONS)[number];
