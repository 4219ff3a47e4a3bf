import { createInputSchema } from '../contract/operations.ts';
import { parseInput } from '../contract/parse-input.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import { ErrorName, errorNameOf } from '../domain/errors.ts';
import type { Clock } from '../ports/clock.ts';
import type { CreateInput, EndpointService } from '../ports/endpoint-service.ts';

export interface CreatePorts {
  readonly service: EndpointService;
  readonly clock: Pick<Clock, 'sleep'>;
}

/** @throws `InvalidInput`, `OutcomeUnknown` when the endpoint may have been created. */
export async function createEndpoint(input: unknown, ports: CreatePorts): Promise<Endpoint> {
  const { runtimeId, ...wanted } = parseInput(createInputSchema, input, 'input of create');
  return createOnce(runtimeId, wanted, ports);
}

/** Milliseconds before each look for an endpoint that may have been created. */
const LOOKS = [0, 5_000, 25_000];

/**
 * Creates an endpoint, and when no answer comes looks for it in the list instead of creating a second one:
 * at once, after 5 s and after 30 s, because a creation may be late. For that it reads the list before:
 * an endpoint of this name that was there already is another one. Where the list cannot be read, a
 * creation without an answer stays in doubt.
 *
 * @throws `OutcomeUnknown` when it has not shown up.
 */
export async function createOnce(
  runtimeId: string,
  wanted: CreateInput,
  { service, clock }: CreatePorts,
): Promise<Endpoint> {
  const before = await readIds(runtimeId, service);
  try {
    return await service.create(runtimeId, wanted);
  } catch (error) {
    if (before === null || errorNameOf(error) !== ErrorName.OutcomeUnknown) throw error;
    for (const wait of LOOKS) {
      await clock.sleep(wait);
      const found = await find(runtimeId, wanted, before, service);
      if (found !== undefined) return found;
    }
    throw error;
  }
}

async function readIds(
  runtimeId: string,
  service: EndpointService,
): Promise<ReadonlySet<string> | null> {
  try {
    return new Set((await service.list(runtimeId)).map(({ id }) => id));
  } catch {
    return null;
  }
}

/** Two of them would leave open which one is ours. */
async function find(
  runtimeId: string,
  { name }: CreateInput,
  before: ReadonlySet<string>,
  service: EndpointService,
): Promise<Endpoint | undefined> {
  const endpoints = await service.list(runtimeId).catch(() => []);
  const found = endpoints.filter((endpoint) => endpoint.name === name && !before.has(endpoint.id));
  return found.length === 1 ? found[0] : undefined;
}
