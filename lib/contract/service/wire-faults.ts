import type * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';

export type JsonObject = Readonly<Record<PropertyKey, unknown>>;
/** The names on the wire of our fields. `null`: the service does not send it. */
type Names = Readonly<Record<string, string | boolean | null | Readonly<Record<string, string>>>>;
interface Wire {
  readonly endpoint: Names & Wrapped;
  readonly page: Names & Wrapped & { readonly endpoints: string | null };
}
/** The names of the objects around it, with dots between. */
type Wrapped = { readonly in: string | null };
type Path = readonly PropertyKey[];

/** What is wrong with an endpoint, in the names that it has on the wire. @param paths Of what is wrong, in our names. */
export function faultsOfEndpoint(paths: readonly Path[], value: unknown, wire: Wire) {
  const faults = paths.map(([field]) => faultOf(field, value, 'wire.endpoint', wire.endpoint));
  return [...new Set(faults)];
}

/** The same for a page. Of what many rows have, the first is told. */
export function faultsOfPage(paths: readonly Path[], value: unknown, wire: Wire): string[] {
  const names = wire.page;
  const firstOfField = new Map(
    paths.toReversed().map((path) => [path.length > 1 ? `row ${String(path[2])}` : path[0], path]),
  );
  return [...firstOfField.values()].toReversed().map(([field, index, inRow]) => {
    if (field === 'endpoints' && names.endpoints === null && index === undefined) {
      return `${kindOf(value)} came, use a list, or name its key with wire.page.endpoints`;
    }
    if (index === undefined) return faultOf(field, value, 'wire.page', names);
    const rows = names.endpoints === null ? value : (value as JsonObject)[names.endpoints];
    const row = (rows as readonly unknown[])[Number(index)];
    const place = `${names.endpoints ?? ''}[${String(index)}]`;
    return `${place}: ${faultOf(inRow, row, 'wire.endpoint', wire.endpoint)}`;
  });
}

function faultOf(field: PropertyKey | undefined, value: unknown, part: string, names: Names) {
  if (!isObject(value)) {
    const first = 'endpoints' in names ? names.endpoints : names.id;
    const isBare = Array.isArray(value) && part === 'wire.page';
    const setting = isBare ? ', or set wire.page.endpoints to null' : '';
    return `${kindOf(value)} came, use an object with ${JSON.stringify(first)}${setting}`;
  }
  const key = String(field);
  const name = String(names[key] ?? key);
  const setting = `${part}.${key}`;
  return Object.hasOwn(value, name)
    ? `${JSON.stringify(name)} (${setting}): ${kindOf(value[name])} came, use ${ALLOWED[key] ?? COUNT}`
    : `${JSON.stringify(name)} (${setting}) is missing; the keys that came are ${listKeys(value)}`;
}

