import * as z from 'zod';
import { askedVersionSchema, versionSchema } from '../../contract/input/checks.ts';
import { checkInput, invalidInput } from '../../contract/input/parse-input.ts';
import type { Instant } from '../../domain/clock.ts';
import { LATEST } from '../../domain/rollout/request.ts';
import type { Invocation } from '../invocation/invocation.ts';

/** Checks the options of a command that has only its own options. @throws `InvalidInput` that lists every mistake. */
export function parseOptions<T>(schema: z.ZodType<T>, { given, mistakes }: Invocation): T {
  const textOf = (name: string) => {
    const value = given[name];
    return typeof value === 'string' ? value : undefined;
  };
  const checked = checkInput(schema, given, (name) => name, textOf);
  if ('data' in checked && mistakes.length === 0) return checked.data;
  const found = 'data' in checked ? [] : checked.mistakes.map(({ text }) => text);
  throw invalidInput('arguments', [...mistakes, ...found]);
}

/** Ends the transformation of a text with a mistake. @param message What is allowed. */
export function refuse(context: z.RefinementCtx, input: string, message: string): never {
  context.addIssue({ code: 'custom', message, input });
  return z.NEVER;
}

/** A port as people type it. 0: any free one. */
export function portField(byDefault: number) {
  return z
    .string()
    .regex(/^\d{1,5}$/, 'use a port from 0 to 65535')
    .transform(Number)
    .pipe(z.int().max(65_535))
    .default(byDefault);
}

const withZone = z.union([
  z.iso.datetime({ offset: true }),
  z.iso.datetime({ offset: true, precision: -1 }),
]);

/**
 * A time as people type it, with or without seconds: `2026-12-24T18:00Z`. Without its zone, it would mean another one on
 * another machine. `null`: it is none, or no calendar has it.
 */
export function timeOf(text: string): Instant | null {
  return withZone.safeParse(text).success ? Date.parse(text) : null;
}

/** `--yes`, as every command has it that writes: what it would ask is answered. */
export const yes = z.boolean().default(false);

export const wholeNumber = z
  .string({ error: 'use a whole number of at least 1' })
  .regex(/^\d{1,16}$/, 'use a whole number of at least 1')
  .transform(Number)
  .pipe(versionSchema);

const A_VERSION = `use a whole number of at least 1, or ${LATEST}`;

export const askedVersion = z
  .string({ error: A_VERSION })
  .regex(new RegExp(`^(\\d{1,16}|${LATEST})$`), A_VERSION)
  .transform((text) => (text === LATEST ? text : Number(text)))
  .pipe(askedVersionSchema);

/** A list of words with commas. */
export const words = z
  .string()
  .min(1)
  .transform((text) => text.split(',').map((word) => word.trim()))
  .pipe(z.array(z.string().min(1)));
