import * as z from 'zod';
import { faultOfId } from '../../domain/endpoint/endpoint.ts';
import { type AskedVersion, LATEST } from '../../domain/rollout/request.ts';
import { recordOf } from '../../domain/stored.ts';
import { versionIn } from '../../domain/trigger/release.ts';

/** Reports a mistake: its place, seen from here, the value that was given and what is allowed. */
type Report = (path: readonly PropertyKey[], input: unknown, message: string) => void;

/** A check that runs even if other things in the value are wrong, so that all mistakes are told at once. */
export function checkAlways<T extends object>(
  check: (value: T, report: Report) => void,
): z.core.$ZodCheck<T> {
  return z.superRefine<T>(
    (value, { addIssue }) => {
      check(value, (path, input, message) => {
        addIssue({ code: 'custom', message, input, path: [...path] });
      });
    },
    { when: ({ value }) => typeof value === 'object' && value !== null },
  );
}

export function exactlyOneOf(...keys: readonly string[]): z.core.$ZodCheck<object> {
  return checkAlways((value, report) => {
    const given = Object.entries(value).filter(
      ([key, one]) => keys.includes(key) && one !== undefined,
    );
    if (given.length === 1) return;
    const [key = keys[0] ?? '', input] = given[1] ?? [];
    report([key], input, `use exactly one of ${keys.join(', ')}`);
  });
}

export const namedOnce = checkAlways<readonly unknown[]>((list, report) => {
  const names = list.map((one) => (Object(one) as { readonly name?: unknown }).name);
  names.forEach((name, index) => {
    if (name === undefined || names.indexOf(name) === index) return;
    report([index, 'name'], name, 'use each name once');
  });
});

/** An id of a runtime or an endpoint. @param error The error for a value that is not a text. */
export function idSchema(error?: string) {
  return z
    .string(error === undefined ? {} : { error })
    .check(withoutFault(faultOfId))
    .meta({ minLength: 1, maxLength: 256 });
}

/** The name that people give to a part of the configuration: a group, a policy. */
export const nameSchema = z
  .string()
  .regex(/^\w[\w.-]{0,63}$/, 'use 1 to 64 letters, digits, underscores, dots and hyphens');

export const runtimeIdSchema = idSchema('use the id of a runtime');
export const reasonSchema = z.string({ error: 'say why' }).trim().min(1, 'say why').max(1_000);
export const versionSchema = z.int().min(1);
export const askedVersionSchema: z.ZodType<AskedVersion, AskedVersion> = z.union([
  versionSchema,
  z.literal(LATEST, { error: `use a whole number of at least 1, or "${LATEST}"` }),
]);

/** The version of each runtime of a group, by the ids of the runtimes. */
export const versionsSchema = recordOf(runtimeIdSchema, askedVersionSchema);

/** The version in an event of another system: 7, `"7"` and `"v7"` are version 7. */
export const eventVersionSchema = z.unknown().transform((value, { issues }) => {
  const version = versionIn(value);
  if (version !== null) return version;
  const message = 'use a version from 1, also as text: "7" or "v7"';
  issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
});

type FaultOf = (text: string) => string | null;

/** Checks a text. @param faultOf Says what is wrong, and what is allowed; `null`: nothing is wrong. */
export function withoutFault(faultOf: FaultOf): z.core.$ZodCheck<string> {
  return z.check(({ value, issues }) => {
    const message = faultOf(value);
    if (message !== null) issues.push({ code: 'custom', message, input: value });
  });
}

export function textWithout(faultOf: FaultOf): z.ZodString {
  return z.string().max(256).check(withoutFault(faultOf));
}

/** The name of a time zone. An offset is not allowed, because it does not know summer time. */
export const timeZoneSchema = textWithout(faultOfTimeZone);

function faultOfTimeZone(name: string): string | null {
  const fault = 'use a time zone of the IANA database: "Europe/Berlin"';
  if (!/^[A-Za-z]/.test(name)) return fault;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return null;
  } catch {
    return fault;
  }
}

/** Step Functions waits at most a year; nobody waits longer than a week for a wave. */
const LONGEST_WAIT_SECONDS = 7 * 24 * 3600;
export const seconds = z.int().max(LONGEST_WAIT_SECONDS);
/** A name, a pattern or another short text of a policy. */
export const word = z.string().min(1).max(256);
export const words = z.array(word).max(1_000);

/** A tag of AWS may be called so, too. */
export const attributeName = z
  .string()
  .regex(
    /^\w[\w .:/=+@-]{0,127}$/,
    'use a name of 1 to 128 letters, digits, spaces, and _ . : / = + - @',
  );
