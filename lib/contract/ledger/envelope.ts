import * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';

/** This number goes up when stored data changes so that an older steproll would misread it. */
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
  if (!parsed.success) throw incompatible(z.prettifyError(parsed.error), parsed.error);
  return parsed.data;
}

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
