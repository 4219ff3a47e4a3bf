import * as z from 'zod';
import type { Endpoint, EndpointPage } from '../domain/endpoint.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';

/**
 * The service's JSON names, as configuration. A field that the service does not send is `null` here
 * and therefore unknown everywhere.
 */
export const wireMappingSchema = z.strictObject({
  endpoint: z
    .strictObject({
      id: z.string().min(1).default('id'),
      name: jsonName('name'),
      version: jsonName('version'),
      targetVersion: jsonName('targetVersion'),
      liveVersion: jsonName('liveVersion'),
      replicas: jsonName('currentReplicaCount'),
      url: jsonName('url'),
      status: jsonName('status'),
    })
    .prefault({}),
  page: z
    .strictObject({
      /** `null`: the answer is a bare array of endpoints. */
      endpoints: jsonName('listData'),
      page: jsonName('page'),
      size: jsonName('pageSize'),
      totalPages: jsonName('totalPage'),
      totalEndpoints: jsonName('totalItem'),
    })
    .prefault({}),
});

export type WireMapping = z.output<typeof wireMappingSchema>;

/** The names of the public service of this shape. */
export const DEFAULT_WIRE: WireMapping = wireMappingSchema.parse({});

/** Throws `UpstreamProtocol`; `source` says which answer it was. */
export function parseEndpoint(value: unknown, wire: WireMapping, source: string): Endpoint {
  return parse(endpointSchema, pickEndpoint(value, wire), source);
}

/** Throws `UpstreamProtocol`; `source` says which answer it was. */
export function parseEndpointPage(value: unknown, wire: WireMapping, source: string): EndpointPage {
  const { endpoints, page, size, totalPages, totalEndpoints } = wire.page;
  const rows = endpoints === null ? value : fieldOf(value, endpoints);
  return parse(
    pageSchema,
    {
      endpoints: Array.isArray(rows) ? rows.map((row) => pickEndpoint(row, wire)) : rows,
      page: fieldOf(value, page),
      size: fieldOf(value, size),
      totalPages: fieldOf(value, totalPages),
      totalEndpoints: fieldOf(value, totalEndpoints),
    },
    source,
  );
}

function jsonName(byDefault: string) {
  return z.string().min(1).nullable().default(byDefault);
}

/** Only what a JavaScript number holds exactly: a version that was rounded is another version. */
const count = z.int().min(0).nullable();

const text = z.string().nullable();

const endpointSchema = z.object({
  id: z.string().min(1),
  name: text,
  version: count,
  targetVersion: count,
  liveVersion: count,
  replicas: count,
  url: text,
  status: text,
});

const pageSchema = z.object({
  endpoints: z.array(endpointSchema),
  page: count,
  size: count,
  totalPages: count,
  totalEndpoints: count,
});

/** The fields under our own names; anything that is no object is left for the schema to refuse. */
function pickEndpoint(row: unknown, wire: WireMapping): unknown {
  if (!isObject(row)) {
    return row;
  }
  const { id, name, version, targetVersion, liveVersion, replicas, url, status } = wire.endpoint;
  return {
    id: fieldOf(row, id),
    name: fieldOf(row, name),
    version: fieldOf(row, version),
    targetVersion: fieldOf(row, targetVersion),
    liveVersion: fieldOf(row, liveVersion),
    replicas: fieldOf(row, replicas),
    url: fieldOf(row, url),
    status: fieldOf(row, status),
  };
}

/** `null` for what is not there: both mean that the service did not say. */
function fieldOf(value: unknown, name: string | null): unknown {
  return name !== null && isObject(value) && Object.hasOwn(value, name)
    ? (value[name] ?? null)
    : null;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const SHOWN_FAULTS = 5;

function parse<T>(schema: z.ZodType<T>, value: unknown, source: string): T {
  const result = schema.safeParse(value);
  if (result.success) {
    return result.data;
  }
  const faults = result.error.issues
    .slice(0, SHOWN_FAULTS)
    .map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new SteprollError(
    ErrorName.UpstreamProtocol,
    `${source}: not what the interface says: ${faults.join('; ')}`,
  );
}
