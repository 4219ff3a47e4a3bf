import { createHash } from 'node:crypto';
import { handedOverIn } from '../../contract/flow/position.ts';
import type { Direction } from '../../domain/endpoint/journal.ts';

/** Step Functions allows 80 characters for the id, the number and the hash. This many are for the id. */
const ID_LENGTH = 56;
const HASH_LENGTH = 12;

/**
 * Name of a rollout's execution. The first one has the name of the rollout. Each one after a hand-over has a name of
 * its own that is always the same, so that it exists only once even if it is started twice.
 *
 * @param number 1-based.
 */
export function executionNameOf(rolloutId: string, number: number): string {
  if (number === 1) return rolloutId;
  const hash = createHash('sha256').update(rolloutId).digest('hex').slice(0, HASH_LENGTH);
  return `${rolloutId.slice(0, ID_LENGTH)}-${number}-${hash}`;
}

/** The rollout that an execution works on: the execution has its name, unless another execution handed over to it. */
export function rolloutOfExecution(name: string, input: unknown): string {
  const before = handedOverIn(input);
  const isNext = before !== null && executionNameOf(before.rolloutId, before.number + 1) === name;
  return isNext ? before.rolloutId : name;
}

/** The execution that goes on when this one has handed over. */
export function nextExecutionOf(name: string, input: unknown): string {
  const rolloutId = rolloutOfExecution(name, input);
  const number = rolloutId === name ? 1 : (handedOverIn(input)?.number ?? 0) + 1;
  return executionNameOf(rolloutId, number + 1);
}

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
