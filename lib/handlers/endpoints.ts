import {
  createInputSchema,
  listInputSchema,
  rollInputSchema,
  stopInputSchema,
} from '../contract/functions/operations.ts';
import { parseInput } from '../contract/input/parse-input.ts';
import {
  asSaid,
  type Endpoint,
  type EndpointPage,
  isConverged,
} from '../domain/endpoint/endpoint.ts';
import { ErrorName, errorNameOf } from '../domain/errors.ts';
import type { RolloutPolicy } from '../domain/rollout/policy.ts';
import type { Clock } from '../ports/clock.ts';
import type { CreateInput, EndpointService } from '../ports/endpoint-service.ts';
import { type WrittenEndpoint, writeEach } from '../steps/io/write-each.ts';

/** One page of the list, without a rollout, a lease or a journal, like every operation. @throws `InvalidInput` */
export async function listEndpoints(
  input: unknown,
  service: EndpointService,
): Promise<EndpointPage> {
  const { runtimeId, page, size } = parseInput(listInputSchema, input, 'input of list');
  return service.listPage(runtimeId, { page, size });
}

export interface RollPorts {
  readonly service: EndpointService;
  readonly statuses: RolloutPolicy['statuses'];
}

/**
 * Rolls the endpoints whose target is another version. Reads the list first. Answers a row for each endpoint that was
 * asked for, in the order of the input.
 *
 * @throws `InvalidInput`, and any error of the list; then nothing was sent.
 */
export async function rollEndpoints(
  input: unknown,
  { service, statuses }: RollPorts,
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
        reason: reasonNotToRoll(known.get(endpointId), version, statuses),
      },
  );
}

/** Only the list can tell whether that was wanted: an endpoint at its target may be on its way, or broken. */
function reasonNotToRoll(
  endpoint: Endpoint | undefined,
  version: number,
  statuses: RollPorts['statuses'],
): string {
  if (endpoint === undefined) return ErrorName.UpstreamNotFound;
  return isConverged(endpoint, version, statuses) ? 'at-version' : 'not-live';
}

/**
 * Stops the endpoints, and answers a row for each, in the order of the input. A stop cannot be undone, and unlike a
 * rollout this checks nothing before it.
 *
 * @throws `InvalidInput`
 */
export async function stopEndpoints(
  input: unknown,
  service: EndpointService,
): Promise<WrittenEndpoint[]> {
  const { runtimeId, endpointIds } = parseInput(stopInputSchema, input, 'input of stop');
  return writeEach(endpointIds, (endpointId) => service.stop(runtimeId, endpointId));
}

export interface CreatePorts {
  readonly service: EndpointService;
  readonly clock: Pick<Clock, 'sleep'>;
  /** Called before each look for an endpoint that may have been created. @default - nobody is called */
  readonly onLook?: (seconds: number) => void;
}

/** @throws `InvalidInput`, `OutcomeUnknown` when the endpoint may have been created. */
export async function createEndpoint(input: unknown, ports: CreatePorts): Promise<Endpoint> {
  const { runtimeId, ...wanted } = parseInput(createInputSchema, input, 'input of create');
  return createOnce(runtimeId, wanted, ports);
}

/** Milliseconds before each look for an endpoint that may have been created. */
const LOOKS = [0, 5_000, 25_000];

/**
 * Creates an endpoint. When no answer comes, it looks for the endpoint in the list instead of creating a second one:
 * at once, after 5 s and after 30 s, because the endpoint may appear late. It also reads the list before the
 * creation, to know an endpoint of the same name that was there already. When the list cannot be read, a creation
 * without an answer stays in doubt.
 *
 * @throws `OutcomeUnknown` when the endpoint has not shown up.
 */
export async function createOnce(
  runtimeId: string,
  wanted: CreateInput,
  { service, clock, onLook }: CreatePorts,
): Promise<Endpoint> {
  const before = await service.list(runtimeId).then(
    (endpoints) => new Set(endpoints.map(({ id }) => id)),
    () => null,
  );
  try {
    return await service.create(runtimeId, wanted);
  } catch (error) {
    if (before === null || errorNameOf(error) !== ErrorName.OutcomeUnknown) throw error;
    for (const wait of LOOKS) {
      onLook?.(wait / 1000);
      await clock.sleep(wait);
      const found = await find(runtimeId, wanted, before, service);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

/** With two endpoints of the name nobody could say which one is ours, so two count as none. */
async function find(
  runtimeId: string,
  { name }: CreateInput,
  before: ReadonlySet<string>,
  service: EndpointService,
): Promise<Endpoint | undefined> {
  const endpoints = await service.list(runtimeId).catch(() => []);
  const found = endpoints.filter(
    (endpoint) => asSaid(endpoint).name === name && !before.has(endpoint.id),
  );
  return found.length === 1 ? found[0] : undefined;
}
