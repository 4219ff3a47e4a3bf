import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { groupNameOf, namedRuntime } from '../../domain/rollout/group.ts';
import { type AskedVersion, LATEST } from '../../domain/rollout/request.ts';
import { RELEASE_EVENT, valueAt } from '../../domain/trigger/release.ts';
import { catchUpSecondsOf, type Trigger } from '../../domain/trigger/trigger.ts';
import { type ReleaseMapping, triggerNameSchema, versionFromSchema } from '../config/releases.ts';
import {
  askedVersionSchema,
  eventVersionSchema,
  exactlyOneOf,
  nameSchema,
  runtimeIdSchema,
} from '../input/checks.ts';
import { checkInput, invalidInput } from '../input/parse-input.ts';
import { agentcoreUpdateSchema } from './agentcore-update.ts';

/**
 * Reads the trigger from the payload that a rule or a schedule sends to the start function.
 *
 * @throws `InvalidTrigger` that lists every mistake.
 */
export function parseTrigger(payload: unknown, mappings: readonly ReleaseMapping[]): Trigger {
  const { trigger, release } = Object(payload) as Readonly<Record<string, unknown>>;
  if (trigger === 'schedule') return scheduleTrigger(parseAsTrigger(scheduleSchema, payload));
  if (release === null) return ownRelease(parseAsTrigger(ownReleaseSchema, payload));
  return otherRelease(parseAsTrigger(otherReleaseSchema, payload), mappings);
}

const time = z.iso.datetime({
  offset: true,
  error: 'use a time with its zone: 2026-12-01T03:00:00Z',
});

/** The envelope that EventBridge puts around an event. EventBridge may add keys to it; senders cannot. */
const envelope = { id: z.string().min(1).max(256), time };

/** An event names a group only where it says so. */
const runtimeSchema = runtimeIdSchema.refine(
  (id) => groupNameOf(id) === null,
  'use the id of a runtime; a group has a key of its own, group',
);

const subjectShape = { runtimeId: runtimeSchema.optional(), group: nameSchema.optional() };

const ownReleaseSchema = z.strictObject({
  trigger: z.literal('release'),
  release: z.null(),
  event: z.object({
    ...envelope,
    source: z.literal(RELEASE_EVENT.source),
    'detail-type': z.literal(RELEASE_EVENT.detailType),
    detail: z
      .strictObject({
        ...subjectShape,
        version: askedVersionSchema,
        releaseId: z.string().min(1).max(256),
      })
      .check(exactlyOneOf('runtimeId', 'group')),
  }),
});

/** An event of another system: only the places that the configuration points to are read. */
const otherReleaseSchema = z.strictObject({
  trigger: z.literal('release'),
  release: triggerNameSchema,
  event: z.looseObject(envelope),
});

const scheduleSchema = z
  .strictObject({
    trigger: z.literal('schedule'),
    schedule: triggerNameSchema,
    scheduledAt: time,
    flexibleMinutes: z.int().min(1).max(1440).optional(),
    catchUpSeconds: z.int().min(0).max(86_400).optional(),
    ...subjectShape,
    version: askedVersionSchema.optional(),
    versionFrom: versionFromSchema.optional(),
  })
  .check(exactlyOneOf('runtimeId', 'group'), exactlyOneOf('version', 'versionFrom'));

function ownRelease({ event }: z.infer<typeof ownReleaseSchema>): Trigger {
  const { version, releaseId: name } = event.detail;
  const runtimeId = namedRuntime(event.detail);
  return { ...deliveryOf(event), name, releaseId: name, runtimeId, wanted: { version } };
}

function otherRelease(
  { release, event }: z.infer<typeof otherReleaseSchema>,
  mappings: readonly ReleaseMapping[],
): Trigger {
  const mapping = mappings.find(({ name }) => name === release);
  if (mapping === undefined) {
    const names = mappings.map(({ name }) => JSON.stringify(name)).join(', ');
    const allowed = names === '' ? 'triggers.releases has none' : `use one of ${names}`;
    throw invalidTrigger([`release: ${JSON.stringify(release)} is not allowed; ${allowed}`]);
  }
  return { ...deliveryOf(event), name: release, ...mapRelease(mapping, event) };
}

