import { listInputSchema, rollInputSchema, stopInputSchema } from '../contract/operations.ts';
import { parseInput } from '../contract/parse-input.ts';
import { DEFAULT_POLICY } from '../domain/defaults.ts';
import type { Endpoint, EndpointPage } from '../domain/endpoint.ts';
import { ErrorName } from '../domain/errors.ts';
import { isConverged } from '../domain/status.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { type WrittenEndpoint, writeEach } from './write-each.ts';

/** The operations as a pipeline calls them: without a rollout, a lease or a journal. */

/** @throws `InvalidInput` */
export async function listEndpoints(
  input: unknown,
  service: EndpointService,
): Promise<EndpointPage> {
  const { runtimeId, page, size } = parseInput(listInputSchema, input, 'input of list');
  return service.listPage(runtimeId, { page, size });
}

/**
 * Rolls the endpoints whose target is another version, and answers a row for each that was asked for, in the
 * order of the input. Reads the list first.
 *
 * @throws `InvalidInput`, and whatever keeps the list from being read: then nothing was sent.
 */
export async function rollEndpoints(
  input: unknown,
  service: EndpointService,
): Promise<WrittenEndpoint[]> {
  const { runtimeId, version, endpointIds } = parseInput(rollInputSchema, input, 'input of roll');
  const endpoints = await service.list(runtimeId);
  const known = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const toRoll = endpointIds.filter((id) => {
    const endpoint = known.get(id);
    return endpoint !== undefined && endpoint.targetVersion !== version;
  });
  const written = await writeEach(toRoll, (endpointId) =>
    service.roll(runtimeId, endpointId, version).then(() => undefined),
  );
  const rows = new Map(written.map((row) => [row.endpointId, row]));
  return endpointIds.map(
    (endpointId): WrittenEndpoint =>
      rows.get(endpointId) ?? {
        endpointId,
        result: 'not-sent',
        reason: reasonNotToRoll(known.get(endpointId), version),
      },
  );
}

/** Whether it was meant is told by the list: an endpoint that has its target may still be on its way, or broken. */
function reasonNotToRoll(endpoint: Endpoint | undefined, version: number): string {
  if (endpoint === undefined) return ErrorName.UpstreamNotFound;
  return isConverged(endpoint, version, DEFAULT_POLICY.statuses) ? 'at-version' : 'not-live';
}

/**
 * Stops the endpoints, and answers a row for each, in the order of the input. There is no undo, and
 * unlike a rollout this asks nothing before it stops.
 *
 * @throws `InvalidInput`
 */
export async function stopEndpoints(
  input: unknown,
  service: EndpointService,
): Promise<WrittenEndpoint[]> {
  const { runtimeId, endpointIds } = parseInput(stopInputSchema, input, 'input of stop');
  return writeEach(endpointIds, (endpointId) =>
    service.stop(runtimeId, endpointId).then(() => undefined),
  );
}
