import { randomBytes } from 'node:crypto';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { nameRollout } from '../../domain/rollout/name.ts';

/** An id that no other rollout has. */
export function newRolloutId(input: Pick<RolloutInput, 'runtimeId' | 'version'>): string {
  return nameRollout(input, randomBytes(10).toString('hex'));
}
