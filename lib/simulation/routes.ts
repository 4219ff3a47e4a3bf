import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import * as z from 'zod';
import { parseInput } from '../contract/input/parse-input.ts';
import { Refusal } from '../loopback/refusal.ts';
import type { TrueEndpoint } from './endpoint.ts';
import { Name, type Status, Version } from './scenario.ts';
import type { World } from './world.ts';

/** @param maxPageSize Rows of the largest page; `null`: as many as were asked for. */
export function addRoutes(app: FastifyInstance, world: World, maxPageSize: number | null): void {
  app.get<OfRuntime>(ENDPOINTS, (request) => {
    const { page, size } = parseInput(ListQuery, request.query, 'query');
    const pageSize = Math.min(size, maxPageSize ?? size);
    const { listData, ...rest } = pageOf(world.read(request.params.id), page, pageSize);
    return { listData: listData.map((endpoint) => rowOf(endpoint, request)), ...rest };
  });

  app.post<OfRuntime>(ENDPOINTS, (request, reply) => {
    const { name, version } = parseInput(CreateBody, jsonOf(request.body), 'request body');
    const input = version === undefined ? { name } : { name, version };
    reply.code(201).send(rowOf(world.create(request.params.id, input), request));
  });
  refuseOtherMethods(app, ENDPOINTS, ['GET', 'HEAD', 'POST']);

  const roll = (request: FastifyRequest<OfEndpoint>) => {
    const { params, query, body } = request;
    refuseBody(body);
    const { version } = parseInput(RollQuery, query, 'query');
    return rowOf(world.roll(params.id, params.endpointId, version), request);
  };
  app.put<OfEndpoint>(ENDPOINT, roll);
  app.patch<OfEndpoint>(ENDPOINT, (request, reply) => {
    reply.header('Deprecation', PATCH_DEPRECATED);
    return roll(request);
  });
  refuseOtherMethods(app, ENDPOINT, ['PUT', 'PATCH']);

  app.post<OfEndpoint>(STOP, ({ params, body }, reply) => {
    refuseBody(body);
    world.stop(params.id, params.endpointId);
    reply.send();
  });
  refuseOtherMethods(app, STOP, ['POST']);
}

/** An endpoint as it is sent over the wire. */
export function toRow(endpoint: TrueEndpoint, agentRuntimeId: string) {
  const { id, name, targetVersion, liveVersion, replicas, url, status, attributes } = endpoint;
  return {
    ...attributes,
    ...{ id, agentRuntimeId, name },
    // The version that was asked for last, as the documented service answers it.
    version: targetVersion,
    ...{ targetVersion, liveVersion, currentReplicaCount: replicas, url, status },
    displayStatus: DISPLAY_STATUS[status as Status],
    createdAt: new Date(endpoint.createdAt).toISOString(),
    updatedAt: new Date(endpoint.changedAt).toISOString(),
  };
}

/** The endpoints answer at the port of the service. */
function rowOf(endpoint: TrueEndpoint, { params, socket }: FastifyRequest<OfRuntime>) {
  return { ...toRow(endpoint, params.id), url: `${endpoint.url}:${socket.localPort}` };
}

const DISPLAY_STATUS: Readonly<Record<Status, string>> = {
  ACTIVE: 'Active',
  WAITING_ROLLOUT: 'Waiting for rollout',
  UPDATING: 'Updating',
  ERROR: 'Error',
  STOPPED: 'Stopped',
};

const ENDPOINTS = '/agent-runtimes/:id/endpoints';
const ENDPOINT = `${ENDPOINTS}/:endpointId`;
const STOP = `${ENDPOINT}/stop`;

interface OfRuntime {
  Params: { id: string };
}
interface OfEndpoint {
  Params: { id: string; endpointId: string };
}

/** The format is that of RFC 9745. The interface names no day, so this is one in the past: 2025-01-01. */
const PATCH_DEPRECATED = '@1735689600';

const PositiveInteger = z
  .unknown()
  .refine(isPositiveInteger, `use a whole number from 1 to ${Number.MAX_SAFE_INTEGER}`)
  .transform(Number);
const ListQuery = z.object({
  page: PositiveInteger.default(1),
  size: PositiveInteger.default(10),
});
const RollQuery = z.object({ version: PositiveInteger });
const CreateBody = z.strictObject({ name: Name, version: Version.optional() });

function isPositiveInteger(text: unknown): boolean {
  return typeof text === 'string' && /^[1-9]\d*$/.test(text) && Number.isSafeInteger(Number(text));
}

function pageOf(rows: readonly TrueEndpoint[], page: number, pageSize: number) {
  const from = (page - 1) * pageSize;
  return {
    listData: rows.slice(from, from + pageSize),
    page,
    pageSize,
    /** 0 for a runtime without endpoints. */
    totalPage: Math.ceil(rows.length / pageSize),
    totalItem: rows.length,
  };
}

function jsonOf(body: unknown): unknown {
  if (typeof body !== 'string') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    throw new Refusal(400, 'the request body is not JSON');
  }
}

function refuseBody(body: unknown): void {
  if (typeof body === 'string' && body !== '') throw new Refusal(400, 'send no request body');
}

function refuseOtherMethods(app: FastifyInstance, url: string, allowed: readonly string[]): void {
  app.route({
    method: app.supportedMethods.filter((method) => !allowed.includes(method)),
    url,
    handler: ({ method }: FastifyRequest, _reply: FastifyReply) => {
      const allow = allowed.join(', ');
      throw new Refusal(405, `${method} is not allowed here, use ${allow}`, { Allow: allow });
    },
  });
}
