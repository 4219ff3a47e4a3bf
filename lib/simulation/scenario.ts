import * as z from 'zod';
import { attributeName, checkAlways } from '../contract/input/checks.ts';
import { type Mistake, parseInput } from '../contract/input/parse-input.ts';
import { REST_ABILITIES } from '../contract/service/services.ts';
import type { ServiceAbilities } from '../domain/endpoint/abilities.ts';
import type { Attributes } from '../domain/endpoint/attributes.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { recordOf } from '../domain/stored.ts';

/**
 * Reads the scenario of the embedded endpoint service.
 *
 * Throws `InvalidInput` that lists every mistake, including names that do not exist or are used twice.
 *
 * @param what What the error calls the scenario.
 */
export function parseScenario(
  json: unknown,
  what = 'scenario',
  known: readonly Mistake[] = [],
): Scenario {
  const file = parseInput(ScenarioFile, json, what, known);
  return {
    runtimes: file.runtimes.map(spellOut),
    faults: file.faults,
    abilities: file.abilities,
    maxPageSize: file.maxPageSize ?? null,
  };
}

/** What becomes of an endpoint, in the service's own words. */
export const STATUSES = {
  ACTIVE: 'ACTIVE',
  WAITING_ROLLOUT: 'WAITING_ROLLOUT',
  UPDATING: 'UPDATING',
  ERROR: 'ERROR',
  STOPPED: 'STOPPED',
} as const;
export type Status = keyof typeof STATUSES;
export type Words = Readonly<Record<Status, string>>;

/** What the service can do besides to list versions. */
export type WorldAbilities = Omit<ServiceAbilities, 'listsVersions'>;

/** What the embedded endpoint service starts with, and its faults. */
export interface Scenario {
  readonly runtimes: readonly ScenarioRuntime[];
  /** When several faults of one kind apply to a roll, the first one counts. */
  readonly faults: readonly SimulatedFault[];
  readonly abilities: WorldAbilities;
  /** What a rehearsed service says instead. @default STATUSES */
  readonly words?: Words;
  /** The largest page of a list, however large the requested page is; `null`: no limit. */
  readonly maxPageSize: number | null;
}

/**
 * A name of an endpoint or a runtime. Lone surrogates are refused because no URL can carry them.
 */
export const Name = z
  .string()
  .min(1)
  .max(256)
  .refine((text) => text.isWellFormed(), 'use well-formed Unicode');
export const Version = z.int().min(1);

const Replicas = z.int().min(1).max(1_000);
const Seconds = z.number().gt(0).max(86_400);

/** The largest fleet that was rolled. */
const MOST_ENDPOINTS = 50_000;
const EndpointCount = z.int().min(0).max(MOST_ENDPOINTS);
const EndpointEntry = z.strictObject({
  name: Name,
  /** @default - that of the runtime, as for the two fields below */
  version: Version.optional(),
  replicas: Replicas.optional(),
  rollSeconds: Seconds.optional(),
  /** Fields that the list shows besides: {"tier": "internal"}. @default - none */
  attributes: recordOf(attributeName, z.string()).optional(),
});

const fromStart = z.number().min(0).max(86_400).default(0);
const VersionEntry = z.strictObject({
  version: Version.describe('Its number.'),
  listedAfterSeconds: fromStart.describe('Seconds from the start until the version is listed.'),
  madeAfterSeconds: fromStart.describe('Seconds from the start until it is made.'),
  fails: z.boolean().default(false).describe('Its making fails.'),
});

const RuntimeEntry = z.strictObject({
  id: Name.describe('Different from all others.'),
  version: Version.default(1).describe(
    'Live on every endpoint at the start, and the latest one of the runtime.',
  ),
  replicas: Replicas.default(3).describe('Of each endpoint.'),
  rollSeconds: Seconds.default(2).describe(
    'Seconds from the start of a roll until the version is live.',
  ),
  versions: z
    .array(VersionEntry)
    .max(1_000)
    .optional()
    .describe(
      'The versions that the service lists, which "latest" needs. Default: it lists none, and endpoints can be rolled to any.',
    ),
  endpoints: z
    .union([EndpointCount, z.array(EndpointEntry).max(MOST_ENDPOINTS)])
    .describe(
      'Each with its name, attributes that the list shows as fields ({"attributes": {"tier": "pro"}}), and version, replicas and rollSeconds where they are not those of the runtime; or a number of them: endpoint-01, endpoint-02 and so on.',
    ),
});
type RuntimeEntry = z.infer<typeof RuntimeEntry>;

