import type { Endpoint } from '../domain/endpoint.ts';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { AskedRequest, AskedRollout } from '../domain/rollout.ts';
import { decideUnlisted, mayBeListedLater } from '../domain/turn/decide-unlisted.ts';
import { waitedBy } from '../domain/turn/waiting.ts';
import { readStableList } from './read-stable-list.ts';
import type { StepPorts } from './step-ports.ts';
import type { Turn } from './take-turn.ts';
import { waitToOpen } from './wait-to-open.ts';

/** A list that a plan can be made of, or what follows because there is none yet. */
export type OpeningRead =
  | { readonly endpoints: readonly Endpoint[] }
  | { readonly turn: Exclude<Turn, { next: 'open' }> };

/**
 * Reads the list for a rollout that has no plan yet, with the patience that polling has.
 *
 * @throws the errors of a list that no waiting mends, such as `UpstreamAuth`.
 */
export async function readToOpen(
  request: AskedRequest & { readonly policy: RolloutPolicy },
  { waiting }: Pick<AskedRollout, 'waiting'>,
  { service, ledger, clock }: StepPorts,
): Promise<OpeningRead> {
  try {
    return { endpoints: await readStableList(service, request.runtimeId) };
  } catch (error) {
    if (!mayBeListedLater(error)) throw error;
    const now = clock.now();
    const decided = decideUnlisted(error, waitedBy(waiting, now).list, request.policy);
    if (decided.decision === 'end') return { turn: { next: 'close', ending: decided.ending } };
    const { seconds, secondsLeft, message } = decided;
    const hindrance = { for: 'list', message, seconds, until: now + secondsLeft * 1000 } as const;
    return { turn: await waitToOpen({ request, waiting }, hindrance, { ledger, clock }) };
  }
}
