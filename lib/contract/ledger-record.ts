import * as z from 'zod';
import { DIRECTIONS } from '../domain/direction.ts';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { type JournalEntry, WRITE_OPERATIONS, WRITE_RESULTS } from '../domain/journal.ts';
import { ENDPOINT_STATES, type WaveProgress } from '../domain/observation.ts';
import { CLEANUPS, OUTCOME_KINDS, type Outcome } from '../domain/outcome.ts';
import { FAILURE_POLICIES } from '../domain/policy.ts';
import type { AskedRequest } from '../domain/rollout.ts';
import { LEFT_OUT_REASONS, type Rollback, type RolloutPlan } from '../domain/rollout-plan.ts';
import { SIGNAL_KINDS, type Signal } from '../domain/signal.ts';
import { STARTER_KINDS, type StartedBy } from '../domain/started-by.ts';
import { WAITS, type Waiting } from '../domain/turn/waiting.ts';
import { policySchema } from './policy.ts';

/** Goes up when what is stored changes in a way that an older steproll would misread. */
const SCHEMA_VERSION = 3;

/** The text to store for a part of a rollout's record; `decodeRecord` reads it back. */
export function encodeRecord(value: unknown): string {
  return JSON.stringify({ schemaVersion: SCHEMA_VERSION, value });
}

/**
 * Reads back what `encodeRecord` wrote.
 * Throws `IncompatibleState` for another schema version, and for anything the schema does not know.
 */
export function decodeRecord<T>(schema: z.ZodType<T>, text: string): T {
  const { schemaVersion, value } = parseEnvelope(text);
  if (schemaVersion !== SCHEMA_VERSION) {
    throw incompatible(
      `it has schema version ${schemaVersion}, this steproll reads ${SCHEMA_VERSION}`,
    );
  }
  return parseStored(schema, value);
}

/** Throws `IncompatibleState` when a row or item of the storage is not what this version writes. */
export function parseStored<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    throw incompatible(z.prettifyError(parsed.error), parsed.error);
  }
  return parsed.data;
}

// Strict objects throughout: a field that this version does not know may carry a decision that it
// would then ignore.

export const startedByRecord: z.ZodType<StartedBy> = z.strictObject({
  kind: z.enum(STARTER_KINDS),
  name: z.string(),
  at: z.number(),
});

const waitingRecord: z.ZodType<Waiting> = z.strictObject({
  for: z.enum(WAITS),
  message: z.string(),
  since: z.number(),
  wakesAt: z.number(),
  until: z.number().nullable(),
  waited: z.strictObject({ turn: z.number(), list: z.number() }),
});

/** A request together with what its rollout waits for: a list of rollouts shows both. */
export interface StoredRequest {
  readonly request: AskedRequest;
  readonly waiting: Waiting | null;
}

export const requestRecord: z.ZodType<StoredRequest> = z
  .strictObject({
    rolloutId: z.string(),
    endpointUrl: z.string().exactOptional(),
    runtimeId: z.string(),
    desiredVersion: z.number().nullable(),
    versionFrom: z.string().exactOptional(),
    policy: policySchema.nullable(),
    startedBy: startedByRecord,
    agreedPlan: z.string().exactOptional(),
    waiting: waitingRecord.exactOptional(),
  })
  .transform(({ waiting = null, ...request }) => ({ request, waiting }));

/** What is stored of a request, for `requestRecord` to read. */
export function toStoredRequest(request: AskedRequest, waiting: Waiting | null): object {
  return waiting === null ? request : { ...request, waiting };
}

export const planRecord: z.ZodType<RolloutPlan> = z.strictObject({
  direction: z.enum(DIRECTIONS),
  endpoints: z.array(
    z.strictObject({
      endpointId: z.string(),
      name: z.string().nullable(),
      desiredVersion: z.number(),
      previousVersion: z.number().nullable(),
      previousTarget: z.number().nullable(),
      failedBefore: z.boolean(),
      wasDark: z.literal(true).exactOptional(),
      isBroken: z.literal(true).exactOptional(),
      isUnsettled: z.literal(true).exactOptional(),
    }),
  ),
  waves: z.array(z.strictObject({ from: z.number(), to: z.number(), bakeSeconds: z.number() })),
  leftOut: z.array(
    z.strictObject({
      endpointId: z.string(),
      name: z.string().nullable(),
      reason: z.enum(LEFT_OUT_REASONS),
    }),
  ),
  maxUnavailable: z.number(),
  restingStatus: z.string().nullable().exactOptional(),
});

const endingRecord = z.strictObject({
  outcome: z.enum(OUTCOME_KINDS),
  reason: z.string(),
  message: z.string(),
});

export const rollbackRecord: z.ZodType<Rollback> = z.strictObject({
  cause: endingRecord,
  plan: planRecord,
});

export const signalRecord: z.ZodType<Signal> = z.strictObject({
  kind: z.enum(SIGNAL_KINDS),
  at: z.number(),
  wave: z.number().nullable(),
  onFailure: z.enum(FAILURE_POLICIES).exactOptional(),
  by: z.string(),
  reason: z.string(),
});

/** The entries of one call of `append`. */
export const journalRecord: z.ZodType<readonly JournalEntry[]> = z.array(
  z.strictObject({
    at: z.number(),
    operation: z.enum(WRITE_OPERATIONS),
    endpointId: z.string(),
    result: z.enum(WRITE_RESULTS),
    reason: z.string().exactOptional(),
    message: z.string().exactOptional(),
    retryAt: z.number().exactOptional(),
  }),
);

export const progressRecord: z.ZodType<WaveProgress> = z.strictObject({
  direction: z.enum(DIRECTIONS),
  wave: z.number(),
  progressedAt: z.number(),
  readAt: z.number(),
  unreadableMs: z.number().nullable(),
  bakedMs: z.number().nullable(),
  doubtMs: z.number().nullable(),
  looks: z.number(),
  fastestRollMs: z.number().nullable(),
  furthest: z.number(),
  observations: z.array(
    z.strictObject({
      state: z.enum(ENDPOINT_STATES),
      reads: z.number(),
      hadTarget: z.literal(true).exactOptional(),
      isMoving: z.literal(true).exactOptional(),
      isBroken: z.literal(true).exactOptional(),
      since: z.number().exactOptional(),
      furthest: z.number().exactOptional(),
      isDark: z.literal(true).exactOptional(),
    }),
  ),
});

export const outcomeRecord: z.ZodType<Outcome> = endingRecord.extend({
  cleanup: z.enum(CLEANUPS),
});

const envelope = z.strictObject({ schemaVersion: z.number(), value: z.unknown() });

function parseEnvelope(text: string): z.infer<typeof envelope> {
  try {
    return envelope.parse(JSON.parse(text));
  } catch (cause) {
    throw incompatible('it is not a record of steproll', cause);
  }
}

function incompatible(why: string, cause?: unknown): SteprollError {
  return new SteprollError(
    ErrorName.IncompatibleState,
    `A stored record cannot be read: ${why}.`,
    cause === undefined ? {} : { cause },
  );
}
