import {
  createInputSchema,
  listInputSchema,
  rollInputSchema,
  stopInputSchema,
} from '../contract/operations.ts';
import { parseInput } from '../contract/parse-input.ts';
import type { Endpoint, EndpointPage } from '../domain/endpoint.ts';
import { ErrorName } from '../domain/errors.ts';
import type { EndpointService } from '../ports/endpoint-service.ts';
import { type WrittenEndpoint, writeEach } from './write-each.ts';

/** The four operations, as a pipeline calls them: without a rollout, a lease or a journal. */

/** @throws `InvalidInput` */
export async function listEndpoints(
  input: unknown,
  service: EndpointService,
): Promise<EndpointPage> {
  const { runtimeId, page, size } = parseInput(listInputSchema, input, 'input of list');
  return service.listPage(runtimeId, { page, size });
}

/** @throws `InvalidInput`, `OutcomeUnknown` when the endpoint may have been created. */
export async function createEndpoint(input: unknown, service: EndpointService): Promise<Endpoint> {
  const { runtimeId, ...rest } = parseInput(createInputSchema, input, 'input of create');
  return service.create(runtimeId, rest);
}

/** Rolls the endpoints that are not there yet: a row for each that was asked for. @throws `InvalidInput` */
export async function rollEndpoints(
  input: unknown,
  service: EndpointService,
): Promise<WrittenEndpoint[]> {
  const { runtimeId, version, endpointIds } = parseInput(rollInputSchema, input, 'input of roll');
  const endpoints = await service.list(runtimeId);
  const targets = new Map(endpoints.map(({ id, targetVersion }) => [id, targetVersion]));
  const known = endpointIds.filter((id) => targets.has(id));
  const there = known.filter((id) => targets.get(id) === version);
  const rows = await writeEach(
    known.filter((id) => targets.get(id) !== version),
    (endpointId) => service.roll(runtimeId, endpointId, version).then(() => undefined),
  );
  return [
    ...rows,
    ...there.map((endpointId) => notSent(endpointId, 'at-version')),
    ...endpointIds
      .filter((id) => !targets.has(id))
      .map((endpointId) => notSent(endpointId, ErrorName.UpstreamNotFound)),
  ];
}

/** Stops the endpoints: a row for each. There is no undo. @throws `InvalidInput` */
export async function stopEndpoints(
  input: unknown,
  service: EndpointService,
): Promise<WrittenEndpoint[]> {
  const { runtimeId, endpointIds } = parseInput(stopInputSchema, input, 'input of stop');
  return writeEach(endpointIds, (endpointId) =>
    service.stop(runtimeId, endpointId).then(() => undefined),
  );
}

function notSent(endpointId: string, reason: string): WrittenEndpoint {
  return { endpointId, result: 'not-sent', reason };
}
