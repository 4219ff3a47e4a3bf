import * as z from 'zod';
import type { Endpoint, EndpointPage } from '../domain/endpoint.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';

/** Fields under our own names, with whatever the service sent in them. */
export type Fields<T> = { readonly [Field in keyof T]: unknown };

/** Throws `UpstreamProtocol`; `source` says which answer it was. */
export function checkEndpoint(endpoint: unknown, source: string): Endpoint {
  return isEndpoint(endpoint) ? endpoint : refuse(endpointSchema, endpoint, source);
}

/** Throws `UpstreamProtocol`; `source` says which answer it was. */
export function checkPage(page: Fields<EndpointPage>, source: string): EndpointPage {
  return isPage(page) ? page : refuse(pageSchema, page, source);
}

export type JsonObject = Readonly<Record<PropertyKey, unknown>>;

export function isObject(value: unknown): value is JsonObject {
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
