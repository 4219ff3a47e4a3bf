import * as z from 'zod';
import { type Mistake, parseInput } from '../contract/parsing/parse-input.ts';
import { REST_ABILITIES } from '../contract/service/services.ts';
import type { ServiceAbilities } from '../domain/endpoint/abilities.ts';
import type { Endpoint } from '../domain/endpoint/endpoint.ts';

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
  readonly faults: readonly Fault[];
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
});

const VersionEntry = z.strictObject({
  version: Version,
  /** Seconds from the start until the version is listed, and until it is made. */
  listedAfterSeconds: z.number().min(0).max(86_400).default(0),
  madeAfterSeconds: z.number().min(0).max(86_400).default(0),
  /** Its making fails. */
  fails: z.boolean().default(false),
});

const RuntimeEntry = z.strictObject({
  id: Name,
  /** The version that is live on every endpoint at the start, and the latest one of the runtime. */
  version: Version.default(1),
  replicas: Replicas.default(3),
  /** Seconds from the start of a roll until the version is live. */
  rollSeconds: Seconds.default(2),
  /**
   * The versions that the service lists. @default - it cannot list versions, and endpoints can be rolled to any version
   */
  versions: z.array(VersionEntry).max(1_000).optional(),
  /** A number stands for as many endpoints named `endpoint-01`, `endpoint-02` and so on. */
  endpoints: z.union([EndpointCount, z.array(EndpointEntry).max(MOST_ENDPOINTS)]),
});
type RuntimeEntry = z.infer<typeof RuntimeEntry>;

/** An endpoint that is live from the start, with everything that its entry or its runtime says. */
export interface ScenarioEndpoint
  extends Readonly<Omit<RuntimeEntry, 'id' | 'versions' | 'endpoints'>> {
  readonly name: string;
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
  /** The runtime of the endpoint. @default - every runtime with such an endpoint */
  runtime: Name.optional(),
  /** The endpoint's name. */
  endpoint: Name,
  /** Only rolls to this version have the fault. @default - every roll, those of a rollback included */
  version: Version.optional(),
};
const afterReplicas = z.int().min(0).default(1);
const afterSeconds = Seconds;

export const Fault = z.discriminatedUnion('kind', [
  /** The roll takes this long. */
  z.strictObject({ ...met, kind: z.literal('slow'), rollSeconds: Seconds }),
  /** The roll halts after so many replicas, and nothing says so. */
  z.strictObject({ ...met, kind: z.literal('stuck'), afterReplicas }),
  /** The roll halts after so many replicas, with the status `ERROR`, for which a service may show a reason. */
  z.strictObject({
    ...met,
    kind: z.literal('fail'),
    afterReplicas,
    reason: z.string().optional(),
  }),
  /** The roll is answered with this status. With `times`, only the first so many rolls with the fault are. */
  z.strictObject({
    ...met,
    kind: z.literal('refuse'),
    httpStatus: z.int().min(400).max(599),
    times: z.int().min(1).optional(),
  }),
  /**
   * From `fromSecond` after the start, and for `seconds`, the service is at work on the endpoint as soon as it is at rest:
   * its status says so, and every roll of it is answered with this status.
   */
  z.strictObject({
    ...met,
    kind: z.literal('busy'),
    httpStatus: z.int().min(400).max(499).default(409),
    fromSecond: z.number().min(0).max(86_400).default(0),
    seconds: Seconds,
  }),
  /** So many seconds after the version went live, the version before it is live again, and the target stays. */
  z.strictObject({ ...met, kind: z.literal('regress'), afterSeconds }),
  /** So many seconds after the version went live, it has no replicas and the status `ERROR`, and stays live. */
  z.strictObject({ ...met, kind: z.literal('crash'), afterSeconds }),
  /** So many seconds after the version went live, the endpoint answers at its own URL with this status. */
  z.strictObject({
    ...met,
    kind: z.literal('unhealthy'),
    httpStatus: z.int().min(300).max(599).default(503),
    afterSeconds: z.number().min(0).max(86_400).default(0),
  }),
  /**
   * So many seconds after the roll began, the service takes the version back by itself: target and live version are those
   * before the roll. The status says nothing of it, or is `ERROR`.
   */
  z.strictObject({
    ...met,
    kind: z.literal('take-back'),
    afterSeconds,
    status: z.enum(['ACTIVE', 'ERROR']).default('ACTIVE'),
    reason: z.string().optional(),
  }),
  /** So many seconds after the roll began, the endpoint is gone. */
  z.strictObject({ ...met, kind: z.literal('vanish'), afterSeconds }),
]);
/** A fault of an endpoint when it is rolled. */
export type Fault = Readonly<z.infer<typeof Fault>>;

