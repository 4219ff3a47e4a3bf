import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';

/**
 * The number of everything that is stored. It goes up only when stored data changes so that another steproll would
 * misread it: a field, or a kind of signal, that is added leaves it as it is. A ledger of another number is refused.
 */
export const LEDGER_VERSION = 6;

/** The text to store for a part of a rollout's record; `decodeRecord` reads it back. */
export function encodeRecord(value: unknown): string {
  return JSON.stringify({ schemaVersion: LEDGER_VERSION, value });
}

/** Reads what `encodeRecord` wrote. Throws `IncompatibleState` for another number, and for anything else. */
export function decodeRecord<T>(schema: z.ZodType<T>, text: string): T {
  const { schemaVersion, value } = parseEnvelope(text);
  if (schemaVersion !== LEDGER_VERSION) {
    const remedy =
      schemaVersion < LEDGER_VERSION
        ? 'Once no rollout of it is under way, deploy the stack with this steproll: it gets a new table, and the old one stays'
        : 'Update this steproll';
    throw incompatible(
      `a record has number ${schemaVersion}, this steproll reads ${LEDGER_VERSION}. ${remedy}.`,
    );
  }
  return parseStored(schema, value);
}

/** Throws `IncompatibleState` when a row or item of the storage lacks what this version reads. */
export function parseStored<T>(schema: z.ZodType<T>, value: unknown): T {
  const parsed = schema.safeParse(value);
  if (!parsed.success)
    throw incompatible(`a record is not complete: ${z.prettifyError(parsed.error)}.`, parsed.error);
  return parsed.data;
}

const envelope = z.object({ schemaVersion: z.number(), value: z.unknown() });

function parseEnvelope(text: string): z.infer<typeof envelope> {
  try {
    return envelope.parse(JSON.parse(text));
  } catch (cause) {
    throw incompatible('it has something else than a record of steproll.', cause);
  }
}

function incompatible(why: string, cause?: unknown): SteprollError {
  return new SteprollError(ErrorName.IncompatibleState, why, cause === undefined ? {} : { cause });
}