const TEXT = 'a text';
const COUNT = `a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;
const ALLOWED: Readonly<Record<string, string>> = {
  ...{ id: 'a text that is not empty', name: TEXT, url: TEXT, status: TEXT, statusReason: TEXT },
  endpoints: 'a list',
};

const MOST_KEYS = 20;

function listKeys(value: JsonObject): string {
  const keys = Object.keys(value);
  const more = keys.length > MOST_KEYS ? ` and ${keys.length - MOST_KEYS} more` : '';
  const shown = keys.slice(0, MOST_KEYS).map((key) => JSON.stringify(key.slice(0, 60)));
  return keys.length === 0 ? 'none' : shown.join(', ') + more;
}

/** Any other text may be a secret, and is not quoted. */
const NUMBER = /^-?[\d.]{1,20}$/;

function kindOf(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (value === undefined) return 'nothing';
  if (typeof value === 'object') return value === null ? 'null' : 'an object';
  // JSON has no word for Infinity, as which a number that is too large is read.
  if (typeof value !== 'string') return String(value);
  return value === '' || NUMBER.test(value) ? JSON.stringify(value) : 'a text';
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What is in the envelope of an answer. @throws `UpstreamProtocol` */
export function unwrap(
  answer: unknown,
  part: 'endpoint' | 'page',
  wire: Wire,
  source: string,
): unknown {
  let value = answer;
  for (const key of keysAround(wire[part])) {
    if (!isObject(value) || !Object.hasOwn(value, key)) {
      const came = isObject(value)
        ? `the keys that came are ${listKeys(value)}`
        : `${kindOf(value)} came`;
      throw new SteprollError(
        ErrorName.UpstreamProtocol,
        `${source}: not what the interface says: ${JSON.stringify(key)} (wire.${part}.in) is missing; ${came}`,
      );
    }
    value = value[key];
  }
  return value;
}

function keysAround({ in: path }: Wrapped): string[] {
  return path === null ? [] : path.split('.');
}

const VERSIONS = ['targetVersion', 'liveVersion'] as const;

/**
 * Remembers whether any row of a service has the keys of the target and the live version, and whether the target of any
 * endpoint at rest is told. Without them no rollout ever sees a version go live, and nothing else would tell so: what is not
 * there is only unknown.
 */
export function createVersionWitness(wire: Wire) {
  let missing: readonly (typeof VERSIONS)[number][] = VERSIONS;
  let row: JsonObject | undefined;
  let rest: 'unseen' | 'without' | 'with' = 'unseen';
  const { targetVersion, liveVersion } = wire.endpoint;
  const seeRest = (each: JsonObject) => {
    const [target, live] = [each[String(targetVersion)], each[String(liveVersion)]];
    const isLive = typeof live === 'number' && live > 0;
    if (isLive && target === live) rest = 'with';
    if (isLive && target === null && rest === 'unseen') rest = 'without';
  };
  return {
    /** @param value A page, as the service answered it. */
    see(value: unknown): void {
      if (missing.length === 0 && rest === 'with') return;
      const rows = rowsOf(value, wire);
      row ??= rows[0];
      missing = missing.filter((field) => {
        const name = wire.endpoint[field];
        // Whoever has no target tells it with the live version, and nothing stands for that one.
        if (typeof name !== 'string') return field === 'liveVersion';
        return !rows.some((each) => Object.hasOwn(each, name));
      });
      if (targetVersion === null) rest = 'with';
      else rows.forEach(seeRest);
    },
    /** Why no rollout could see a version go live, in a sentence. `null`: it could, or no row was seen. */
    fault(): string | null {
      if (row === undefined) return null;
      if (missing.length === 0) return rest === 'without' ? untoldAtRest(targetVersion) : null;
      const keys = missing.map((field) => {
        const name = wire.endpoint[field];
        return name === null
          ? `a live version (wire.endpoint.${field} is null)`
          : `${JSON.stringify(name)} (wire.endpoint.${field})`;
      });
      return `No endpoint of the list has ${keys.join(' and ')}, so a rollout could not see a version go live. The keys that came are ${listKeys(row)}: say with wire which of them it is.`;
    },
  };
}

function untoldAtRest(name: Names[string] | undefined): string {
  return `Of every endpoint of the list that is live, ${JSON.stringify(name)} (wire.endpoint.targetVersion) is null, so a rollout could not see a version go live. If the service tells it only while an endpoint is on its way, set wire.endpoint.targetVersion to null: then the live version alone counts.`;
}

function rowsOf(answer: unknown, { page: { endpoints, ...page } }: Wire): JsonObject[] {
  const value = keysAround(page).reduce<unknown>(
    (outer, key) => (isObject(outer) ? outer[key] : undefined),
    answer,
  );
  const rows = endpoints !== null && isObject(value) ? value[endpoints] : value;
  return Array.isArray(rows) ? rows.filter(isObject) : [];
}

const SHOWN_FAULTS = 5;

/**
 * What a service answered, in our terms. A schema checks a page of 1,000 rows in a quarter of a millisecond, a third
 * of the time that its JSON takes.
 *
 * @param describe Says what is wrong at some paths, each at most once. @default - in the words of the schema
 * @throws `UpstreamProtocol`
 */
export function checkAnswer<T>(
  schema: z.ZodType<T>,
  value: unknown,
  source: string,
  describe?: (paths: readonly (readonly PropertyKey[])[]) => readonly string[],
): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  const faults =
    describe?.(error.issues.map(({ path }) => path)) ??
    error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new SteprollError(
    ErrorName.UpstreamProtocol,
    `${source}: not what the interface says: ${faults.slice(0, SHOWN_FAULTS).join('; ')}`,
  );
}
