import { randomUUID } from 'node:crypto';
import {
  BedrockAgentCoreControlClient,
  type BedrockAgentCoreControlClientConfig,
} from '@aws-sdk/client-bedrock-agentcore-control';
import * as z from 'zod';
import { parseInput } from '../../../contract/input/parse-input.ts';
import {
  agentVersionSchema,
  clientTokenSchema,
  endpointNameSchema,
  RESOURCE_ID,
} from '../../../contract/service/agentcore.ts';
import {
  AGENTCORE_ABILITIES,
  type AgentCoreResource,
  urlOfResource,
} from '../../../contract/service/services.ts';
import type { Endpoint, EndpointPage } from '../../../domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { Clock } from '../../../ports/clock.ts';
import type { EndpointService, PageQuery } from '../../../ports/endpoint-service.ts';
import { type Connection, openConnection } from '../../http/connection.ts';
import { withDeadline } from '../../http/send-request.ts';
import type { EndpointClientOptions } from '../rest/client.ts';
import { createAgentCoreCall } from './call.ts';
import { readAll, readPages, type TokenPage } from './pages.ts';
import { CALLS, PAGE_SIZE } from './resources.ts';
import { agentCoreUrl } from './service-url.ts';
import { createTwinFinder } from './twins.ts';

export interface AgentCoreOptions
  extends Pick<
    EndpointClientOptions,
    'clock' | 'deadlineMs' | 'random' | 'onExchange' | 'excerptLength' | 'openSockets'
  > {
  readonly region: string;
  /** What has the endpoints. @default 'runtime' */
  readonly of?: AgentCoreResource;
  /** Credentials for AWS. @default - the SDK looks for them in its own places */
  readonly credentials?: BedrockAgentCoreControlClientConfig['credentials'];
  /** Base URL of the control plane. @default - the SDK resolves it: see `agentCoreUrl` */
  readonly endpointUrl?: string;
  /** What takes requests to the service. It does not report to `onExchange`. @default - the network */
  readonly connection?: Connection;
}

/**
 * Amazon Bedrock AgentCore, its runtimes or its harnesses. It addresses endpoints by their names, so the name of an
 * endpoint is its id too.
 *
 * Reads are tried up to 3 times. A write is sent at most once, as in the other client. Whoever sends it again after
 * `OutcomeUnknown` gives it the same token, and the service carries it out only once. Before anything is sent,
 * an id that the service would refuse and a write to an endpoint that the service moves by itself throw
 * `InvalidEndpointId`; a version, a page, a size or a token that it would refuse throws `InvalidInput`.
 *
 * @throws `InvalidInput` for a URL that `parseEndpointUrl` refuses.
 */
export async function openAgentCoreService(
  options: AgentCoreOptions,
): Promise<EndpointService & { close(): Promise<void> }> {
  const { of = 'runtime', clock } = options;
  const calls = CALLS[of];
  const { url, call, close } = await openControlPlane(options);
  const findTwin = createTwinFinder(call, of);

  const parseResource = (id: string) => parseId(RESOURCE_ID[of], id);

  function listEndpoints(id: string, maxResults: number, signal?: AbortSignal) {
    return (nextToken: string | undefined) =>
      calls.list(call, { id, maxResults, nextToken }, signal);
  }

  return {
    url: urlOfResource(url, of),
    abilities: AGENTCORE_ABILITIES,
    async listPage(runtimeId, query, signal) {
      const id = parseResource(runtimeId);
      const { page, size } = parseInput(pageSchema, query, 'page');
      return walkTo({ page, size }, readPages(listEndpoints(id, size, signal)));
    },
    async list(runtimeId, signal) {
      const id = parseResource(runtimeId);
      const endpoints = await readAll(listEndpoints(id, PAGE_SIZE, signal), (one) => one.id);
      const { readReason } = calls;
      if (readReason === null) return endpoints;
      const read = (name: string, until: AbortSignal) => readReason(call, { id, name }, until);
      return addReasons(endpoints, read, clock, signal);
    },
    async create(runtimeId, input, signal) {
      const id = parseResource(runtimeId);
      const name = parseWritable(input.name);
      const { version } = parseInput(createSchema, input, 'endpoint to create');
      const named = { id, name, clientToken: randomUUID() };
      const chosen = version === undefined ? {} : { version: String(version) };
      return calls.create(call, { ...named, ...chosen }, signal);
    },
    async roll(runtimeId, endpointId, version, signal, token) {
      const id = parseResource(runtimeId);
      const name = parseWritable(endpointId);
      const roll = parseInput(rollSchema, { version, token }, 'roll');
      const clientToken = roll.token ?? randomUUID();
      return calls.roll(call, { id, name, version: String(roll.version), clientToken }, signal);
    },
    stop: () => Promise.reject(new SteprollError(ErrorName.StopUnsupported, NO_STOP)),
    async listVersions(runtimeId, signal) {
      const id = parseResource(runtimeId);
      return readAll(
        (nextToken) => calls.listVersions(call, { id, maxResults: PAGE_SIZE, nextToken }, signal),
        ({ version }) => `version ${version}`,
      );
    },
    findTwin: async (runtimeId, signal) => findTwin(parseResource(runtimeId), signal),
    close,
  };
}

