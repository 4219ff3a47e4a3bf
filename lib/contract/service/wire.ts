import * as z from 'zod';
import type { Endpoint, EndpointPage } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';

/** Every object has a `toString`, also one that was sent without. */
const ownName = z
  .string()
  .min(1)
  .refine((name) => !(name in Object.prototype), 'use a name that not every object has anyway');

/**
 * The service's JSON names, as configuration. A field that the service does not send is `null` here
 * and therefore unknown everywhere.
 */
export const wireMappingSchema = z.strictObject({
  endpoint: z
    .strictObject({
      id: ownName.default('id').describe('Its name.'),
      name: jsonName('name'),
      version: jsonName('version'),
      targetVersion: jsonName('targetVersion'),
      liveVersion: jsonName('liveVersion'),
      replicas: jsonName('currentReplicaCount'),
      url: jsonName('url'),
      status: jsonName('status'),
    })
    .prefault({})
    .describe('Of an endpoint.'),
  page: z
    .strictObject({
      endpoints: jsonName('listData').describe('Its name; null where the answer is a bare array.'),
      /** `false`: the service knows no pages, and every answer is the whole list. */
      paged: z.boolean().default(true).describe('Not a name: whether the service knows pages.'),
      page: jsonName('page'),
      size: jsonName('pageSize'),
      totalPages: jsonName('totalPage'),
      totalEndpoints: jsonName('totalItem'),
    })
    .prefault({})
    .describe('Of a page of endpoints.'),
});

export type WireMapping = z.output<typeof wireMappingSchema>;

/** The names of the public service of this shape. */
export const DEFAULT_WIRE: WireMapping = wireMappingSchema.parse({});

/** Throws `UpstreamProtocol`; `source` says which answer it was. */
export function parseEndpoint(value: unknown, wire: WireMapping, source: string): Endpoint {
  const endpoint = isObject(value) ? pickEndpoint(value, wire) : value;
  return checkEndpoint(endpoint, source);
}

/** Throws `UpstreamProtocol`; `source` says which answer it was. */
export function parseEndpointPage(value: unknown, wire: WireMapping, source: string): EndpointPage {
  const { endpoints: rowsName } = wire.page;
  const body = isObject(value) ? value : {};
  const {
    [rowsName ?? NOT_SENT]: rows = rowsName === null ? value : null,
    [wire.page.page ?? NOT_SENT]: page = null,
    [wire.page.size ?? NOT_SENT]: size = null,
    [wire.page.totalPages ?? NOT_SENT]: totalPages = null,
    [wire.page.totalEndpoints ?? NOT_SENT]: totalEndpoints = null,
  } = body;
  const endpoints = Array.isArray(rows)
    ? rows.map((row) => (isObject(row) ? pickEndpoint(row, wire) : row))
    : rows;
  return checkPage({ endpoints, page, size, totalPages, totalEndpoints }, source);
}

function jsonName(byDefault: string) {
  return ownName.nullable().default(byDefault).describe('Its name; null where it is not sent.');
}

/** Stands for the name of a field that the service does not send: no JSON has it. */
const NOT_SENT = Symbol('not sent');

/** The fields under our own names, whatever is in them. */
function pickEndpoint(row: JsonObject, { endpoint }: WireMapping): Fields<Endpoint> {
  const {
    [endpoint.id]: id = null,
    [endpoint.name ?? NOT_SENT]: name = null,
    [endpoint.version ?? NOT_SENT]: version = null,
    [endpoint.targetVersion ?? NOT_SENT]: targetVersion = null,
    [endpoint.liveVersion ?? NOT_SENT]: liveVersion = null,
    [endpoint.replicas ?? NOT_SENT]: replicas = null,
    [endpoint.url ?? NOT_SENT]: url = null,
    [endpoint.status ?? NOT_SENT]: status = null,
  } = row;
  return { id, name, version, targetVersion, liveVersion, replicas, url, status };
}

/** Fields under our own names, with whatever the service sent in them. */
type Fields<T> = { readonly [Field in keyof T]: unknown };

/** Throws `UpstreamProtocol`; `source` says which answer it was. */
export function checkEndpoint(endpoint: unknown, source: string): Endpoint {
  return isEndpoint(endpoint) ? endpoint : refuse(endpointSchema, endpoint, source);
}

/** Throws `UpstreamProtocol`; `source` says which answer it was. */
export function checkPage(page: Fields<EndpointPage>, source: string): EndpointPage {
  return isPage(page) ? page : refuse(pageSchema, page, source);
}

type JsonObject = Readonly<Record<PropertyKey, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

// The schemas, said once more. Zod takes nearly as long for a page as parsing its JSON, so it is asked
// only when something is wrong, and then has the last word.

function isPage(page: Fields<EndpointPage>): page is EndpointPage {
  return (
    Array.isArray(page.endpoints) &&
    page.endpoints.every(isEndpoint) &&
    isCount(page.page) &&
    isCount(page.size) &&
    isCount(page.totalPages) &&
    isCount(page.totalEndpoints)
  );
}

function isEndpoint(endpoint: unknown): endpoint is Endpoint {
  if (!isObject(endpoint)) {
    return false;
  }
  const { id, name, version, targetVersion, liveVersion, replicas, url, status } = endpoint;
  return (
    typeof id === 'string' &&
    id !== '' &&
    isText(name) &&
    isCount(version) &&
    isCount(targetVersion) &&
    isCount(liveVersion) &&
    isCount(replicas) &&
    isText(url) &&
    isText(status)
  );
}

function isText(value: unknown): value is string | null {
  return value === null || typeof value === 'string';
}

function isCount(value: unknown): value is number | null {
  return value === null || (Number.isSafeInteger(value) && (value as number) >= 0);
}

const SHOWN_FAULTS = 5;

/** Says what the schema finds wrong with the value. */
function refuse<T>(schema: z.ZodType<T>, value: unknown, source: string): T {
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
