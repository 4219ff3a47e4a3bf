import { decideUnlisted, mayBeListedLater } from '../../domain/decision/unreadable.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { AskedRequest } from '../../domain/rollout/request.ts';
import { waitedBy } from '../../domain/rollout/waiting.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import type { StepPorts } from '../frame/ports.ts';
import type { Turn } from './take-turn.ts';
import { waitToOpen } from './wait-to-open.ts';

/** Whether two reads of a list hold the same endpoints, whatever their order and state. */
export function sameEndpoints(a: readonly Endpoint[], b: readonly Endpoint[]): boolean {
  if (a.length !== b.length) return false;
  const ids = new Set(a.map((endpoint) => endpoint.id));
  return b.every((endpoint) => ids.has(endpoint.id));
}

/** After so many reads that do not agree, the list counts as unstable. */
const MAX_READS = 3;

/**
 * Reads a list to plan on. Rows can slip from page to page while endpoints come and go, so two reads in a row must
 * have the same endpoints. Answers the later one.
 *
 * @throws `ListUnstable` after 3 reads.
 */
export async function readStableList(
  service: EndpointService,
  runtimeId: string,
): Promise<readonly Endpoint[]> {
  let before = await service.list(runtimeId);
  for (let read = 2; read <= MAX_READS; read++) {
    const endpoints = await service.list(runtimeId);
    if (sameEndpoints(before, endpoints)) return endpoints;
    before = endpoints;
  }
  throw new SteprollError(
    ErrorName.ListUnstable,
    `The list of endpoints changed between ${MAX_READS} reads: try again when nobody creates or deletes endpoints.`,
  );
}

/** A list that a plan can be made from, or what follows because there is none yet. */
export type OpeningRead =
  | { readonly endpoints: readonly Endpoint[] }
  | { readonly turn: Exclude<Turn, { next: 'open' }> };

/**
 * Reads the list for a rollout that has no plan yet, with the same patience as polling.
 *
 * @throws errors of the list that waiting does not mend, such as `UpstreamAuth`.
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
