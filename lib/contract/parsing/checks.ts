import * as z from 'zod';
import { faultOfId } from '../../domain/endpoint/endpoint.ts';

/** Tells a mistake: where it is from here, the value got and what is allowed. */
type Report = (path: readonly PropertyKey[], input: unknown, message: string) => void;

/**
 * A check of an object or a list that is made beside whatever else is wrong in it, so that all
 * mistakes are told at once. What it sees may therefore be of any shape inside.
 */
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

/** Checks that one of the keys is given, and no other of them. */
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

/** Checks that no two things of a list have the same name. */
export const namedOnce = checkAlways<readonly unknown[]>((list, report) => {
  const names = list.map((one) => (Object(one) as { readonly name?: unknown }).name);
  names.forEach((name, index) => {
    if (name === undefined || names.indexOf(name) === index) return;
    report([index, 'name'], name, 'use each name once');
  });
});

/** An id of a runtime or an endpoint. @param error What to use, where there is no text at all. */
export function idSchema(error?: string) {
  return z
    .string(error === undefined ? {} : { error })
    .check(({ value, issues }) => {
      const fault = faultOfId(value);
      if (fault !== null) issues.push({ code: 'custom', message: fault, input: value });
    })
    .meta({ minLength: 1, maxLength: 256 });
}

export const runtimeIdSchema = idSchema('use the id of a runtime');
export const versionSchema = z.int().min(1);

/**
 * A text that nothing is wrong with.
 *
 * @param faultOf What is wrong with a text, in words that say what is allowed; `null` when nothing is.
 */
export function textWithout(faultOf: (text: string) => string | null): z.ZodString {
  return z
    .string()
    .max(256)
    .check(({ value, issues }) => {
      const message = faultOf(value);
      if (message !== null) issues.push({ code: 'custom', message, input: value });
    });
}

/** The name of a time zone, as the clocks of people are set: no offset, which knows no summer. */
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
