import * as z from 'zod';
import { type Endpoint, type EndpointPage, NO_TARGET } from '../../domain/endpoint/endpoint.ts';
import { SAID_OF_SESSIONS } from '../../domain/endpoint/sessions.ts';
import { LATER_STATUSES } from '../../domain/errors.ts';
import { recordOf, type Stored } from '../../domain/stored.ts';
import { attributeName } from '../input/checks.ts';
import {
  checkAnswer,
  faultsOfEndpoint,
  faultsOfPage,
  isObject,
  type JsonObject,
  unwrap,
} from './wire-faults.ts';

/** Every object has a `toString`, even if the service sent none, so names of such properties are refused. */
const ownName = z
  .string()
  .min(1)
  .refine((name) => !(name in Object.prototype), 'use a name that not every object has anyway');

/** Access, a missing thing, and a server that is slow or limits its callers: these are understood as they are. */
const HAS_ITS_MEANING: ReadonlySet<number> = new Set([401, 403, 404, 408, 425, 429]);

/**
 * The service's JSON names and other habits, as configuration. A field that the service does not send is `null` here, and so it is
 * unknown everywhere.
 */
export const wireMappingSchema = z.strictObject({
  endpoint: z
    .strictObject({
      in: envelope('an answer that is one endpoint'),
      id: ownName.default('id').describe('Name of the field.'),
      name: jsonName('name'),
      version: jsonName('version'),
      targetVersion: jsonName('targetVersion').describe(
        'Name of the field; null if it is not sent, or only while an endpoint is on its way: then the live version alone tells where an endpoint is.',
      ),
      liveVersion: jsonName('liveVersion'),
      replicas: jsonName('currentReplicaCount'),
      url: jsonName('url'),
      status: jsonName('status'),
      statusReason: jsonName(null),
      attributes: recordOf(attributeName, ownName)
        .default({})
        .describe(
          'Fields of an endpoint by which waves, selection and protect may mean it: {"tier": "serviceTier"}, with its name for us first. A text, a number or true and false is a value; anything else is unknown. Default: none.',
        ),
    })
    .prefault({})
    .describe('Names of the fields of an endpoint.'),
  page: z
    .strictObject({
      in: envelope('a page'),
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
  laterStatuses: z
    .array(
      z
        .int()
        .min(400)
        .max(499)
        .refine((status) => !HAS_ITS_MEANING.has(status), 'this status means something else'),
    )
    .max(20)
    .default([...LATER_STATUSES])
    .describe(
      `HTTP statuses with which the service says that an endpoint is busy, so that the same request may succeed later. Default: ${LATER_STATUSES.join(' and ')}.`,
    ),
  sessions: z
    .strictObject({
      goOn: saidOfSessions('Whether a running session goes on with the version before.'),
      stateKept: saidOfSessions('Whether what the service keeps of a session stays.'),
    })
    .prefault({})
    .describe('What a change of the version means for sessions on an endpoint; plans tell it.'),
});

export type WireMapping = Stored<typeof wireMappingSchema>;
/** As it is written. */
export type WireInput = z.input<typeof wireMappingSchema>;

/** The names of the public service that has this shape. */
export const DEFAULT_WIRE: WireMapping = wireMappingSchema.parse({});

/** Throws `UpstreamProtocol`; `source` names the answer. */
export function parseEndpoint(answer: unknown, wire: WireMapping, source: string): Endpoint {
  const value = unwrap(answer, 'endpoint', wire, source);
  const endpoint = isObject(value) ? endpointFields(value, wire.endpoint) : value;
  const checked = checkAnswer(endpointSchema, endpoint, source, (paths) =>
    faultsOfEndpoint(paths, value, wire),
  );
  return tellsTargets(wire) ? checked : withoutTarget(checked);
}

/** Throws `UpstreamProtocol`; `source` names the answer. */
export function parseEndpointPage(
  answer: unknown,
  wire: WireMapping,
  source: string,
): EndpointPage {
  const value = unwrap(answer, 'page', wire, source);
  const page = pageFields(isObject(value) ? value : {}, wire.page);
  const rows = wire.page.endpoints === null ? value : rowsOf(page);
  const endpoints = Array.isArray(rows)
    ? rows.map((row) => (isObject(row) ? endpointFields(row, wire.endpoint) : row))
    : rows;
  const checked = checkAnswer(pageSchema, { ...page, endpoints }, source, (paths) =>
    faultsOfPage(paths, value, wire),
  );
  return tellsTargets(wire)
    ? checked
    : { ...checked, endpoints: checked.endpoints.map(withoutTarget) };
}

function tellsTargets({ endpoint }: WireMapping): boolean {
  return endpoint.targetVersion !== null;
}

function withoutTarget(endpoint: Endpoint): Endpoint {
  return { ...endpoint, [NO_TARGET]: true };
}

/** Some services have no list where it would be empty, but null. The totals tell that it is not an accident. */
function rowsOf({ endpoints, totalEndpoints, totalPages }: JsonObject): unknown {
  return endpoints === null && (totalEndpoints === 0 || totalPages === 0) ? [] : endpoints;
}

function saidOfSessions(what: string) {
  return z.enum(SAID_OF_SESSIONS).default('unknown').describe(`${what} Default: unknown.`);
}

function jsonName(byDefault: string | null) {
  return ownName
    .nullable()
    .default(byDefault)
    .describe('Name of the field; null if it is not sent.');
}

/** The keys to go through from the outside, as in `data.result`. */
function envelope(what: string) {
  return z
    .string()
    .refine((path) => path.split('.').every((key) => ownName.safeParse(key).success), {
      error:
        'use the names of the objects around it, from the outside, with dots between: data.result',
    })
    .nullable()
    .default(null)
    .describe(
      `Names of the objects that ${what} is wrapped in, from the outside: result, data.result; null if it is in none.`,
    );
}

/** No JSON has a field of this name. */
const NOT_SENT = Symbol('not sent');

type Unchecked<T> = { readonly [Field in keyof T]: unknown };

/**
 * The fields under our own names, with any values. A field that the service does not send is `null`. A loop over the
 * names would take almost as long as parsing the JSON.
 */
function endpointFields(row: JsonObject, names: WireMapping['endpoint']): Unchecked<Endpoint> {
  return {
    id: row[names.id] ?? null,
    name: row[keyOf(names.name)] ?? null,
    version: row[keyOf(names.version)] ?? null,
    targetVersion: row[keyOf(names.targetVersion)] ?? null,
    liveVersion: row[keyOf(names.liveVersion)] ?? null,
    replicas: row[keyOf(names.replicas)] ?? null,
    url: row[keyOf(names.url)] ?? null,
    status: row[keyOf(names.status)] ?? null,
    statusReason: row[keyOf(names.statusReason)] ?? null,
    ...attributesIn(row, names.attributes),
  };
}

/** What is no value that a policy can name is as if it was not there. */
function attributesIn(row: JsonObject, names: WireMapping['endpoint']['attributes']) {
  const mapped = Object.entries(names);
  if (mapped.length === 0) return {};
  const said = mapped.flatMap(([name, field]): [string, string][] => {
    const value = Object.hasOwn(row, field) ? row[field] : undefined;
    const isValue = ['string', 'number', 'boolean'].includes(typeof value) && value !== '';
    return isValue ? [[name, String(value)]] : [];
  });
  return { attributes: Object.fromEntries(said) };
}

function pageFields(page: JsonObject, names: WireMapping['page']): Unchecked<EndpointPage> {
  return {
    endpoints: page[keyOf(names.endpoints)] ?? null,
    page: page[keyOf(names.page)] ?? null,
    size: page[keyOf(names.size)] ?? null,
    totalPages: page[keyOf(names.totalPages)] ?? null,
    totalEndpoints: page[keyOf(names.totalEndpoints)] ?? null,
  };
}

function keyOf(name: string | null): PropertyKey {
  return name ?? NOT_SENT;
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
  attributes: recordOf(z.string(), z.string())
    .exactOptional()
    .describe('By the names of wire.endpoint.attributes. Default: the configuration maps none.'),
}) satisfies z.ZodType<Endpoint>;

export const pageSchema = z.object({
  endpoints: z.array(endpointSchema),
  page: count.describe('Counted from 1.'),
  size: count,
  totalPages: count,
  totalEndpoints: count,
}) satisfies z.ZodType<EndpointPage>;
