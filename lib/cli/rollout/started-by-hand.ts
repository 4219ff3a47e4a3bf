import { systemClock } from '../../adapters/system-clock.ts';
import { userName } from '../../adapters/user-name.ts';
import type { RolloutInput } from '../../contract/rollout-input.ts';

/** The same wish, with whose it is and since when. */
export function startedByHand(input: RolloutInput): RolloutInput {
  return { ...input, startedBy: { kind: 'person', name: userName(), at: systemClock.now() } };
}
