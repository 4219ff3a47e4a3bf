import * as z from 'zod';
import { ErrorName, SteprollError } from '../domain/errors.ts';
import { OUTCOME_KINDS, type Outcome } from '../domain/outcome.ts';
import { FAILURE_POLICIES, type RolloutPolicy, type WaveSize } from '../domain/policy.ts';
import {
  ENDPOINT_STATES,
  type JournalEntry,
  type RolloutPlan,
  type RolloutRequest,
  type WaveProgress,
} from '../domain/rollout.ts';

/** Goes up when what is stored changes in a way that an older steproll would misread. */
const SCHEMA_VERSION = 1;

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

const waveSize: z.ZodType<WaveSize> = z.union([
  z.strictObject({ endpoints: z.number() }),
  z.strictObject({ percent: z.number() }),
]);

const policy: z.ZodType<RolloutPolicy> = z.strictObject({
  waves: z.array(waveSize),
  maxUnavailable: waveSize,
  bakeSeconds: z.number(),
  pollSeconds: z.number(),
  progressDeadlineSeconds: z.number(),
  onFailure: z.enum(FAILURE_POLICIES),
  minServing: z.number(),
  protect: z.array(z.string()),
  statuses: z.strictObject({ failed: z.array(z.string()), stopped: z.array(z.string()) }),
});

export const requestRecord: z.ZodType<RolloutRequest> = z.strictObject({
  rolloutId: z.string(),
  runtimeId: z.string(),
  desiredVersion: z.number(),
  policy,
});

export const planRecord: z.ZodType<RolloutPlan> = z.strictObject({
  endpoints: z.array(
    z.strictObject({
      endpointId: z.string(),
      name: z.string().nullable(),
      previousVersion: z.number().nullable(),
      previousTarget: z.number().nullable(),
      failedBefore: z.boolean(),
    }),
  ),
  waves: z.array(z.strictObject({ from: z.number(), to: z.number() })),
  leftOut: z.array(
    z.strictObject({
      endpointId: z.string(),
      name: z.string().nullable(),
      reason: z.enum(['at-version', 'stopped']),
    }),
  ),
  maxUnavailable: z.number(),
});

/** The entries of one call of `append`. */
export const journalRecord: z.ZodType<readonly JournalEntry[]> = z.array(
  z.strictObject({
    at: z.number(),
    operation: z.enum(['roll', 'stop']),
    endpointId: z.string(),
    result: z.enum(['intended', 'accepted', 'unknown', 'rejected', 'not-sent', 'kept']),
    reason: z.string().exactOptional(),
    message: z.string().exactOptional(),
  }),
);

export const progressRecord: z.ZodType<WaveProgress> = z.strictObject({
  wave: z.number(),
  progressedAt: z.number(),
  readAt: z.number(),
  furthest: z.number(),
  observations: z.array(
    z.strictObject({
      state: z.enum(ENDPOINT_STATES),
      reads: z.number(),
      hadTarget: z.literal(true).exactOptional(),
    }),
  ),
});

export const outcomeRecord: z.ZodType<Outcome> = z.strictObject({
  outcome: z.enum(OUTCOME_KINDS),
  cleanup: z.enum(['none', 'stopped', 'kept', 'incomplete']),
  reason: z.string(),
  message: z.string(),
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
