import type { Endpoint } from '../domain/endpoint.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { sameEndpoints } from '../domain/plan/same-endpoints.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';

/** Sweeps in all, before a list counts as unstable. */
const MAX_SWEEPS = 3;

/**
 * A list to plan on: rows can slip from page to page while endpoints come and go, so two sweeps in a
 * row must hold the same endpoints. Answers the later one.
 *
 * @throws `ListUnstable` after 3 sweeps.
 */
export async function readStableList(
  service: EndpointService,
  runtimeId: string,
): Promise<readonly Endpoint[]> {
  let before = await service.list(runtimeId);
  for (let sweep = 2; sweep <= MAX_SWEEPS; sweep++) {
    const endpoints = await service.list(runtimeId);
    if (sameEndpoints(before, endpoints)) return endpoints;
    before = endpoints;
  }
  throw new SteprollError(
    ErrorName.ListUnstable,
    `The list of endpoints changed between ${MAX_SWEEPS} reads: try again when nobody creates or deletes endpoints.`,
  );
}
