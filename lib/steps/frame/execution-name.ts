import { createHash } from 'node:crypto';
import { handedOverIn } from '../../contract/flow/position.ts';

/** Step Functions takes 80 characters: of the id, the number and the hash, these are the id's. */
const ID_LENGTH = 56;
const HASH_LENGTH = 12;

/**
 * Name of a rollout's execution. The first one is named after the rollout; those that it hands over to have names
 * of their own, always the same: started twice, it is still one execution.
 *
 * @param number 1-based.
 */
export function executionNameOf(rolloutId: string, number: number): string {
  if (number === 1) return rolloutId;
  const hash = createHash('sha256').update(rolloutId).digest('hex').slice(0, HASH_LENGTH);
  return `${rolloutId.slice(0, ID_LENGTH)}-${number}-${hash}`;
}

/** The rollout that an execution is about: its own, unless it was handed over to it. */
export function rolloutOfExecution(name: string, input: unknown): string {
  const before = handedOverIn(input);
  const isNext = before !== null && executionNameOf(before.rolloutId, before.number + 1) === name;
  return isNext ? before.rolloutId : name;
}