/** Whether it lists versions follows from its runtimes. */
const Abilities: z.ZodType<WorldAbilities> = z.strictObject({
  stops: z.boolean().default(REST_ABILITIES.stops),
  repeatsRolls: z.boolean().default(REST_ABILITIES.repeatsRolls),
  highestVersion: Version.nullable().default(REST_ABILITIES.highestVersion),
  movedByService: z.array(Name).default([...REST_ABILITIES.movedByService]),
});

const ScenarioFile = z
  .strictObject({
    runtimes: z.array(RuntimeEntry).min(1),
    faults: z.array(Fault).default([]),
    abilities: Abilities.prefault({}),
    maxPageSize: z.int().min(1).optional(),
  })
  .superRefine(
    (file, context) => {
      checkNames(file, (path, name, message) => {
        context.addIssue({ code: 'custom', path, input: name, message });
      });
    },
    // The names are checked even if other values are wrong, so that all mistakes are reported at once.
    { when: () => true },
  );

/** A value, or `null` where it has a mistake that is reported elsewhere. */
const readable = <T>(schema: z.ZodType<T>) => schema.nullable().catch(null);

/** The names in a file whose other values may be wrong. */
const NamedParts = z.object({
  runtimes: readable(
    z.array(
      readable(
        z.object({
          id: readable(Name),
          endpoints: readable(
            z.union([EndpointCount, z.array(z.looseObject({ name: readable(Name) }))]),
          ),
        }),
      ),
    ),
  ),
  faults: readable(
    z.array(readable(z.object({ runtime: readable(Name.optional()), endpoint: readable(Name) }))),
  ),
});

type Refuse = (path: PropertyKey[], name: string, why: string) => void;

function checkNames(file: unknown, refuse: Refuse): void {
  const { runtimes, faults } = NamedParts.safeParse(file).data ?? {};
  if (!runtimes) return;
  for (const [at, id] of repeated(runtimes.map((runtime) => runtime?.id ?? null))) {
    refuse(['runtimes', at, 'id'], id, 'another runtime has this id');
  }
  const fleets = runtimes.map((runtime, index): Fleet => {
    const { id = null, endpoints = null } = runtime ?? {};
    const names = endpoints === null ? [null] : namesOf(endpoints);
    for (const [at, name] of repeated(names)) {
      const path = ['runtimes', index, 'endpoints', at, 'name'];
      refuse(path, name, 'another endpoint of the runtime has this name');
    }
    return { id, names: new Set(names) };
  });
  for (const [index, fault] of faults?.entries() ?? []) {
    if (fault === null || fault.runtime === null) continue;
    const { runtime, endpoint } = fault;
    checkOwner({ runtime, endpoint }, fleets, (key, name, why) =>
      refuse(['faults', index, ...key], name, why),
    );
  }
}

/** A runtime's id and the names of its endpoints. `null` stands for what cannot be read: it may be any name. */
interface Fleet {
  readonly id: string | null;
  readonly names: ReadonlySet<string | null>;
}

function checkOwner(
  { runtime, endpoint }: { readonly runtime: string | undefined; readonly endpoint: string | null },
  fleets: readonly Fleet[],
  refuse: Refuse,
): void {
  const owners = fleets.filter(({ id }) => runtime === undefined || id === null || id === runtime);
  if (runtime !== undefined && owners.length === 0) {
    refuse(['runtime'], runtime, 'use the id of a runtime of the scenario');
  } else if (
    endpoint !== null &&
    !owners.some(({ names }) => names.has(endpoint) || names.has(null))
  ) {
    const where = runtime === undefined ? 'the scenario' : 'that runtime';
    refuse(['endpoint'], endpoint, `use the name of an endpoint of ${where}`);
  }
}

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

function namesOf<T extends string | null>(
  endpoints: number | readonly { readonly name: T }[],
): (string | T)[] {
  if (typeof endpoints !== 'number') return endpoints.map(({ name }) => name);
  const digits = Math.max(2, String(endpoints).length);
  return Array.from({ length: endpoints }, (_, index) => {
    return `endpoint-${String(index + 1).padStart(digits, '0')}`;
  });
}

function spellOut(runtime: RuntimeEntry): ScenarioRuntime {
  const { endpoints, ...rest } = runtime;
  const { version, replicas, rollSeconds } = rest;
  return {
    ...rest,
    endpoints: namesOf(endpoints).map((name, index) => {
      const own = typeof endpoints === 'number' ? undefined : endpoints[index];
      return {
        name,
        version: own?.version ?? version,
        replicas: own?.replicas ?? replicas,
        rollSeconds: own?.rollSeconds ?? rollSeconds,
      };
    }),
  };
}
