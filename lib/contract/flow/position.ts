import * as z from 'zod';
import { DIRECTIONS } from '../../domain/endpoint/journal.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import { FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { parseInput } from '../parsing/parse-input.ts';

/** Goes up when the position changes in a way that older or newer step code would misread. */
export const POSITION_VERSION = 4;

const endingSchema = z.strictObject({
  outcome: z.enum(OUTCOME_KINDS),
  reason: z.string(),
  message: z.string(),
});

/** `from` to `to` (exclusive) in the plan's list of endpoints, to be rolled or stopped in one call. */
const batchSchema = z.strictObject({
  schemaVersion: z.literal(POSITION_VERSION),
  rolloutId: z.string(),
  runtimeId: z.string(),
  epoch: z.int(),
  direction: z.enum(DIRECTIONS),
  from: z.int().min(0),
  to: z.int().min(0),
});
export type Batch = z.infer<typeof batchSchema>;

const executionSchema = z.strictObject({
  number: z.int().min(1),
  startedAt: z.number(),
  events: z.int().min(0),
});

/**
 * Where an execution stands: all that the state machine carries from state to state. The plan and
 * everything else that grows with the fleet is in the ledger.
 */
const positionSchema = z.strictObject({
  schemaVersion: z.literal(POSITION_VERSION),
  rolloutId: z.string(),
  runtimeId: z.string(),
  epoch: z.int(),
  direction: z.enum(DIRECTIONS),
  /** 0-based. */
  wave: z.int().min(0),
  next: z.enum(['queue', 'roll', 'wait', 'bake', 'contain', 'close', 'hand-over']),
  /** What follows where `next` is `contain`. */
  onFailure: z.enum(FAILURE_POLICIES),
  /** Of the next Wait state. */
  waitSeconds: z.int().min(0),
  /** Work for the next Map state. */
  batches: z.array(batchSchema),
  /** Endpoints that were found to be old when the rollout failed. */
  oldEndpoints: z.int().min(0),
  /** Why the rollout ends, once that is decided. */
  ending: endingSchema.nullable(),
  /** The one that the position is in. */
  execution: executionSchema,
  /** Where `next` is `hand-over`: the execution to start, and what it goes on with. */
  handOver: z
    .strictObject({ executionName: z.string(), next: z.enum(['wait', 'bake', 'roll']) })
    .nullable(),
});
export type Position = z.infer<typeof positionSchema>;

/** @throws `IncompatibleState` when another version of steproll wrote it. */
export function parsePosition(value: unknown): Position {
  return parseOwn(positionSchema, value, 'position');
}

/** @throws `IncompatibleState` when another version of steproll wrote it. */
export function parseBatch(value: unknown): Batch {
  return parseOwn(batchSchema, value, 'batch');
}

/** The position that the input of a next execution goes on from; `null`: another version of steproll wrote it. */
export function readHandedOver(input: unknown): Position | null {
  return z.object({ position: positionSchema }).safeParse(input).data?.position ?? null;
}

const handedOverSchema = z.object({
  position: z.object({ rolloutId: z.string(), execution: z.object({ number: z.int() }) }),
});

const queuedSchema = z.object({ next: z.literal('queue'), execution: executionSchema });

/** What an execution has used up that has waited before it opens a rollout; `null`: it has just started. */
export function executionIn(state: unknown): Position['execution'] | null {
  return queuedSchema.safeParse(state).data?.execution ?? null;
}

/** Which execution an input was handed over by, whatever its version; `null`: the input is that of a first one. */
export function handedOverIn(input: unknown): { rolloutId: string; number: number } | null {
  const { data } = handedOverSchema.safeParse(input);
  if (data === undefined) return null;
  return { rolloutId: data.position.rolloutId, number: data.position.execution.number };
}

/** What an execution hands to its last step: a position, or less when it failed before there was one. */
const finalStateSchema = z.object({
  // What is not a position says nothing: then the error does.
  ending: endingSchema.nullish().catch(null),
  next: z.string().optional().catch(undefined),
  epoch: z.int().optional().catch(undefined),
  oldEndpoints: z.int().optional().catch(undefined),
  execution: executionSchema.optional().catch(undefined),
  onFailure: z.enum(FAILURE_POLICIES).optional().catch(undefined),
  error: z.object({ Error: z.string(), Cause: z.string().optional() }).optional(),
});
const closeInputSchema = z.object({
  /** Name of the execution, which is the rollout's id where it is the first one. */
  rolloutId: z.string(),
  state: finalStateSchema,
  /** Of the execution. @default - it is the rollout's first one */
  input: z.unknown().optional(),
});
export type CloseInput = z.infer<typeof closeInputSchema>;

/** @throws `IncompatibleState` when another version of steproll wrote it. */
export function parseClose(value: unknown): CloseInput {
  return parseOwn(closeInputSchema, value, 'final state');
}

function parseOwn<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  try {
    return parseInput(schema, value, what);
  } catch (cause) {
    const message = `The ${what} was written by another version of steproll.`;
    throw new SteprollError(ErrorName.IncompatibleState, message, { cause });
  }
}