/** An endpoint that is live from the start, with everything that its entry or its runtime says. */
export interface ScenarioEndpoint
  extends Readonly<Omit<RuntimeEntry, 'id' | 'versions' | 'endpoints'>> {
  readonly name: string;
  readonly attributes?: Attributes | undefined;
  /** How a real service has listed the endpoint. @default - the endpoint is invented, and well */
  readonly listed?: Endpoint;
  /** It is listed as stopped. @default false */
  readonly isStopped?: boolean;
}

/** A runtime at the start. Its replicas and seconds are also those of endpoints that are created later. */
export interface ScenarioRuntime extends Readonly<Omit<RuntimeEntry, 'endpoints'>> {
  readonly endpoints: readonly ScenarioEndpoint[];
}

const met = {
  runtime: Name.optional().describe(
    'The runtime of the endpoint. Default: every runtime with such an endpoint.',
  ),
  endpoint: Name.describe("The endpoint's name."),
  version: Version.optional().describe(
    'Only rolls to this version have the fault. Default: every roll, also of a rollback.',
  ),
};
const afterReplicas = z.int().min(0).default(1);
const afterSeconds = Seconds;

export const SimulatedFault = z.discriminatedUnion('kind', [
  z
    .strictObject({ ...met, kind: z.literal('slow'), rollSeconds: Seconds })
    .describe('The roll takes this long.'),
  z
    .strictObject({ ...met, kind: z.literal('stuck'), afterReplicas })
    .describe('The roll halts after so many replicas, and nothing says so.'),
  z
    .strictObject({
      ...met,
      kind: z.literal('fail'),
      afterReplicas,
      reason: z.string().optional(),
    })
    .describe(
      'The roll halts after so many replicas with the status ERROR, for which a service may show the reason.',
    ),
  z
    .strictObject({
      ...met,
      kind: z.literal('refuse'),
      httpStatus: z.int().min(400).max(599),
      times: z.int().min(1).optional(),
    })
    .describe('The roll is answered with this HTTP status, the first so many times or always.'),
  z
    .strictObject({
      ...met,
      kind: z.literal('busy'),
      httpStatus: z.int().min(400).max(499).default(409),
      fromSecond: z.number().min(0).max(86_400).default(0),
      seconds: Seconds,
    })
    .describe(
      'From so many seconds after the start, and for so long, the service is at work on the endpoint as soon as it is at rest: it shows UPDATING with equal versions, and every roll is answered with this HTTP status.',
    ),
  z
    .strictObject({ ...met, kind: z.literal('regress'), afterSeconds })
    .describe(
      'So many seconds after the version went live, the version before it is live again, and the target stays.',
    ),
  z
    .strictObject({ ...met, kind: z.literal('crash'), afterSeconds })
    .describe(
      'So many seconds after the version went live, the endpoint has no replicas and the status ERROR; the version stays live.',
    ),
  z
    .strictObject({
      ...met,
      kind: z.literal('unhealthy'),
      httpStatus: z.int().min(300).max(599).default(503),
      afterSeconds: z.number().min(0).max(86_400).default(0),
    })
    .describe(
      'So many seconds after the version went live, the endpoint answers probes with this HTTP status.',
    ),
  z
    .strictObject({
      ...met,
      kind: z.literal('take-back'),
      afterSeconds,
      status: z.enum(['ACTIVE', 'ERROR']).default('ACTIVE'),
      reason: z.string().optional(),
    })
    .describe(
      'So many seconds after the roll began, the service takes the version back by itself: target and live version are those before the roll.',
    ),
  z
    .strictObject({ ...met, kind: z.literal('vanish'), afterSeconds })
    .describe('So many seconds after the roll began, the endpoint is gone from the list.'),
]);
/** A fault of an endpoint when it is rolled. */
export type SimulatedFault = Readonly<z.infer<typeof SimulatedFault>>;

