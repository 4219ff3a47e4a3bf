import * as z from 'zod';
import { MAY_BE_HANDED_OVER } from '../../domain/decision/hand-over.ts';
import { DIRECTIONS } from '../../domain/endpoint/journal.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { FAILURE_POLICIES } from '../../domain/rollout/policy.ts';
import { ending } from '../../domain/rollout/stored.ts';
import { isOpening } from '../../domain/rollout/wait.ts';
import { parseInput } from '../input/parse-input.ts';

/**
 * This number goes up only when the position changes so that older or newer step code would misread it. A field that is
 * added leaves it as it is, because readers skip what they do not know.
 */
export const POSITION_VERSION = 6;

/** What a position may say comes next. */
export const POSITION_WORDS = [...MAY_BE_HANDED_OVER, 'contain', 'close', 'hand-over'] as const;

/** The rollout and its lease, and the version of this format. */
const ofRollout = {
  schemaVersion: z.literal(POSITION_VERSION),
  rolloutId: z.string(),
  runtimeId: z.string(),
  epoch: z.int(),
  direction: z.enum(DIRECTIONS),
};

/** The indexes `from` to `to` (without `to`) in the plan's list of endpoints, to be rolled or stopped in one call. */
const batchSchema = z.object({
  ...ofRollout,
  from: z.int().min(0),
  to: z.int().min(0),
  /** After its Map: the name of the error with which its function crashed. @default - it did not */
  lost: z.string().exactOptional(),
});
export type Batch = z.infer<typeof batchSchema>;

const executionSchema = z.object({
  number: z.int().min(1),
  startedAt: z.number(),
  events: z.int().min(0),
});

/** All that the state machine carries from state to state. What grows with the fleet is in the ledger. */
const positionSchema = z.object({
  ...ofRollout,
  /** 0-based. */
  wave: z.int().min(0),
  next: z.enum(POSITION_WORDS),
  /** Where the rollout stands, for people who look at the execution: no step reads it. @default - nothing is said */
  says: z.string().exactOptional(),
  /** When `next` is `contain`: the failure policy to follow. */
  onFailure: z.enum(FAILURE_POLICIES).exactOptional(),
  waitSeconds: z.int().min(0),
  /** How often the rollout had looked at the list when it began to wait. */
  looks: z.int().min(0),
  batches: z.array(batchSchema),
  /** How many endpoints were old when the rollout failed. */
  oldEndpoints: z.int().min(0),
  /** When `next` is `contain`: how many aborts had been accepted when that was decided. @default 0 */
  aborts: z.int().min(0).exactOptional(),
  ending: ending.nullable(),
  execution: executionSchema,
  /** When `next` is `hand-over`: the execution to start, and the state that it goes on with. */
  handOver: z
    .object({
      executionName: z.string(),
      next: z.enum(MAY_BE_HANDED_OVER),
      /** What was asked for, of a rollout that is not opened yet. @default - the ledger knows all that there is */
      input: z.unknown().optional(),
    })
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

/** The position from which the next execution goes on; `null` when another version of steproll wrote it. */
export function readHandedOver(input: unknown): Position | null {
  return z.object({ position: positionSchema }).safeParse(input).data?.position ?? null;
}

const handedOverSchema = z
  .object({
    position: z.object({ rolloutId: z.string(), execution: z.object({ number: z.int() }) }),
  })
  .transform(({ position: { rolloutId, execution } }) => ({ rolloutId, number: execution.number }));

/** What a rollout was asked for that was handed over while it waited to open; `undefined` when it was not. */
export function queuedInput(input: unknown): unknown {
  const handOver = readHandedOver(input)?.handOver;
  return isOpening(handOver?.next) ? handOver?.input : undefined;
}

const queuedSchema = z.object({ next: z.string().refine(isOpening), execution: executionSchema });

/** What an execution has used up while it waited to open a rollout; `null` when it has just started. */
export function executionIn(state: unknown): Position['execution'] | null {
  return queuedSchema.safeParse(state).data?.execution ?? null;
}

/** The execution that handed over with this input, whatever its version; `null`: this is a first execution. */
export function handedOverIn(input: unknown): { rolloutId: string; number: number } | null {
  return handedOverSchema.safeParse(input).data ?? null;
}

/** What an execution hands to its last step: a position, or less when it failed before it had one. */
const finalStateSchema = z.object({
  // If this is not part of a position, it says nothing, and the error counts.
  ending: ending.nullish().catch(null),
  next: z.string().optional().catch(undefined),
  epoch: z.int().optional().catch(undefined),
  oldEndpoints: z.int().optional().catch(undefined),
  aborts: z.int().optional().catch(undefined),
  execution: executionSchema.optional().catch(undefined),
  onFailure: z.enum(FAILURE_POLICIES).optional().catch(undefined),
  batches: z
    .array(batchSchema.pick({ lost: true }))
    .optional()
    .catch(undefined),
  error: z.object({ Error: z.string(), Cause: z.string().optional() }).optional(),
});
const closeInputSchema = z.object({
  /** Name of the execution. The first execution is named after its rollout. */
  rolloutId: z.string(),
  state: finalStateSchema,
  /** Input of the execution. @default - it is the rollout's first execution */
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