/** What calls go through, and the URL that they go to. */
async function openControlPlane(options: AgentCoreOptions) {
  const { region, clock, credentials, endpointUrl } = options;
  const { onExchange, excerptLength, openSockets } = options;
  const url = await agentCoreUrl(region, endpointUrl);
  const client = new BedrockAgentCoreControlClient({
    region,
    // Our own retries follow the clock of the rollout and what the service asks for.
    maxAttempts: 1,
    retryMode: 'standard',
    ...(credentials !== undefined && { credentials }),
    endpoint: url,
  });
  const connection =
    options.connection ??
    openConnection({
      origin: new URL(url).origin,
      sockets: SOCKETS,
      openSockets,
      // The requests are signed, and AWS knows nobody by a certificate.
      socketOptions: { showsCertificate: false },
      clock,
      showBodies: true,
      onExchange,
      excerptLength,
    });
  const call = createAgentCoreCall({
    client,
    connection,
    sockets: SOCKETS,
    clock,
    deadlineMs: options.deadlineMs ?? 10_000,
    random: options.random ?? Math.random,
  });
  return {
    url,
    call,
    async close() {
      client.destroy();
      await connection.close();
    },
  };
}

/** A rollout reads one list at a time and writes to one endpoint at a time. */
const SOCKETS = 4;

const NO_STOP =
  'AgentCore cannot stop an endpoint. It can only delete one, with its address, and steproll never deletes.';

const pageSchema = z.object({ page: z.int().min(1), size: z.int().min(1).max(PAGE_SIZE) });
const createSchema = z.object({ version: agentVersionSchema.optional() });
const rollSchema = z.object({ version: agentVersionSchema, token: clientTokenSchema.optional() });

const LONGEST_QUOTE = 256;

function parseId(schema: z.ZodType<string>, id: string): string {
  const { success, data, error } = schema.safeParse(id);
  if (success) return data;
  const fault = error.issues.map(({ message }) => message).join('; ');
  throw invalidId(id, fault);
}

/** The name of an endpoint that steproll may write to. */
function parseWritable(name: string): string {
  const { movedByService } = AGENTCORE_ABILITIES;
  if (movedByService.some((moved) => moved === name)) {
    throw invalidId(name, 'AgentCore moves this endpoint to every new version by itself');
  }
  return parseId(endpointNameSchema, name);
}

function invalidId(id: unknown, fault: string): SteprollError {
  const quote = JSON.stringify(String(id).slice(0, LONGEST_QUOTE));
  return new SteprollError(ErrorName.InvalidEndpointId, `${quote} is not allowed: ${fault}`);
}

/**
 * The page that was asked for. There are only tokens, so all pages before it are read too. The service may make pages
 * shorter than `size`. How many there are is known once the last one was read.
 */
async function walkTo(
  { page, size }: PageQuery,
  pages: AsyncIterable<TokenPage<Endpoint>>,
): Promise<EndpointPage> {
  let endpoints: readonly Endpoint[] = [];
  let totalPages = 0;
  let totalEndpoints = 0;
  for await (const { items, nextToken } of pages) {
    totalPages += 1;
    totalEndpoints += items.length;
    if (totalPages < page) continue;
    endpoints = items;
    if (nextToken === null) break;
    return { endpoints, page, size, totalPages: null, totalEndpoints: null };
  }
  return { endpoints, page, size, totalPages, totalEndpoints };
}

/** A runtime has at most 10 endpoints, unless AWS has raised that. */
const MOST_ASKED = 10;
/** A list does not wait longer for what only people read. */
const PATIENCE_MS = 3_000;

/**
 * The endpoints of a list with the reasons of those that failed. Lists do not have them, so each costs a call of its
 * own. A reason that cannot be read is left out: the list is complete without it.
 */
async function addReasons(
  endpoints: readonly Endpoint[],
  readReason: (name: string, signal: AbortSignal) => Promise<string | null>,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<readonly Endpoint[]> {
  const failed = endpoints.filter(({ status }) => status?.endsWith('_FAILED'));
  if (failed.length === 0) return endpoints;
  const read = async ({ id }: Endpoint, until: AbortSignal) =>
    [id, await readReason(id, until).catch(() => null)] as const;
  const reasons = await withDeadline(clock, PATIENCE_MS, signal, ({ signal: until }) =>
    Promise.all(failed.slice(0, MOST_ASKED).map((endpoint) => read(endpoint, until))),
  );
  signal?.throwIfAborted();
  const byId = new Map(reasons);
  return endpoints.map((endpoint) => ({
    ...endpoint,
    statusReason: byId.get(endpoint.id) ?? endpoint.statusReason,
  }));
}