function deliveryOf({ id, time }: { readonly id: string; readonly time: string }) {
  return { kind: 'release', key: id, at: Date.parse(time), windowMs: 0 } as const;
}

function scheduleTrigger(input: z.infer<typeof scheduleSchema>): Trigger {
  const { schedule, scheduledAt, flexibleMinutes = 0, version, versionFrom } = input;
  const at = Date.parse(scheduledAt);
  return {
    kind: 'schedule',
    key: `${schedule} ${new Date(at).toISOString()}`,
    at,
    name: schedule,
    windowMs: flexibleMinutes * 60_000,
    maxAgeSeconds: catchUpSecondsOf(input),
    runtimeId: namedRuntime(input),
    wanted: versionFrom === undefined ? { version: version as AskedVersion } : { versionFrom },
  };
}

/**
 * Takes the runtime and the version of another system's event from the places that the configuration points to, or
 * from where AgentCore has them. Nothing else in the event is read.
 *
 * @throws `InvalidTrigger` that names the places in the event.
 */
function mapRelease(
  mapping: ReleaseMapping,
  event: unknown,
): Pick<Trigger, 'runtimeId' | 'wanted' | 'releaseId'> {
  if (mapping.kind === 'agentcore') {
    const inEvent = (key: string) => `event.${key}`;
    const { runtimeId, version } = parseAsTrigger(agentcoreUpdateSchema, event, inEvent);
    // An update makes a version that no other update makes.
    const releaseId = version === LATEST ? {} : { releaseId: String(version) };
    return { runtimeId, wanted: { version }, ...releaseId };
  }
  const { runtimeId, group, version, versionFrom, releaseId } = mapping;
  // Only the configuration may ask for the latest version so: in an event the word may be the name of an image.
  const asked = { runtimeId, group, version: version === LATEST ? undefined : version, releaseId };
  const places = new Map(Object.entries(asked).filter(([, said]) => said !== undefined));
  const found = [...places].map(([key, said]) => {
    const path = pathIn(said);
    return [key, path === undefined ? said : valueAt(event, path)];
  });
  const shape = [...places.keys()].map((key) => [key, MAPPED[key as keyof typeof MAPPED]]);
  const ofPlaces: z.ZodType<unknown> = z.object(Object.fromEntries(shape));
  const nameOf = (key: string) => {
    const path = pathIn(places.get(key));
    return path === undefined ? key : `event.${path}`;
  };
  const read = parseAsTrigger(ofPlaces, Object.fromEntries(found), nameOf) as Mapped;
  return {
    runtimeId: namedRuntime(read),
    wanted: versionFrom === undefined ? { version: read.version ?? LATEST } : { versionFrom },
    ...(read.releaseId !== undefined && { releaseId: String(read.releaseId) }),
  };
}

/** What the configuration may say by itself, or point to. */
const MAPPED = {
  runtimeId: runtimeSchema,
  group: nameSchema,
  version: eventVersionSchema,
  releaseId: z.union([z.string().min(1).max(256), z.int()], {
    error: 'use the text or the number by which the release is rolled once',
  }),
};

type Mapped = { readonly [Key in keyof typeof MAPPED]?: z.output<(typeof MAPPED)[Key]> };

function pathIn(said: unknown): string | undefined {
  return (Object(said) as { readonly path?: string }).path;
}

/** The same as `parseInput`, for triggers. @throws `InvalidTrigger` that lists every mistake. */
function parseAsTrigger<T>(
  schema: z.ZodType<T>,
  value: unknown,
  nameOf?: (key: string) => string,
): T {
  const checked = checkInput(schema, value, nameOf);
  if ('data' in checked) return checked.data;
  throw invalidTrigger(checked.mistakes.map(({ text }) => text));
}

export function invalidTrigger(mistakes: readonly string[]): SteprollError {
  return new SteprollError(ErrorName.InvalidTrigger, invalidInput('trigger', mistakes).message);
}