/** Whether it lists versions follows from its runtimes. */
const Abilities: z.ZodType<WorldAbilities> = z.strictObject({
  stops: z.boolean().default(REST_ABILITIES.stops).describe('It can stop an endpoint.'),
  repeatsRolls: z
    .boolean()
    .default(REST_ABILITIES.repeatsRolls)
    .describe('Rolls with the same token are carried out once.'),
  highestVersion: Version.nullable()
    .default(REST_ABILITIES.highestVersion)
    .describe('Versions above it are refused.'),
  movedByService: z
    .array(Name)
    .default([...REST_ABILITIES.movedByService])
    .describe('Endpoints that it moves to every new version by itself.'),
});

/** The names are checked even if other values are wrong. What cannot be read there may be any name: `null`. */
const checkNames = checkAlways<Readonly<Record<string, unknown>>>(
  ({ runtimes, faults }, report) => {
    const nameIn = (value: unknown) => Name.safeParse(value).data ?? null;
    const itemsOf = (list: unknown) =>
      (Array.isArray(list) ? list : [null]).map((one) => Object(one) as Record<string, unknown>);
    const fleets = itemsOf(runtimes).map(({ id, endpoints }) => {
      const count = EndpointCount.safeParse(endpoints).data;
      const listed = itemsOf(endpoints).map(({ name }) => nameIn(name));
      return { id: nameIn(id), names: count === undefined ? listed : namesOf(count) };
    });
    for (const [at, id] of repeated(fleets.map((fleet) => fleet.id))) {
      report(['runtimes', at, 'id'], id, 'another runtime has this id');
    }
    fleets.forEach(({ names }, index) => {
      for (const [at, name] of repeated(names)) {
        const path = ['runtimes', index, 'endpoints', at, 'name'];
        report(path, name, 'another endpoint of the runtime has this name');
      }
    });
    const known = fleets.map(({ id, names }) => ({ id, names: new Set(names) }));
    for (const [index, { runtime, endpoint }] of itemsOf(faults).entries()) {
      if (runtime !== undefined && nameIn(runtime) === null) continue;
      const owners = known.filter(
        ({ id }) => runtime === undefined || id === null || id === runtime,
      );
      const name = nameIn(endpoint);
      if (runtime !== undefined && owners.length === 0) {
        report(['faults', index, 'runtime'], runtime, 'use the id of a runtime of the scenario');
      } else if (name !== null && !owners.some(({ names }) => names.has(name) || names.has(null))) {
        const where = runtime === undefined ? 'the scenario' : 'that runtime';
        report(['faults', index, 'endpoint'], name, `use the name of an endpoint of ${where}`);
      }
    }
  },
);

/** As people write it. */
export const ScenarioFile = z
  .strictObject({
    runtimes: z.array(RuntimeEntry).min(1).describe('The fleet.'),
    faults: z.array(SimulatedFault).default([]).describe('What goes wrong.'),
    abilities: Abilities.prefault({}).describe(
      'What the service can do otherwise than the documented one: docs/services.md.',
    ),
    maxPageSize: z
      .int()
      .min(1)
      .optional()
      .describe('The service limits every page without saying so.'),
  })
  .check(checkNames);

/** Every name that was used earlier in the list, with its place. */
function repeated(names: readonly (string | null)[]): [number, string][] {
  const seen = new Set<string>();
  return names.flatMap((name, at): [number, string][] => {
    if (name === null) return [];
    if (seen.has(name)) return [[at, name]];
    seen.add(name);
    return [];
  });
}

/** `endpoint-01`, `endpoint-02` and so on. */
function namesOf(count: number): string[] {
  const digits = Math.max(2, String(count).length);
  return Array.from({ length: count }, (_, index) => {
    return `endpoint-${String(index + 1).padStart(digits, '0')}`;
  });
}

function spellOut({ endpoints, ...rest }: RuntimeEntry): ScenarioRuntime {
  const { version, replicas, rollSeconds } = rest;
  const entries =
    typeof endpoints === 'number' ? namesOf(endpoints).map((name) => ({ name })) : endpoints;
  return {
    ...rest,
    endpoints: entries.map((own) => ({ version, replicas, rollSeconds, ...own })),
  };
}
