import * as z from 'zod';
import type { Endpoint, EndpointPage } from '../../domain/endpoint/endpoint.ts';
import { checkAnswer } from './check-answer.ts';
import { faultsOfEndpoint, faultsOfPage } from './wire-faults.ts';

/** Every object has a `toString`, even if the service sent none, so names of such properties are refused. */
const ownName = z
  .string()
  .min(1)
  .refine((name) => !(name in Object.prototype), 'use a name that not every object has anyway');

/**
 * The service's JSON names, as configuration. A field that the service does not send is `null` here, and so it is
 * unknown everywhere.
 */
export const wireMappingSchema = z.strictObject({
  endpoint: z
    .strictObject({
      id: ownName.default('id').describe('Name of the field.'),
      name: jsonName('name'),
      version: jsonName('version'),
      targetVersion: jsonName('targetVersion'),
      liveVersion: jsonName('liveVersion'),
      replicas: jsonName('currentReplicaCount'),
      url: jsonName('url'),
      status: jsonName('status'),
      statusReason: jsonName(null),
    })
    .prefault({})
    .describe('Names of the fields of an endpoint.'),
  page: z
    .strictObject({
      endpoints: jsonName('listData').describe(
        'Name of the field; null if the answer is a bare array.',
      ),
      /** `false`: the service has no pages, and every answer is the whole list. */
      paged: z.boolean().default(true).describe('Not a name: whether the service has pages.'),
      page: jsonName('page'),
      size: jsonName('pageSize'),
      totalPages: jsonName('totalPage'),
      totalEndpoints: jsonName('totalItem'),
    })
    .prefault({})
    .describe('Names of the fields of a page of endpoints.'),
});

export type WireMapping = z.output<typeof wireMappingSchema>;

/** The names of the public service that has this shape. */
export const DEFAULT_WIRE: WireMapping = wireMappingSchema.parse({});

/** Throws `UpstreamProtocol`; `source` names the answer. */
export function parseEndpoint(value: unknown, wire: WireMapping, source: string): Endpoint {
  const endpoint = isObject(value) ? underOurNames(value, wire.endpoint) : value;
  return checkAnswer(endpointSchema, endpoint, source, (paths) =>
    faultsOfEndpoint(paths, value, wire),
  );
}

/** Throws `UpstreamProtocol`; `source` names the answer. */
export function parseEndpointPage(value: unknown, wire: WireMapping, source: string): EndpointPage {
  const { paged: _, ...names } = wire.page;
  const page = underOurNames(isObject(value) ? value : {}, names);
  const rows = names.endpoints === null ? value : rowsOf(page);
  const endpoints = Array.isArray(rows)
    ? rows.map((row) => (isObject(row) ? underOurNames(row, wire.endpoint) : row))
    : rows;
  return checkAnswer(pageSchema, { ...page, endpoints }, source, (paths) =>
    faultsOfPage(paths, value, wire),
  );
}

/** Some services have no list where it would be empty, but null. The totals tell that it is not an accident. */
function rowsOf({ endpoints, totalEndpoints, totalPages }: JsonObject): unknown {
  return endpoints === null && (totalEndpoints === 0 || totalPages === 0) ? [] : endpoints;
}

function jsonName(byDefault: string | null) {
  return ownName
    .nullable()
    .default(byDefault)
    .describe('Name of the field; null if it is not sent.');
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields under our own names, with any values. A field that the service does not send is `null`. */
function underOurNames(
  row: JsonObject,
  names: Readonly<Record<string, string | null>>,
): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const [field, name] of Object.entries(names)) {
    fields[field] = (name === null ? null : row[name]) ?? null;
  }
  return fields;
}

/** Throws `UpstreamProtocol`; `source` names the answer. */
export function checkEndpoint(endpoint: unknown, source: string): Endpoint {
  return checkAnswer(endpointSchema, endpoint, source);
}

/** Throws `UpstreamProtocol`; `source` names the answer. */
export function checkPage(page: unknown, source: string): EndpointPage {
  return checkAnswer(pageSchema, page, source);
}

/** Only numbers that JavaScript represents exactly: a version that was rounded is another version. */
const count = z.int().min(0).nullable();

const text = z.string().nullable();

/** An endpoint. `null` means that the service did not say the value. */
export const endpointSchema = z.object({
  id: z.string().min(1),
  name: text,
  version: count.describe('The version that the service calls its own.'),
  targetVersion: count.describe('What the endpoint is moving to.'),
  liveVersion: count.describe('What is serving now.'),
  replicas: count,
  url: text,
  status: text.describe('In the words of the service.'),
  statusReason: text.describe('Why the status is what it is.'),
}) satisfies z.ZodType<Endpoint>;

export const pageSchema = z.object({
  endpoints: z.array(endpointSchema),
  page: count.describe('Counted from 1.'),
  size: count,
  totalPages: count,
  totalEndpoints: count,
}) satisfies z.ZodType<EndpointPage>;
