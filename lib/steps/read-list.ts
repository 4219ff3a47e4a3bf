import type { Endpoint } from '../domain/endpoint.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { faultOfList } from '../domain/judge/fault-of-list.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';

/**
 * Reads the list for a decision of a rollout that is under way. One that lacks most of the fleet is like one that
 * cannot be read.
 *
 * @throws `ListUnstable` for such a list, and the errors of one that cannot be read.
 */
export async function readList(
  { request, plan }: Pick<RolloutRecord, 'request' | 'plan'>,
  service: Pick<EndpointService, 'list'>,
): Promise<readonly Endpoint[]> {
  const endpoints = await service.list(request.runtimeId);
  const fault = plan === null ? undefined : faultOfList(endpoints, plan);
  if (fault !== undefined) throw new SteprollError(ErrorName.ListUnstable, fault);
  return endpoints;
}
