import { createHash } from 'node:crypto';
import type { Direction } from '../../domain/endpoint/journal.ts';

/**
 * The token of a roll: the same one for the same try, whoever makes it. It is the only part of a roll that outlives the
 * step, so it follows from what the ledger knows.
 *
 * @returns 64 hexadecimal digits.
 */
export function tokenOf(
  rolloutId: string,
  direction: Direction,
  endpointId: string,
  number: number,
): string {
  const named = JSON.stringify([rolloutId, direction, endpointId, number]);
  return createHash('sha256').update(named).digest('hex');
}
