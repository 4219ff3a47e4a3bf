import type * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import {
  type Issue,
  inputOf,
  type NameOf,
  type Path,
  pathText,
  verdictOn,
} from './mistake-text.ts';

/**
 * Parses input from outside and answers it with the schema's defaults filled in.
 *
 * Throws one `InvalidInput` that lists every mistake, one per line: its place, the value that was given and what is
 * allowed. The value under a key that looks like the key of a secret is never shown.
 *
 * @param what Name of the input in the words of the person who wrote it: `scenario`, a file name.
 * @param known Mistakes that were found before. @default - none
 */
export function parseInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  what: string,
  known: readonly Mistake[] = [],
): T {
  const checked = checkInput(schema, value);
  if ('data' in checked && known.length === 0) return checked.data;
  const found = 'data' in checked ? [] : checked.mistakes;
  throw invalidInput(
    what,
    [...known, ...found].map(({ text }) => text),
  );
}

export interface Mistake {
  /** One line: the place, the value that was given and what is allowed. */
  readonly text: string;
  /** The first key on the way to the place. */
  readonly key: string;
  /** Whether there was no value for that key. */
  readonly isMissing: boolean;
}

/** A mistake that is not one of a schema. */
export function mistakeAt(path: Path, verdict: string): Mistake {
  const text = `${pathText(path, (key) => key)}: ${verdict}`;
  return { text, key: String(path[0] ?? ''), isMissing: false };
}

/**
 * Does the same for code that collects mistakes from several places.
 *
 * @param nameOf The name that people use for the value under a key. @default - the key
 * @param textOf The text from which the value under a key was made. It is shown instead of the value. @default - the
 *   value is what was written
 */
export function checkInput<T>(
  schema: z.ZodType<T>,
  value: unknown,
  nameOf: NameOf = (key) => key,
  textOf: TextOf = () => undefined,
): { readonly data: T } | { readonly mistakes: readonly Mistake[] } {
  const result = schema.safeParse(value, { reportInput: true });
  return result.success
    ? { data: result.data }
    : {
        mistakes: result.error.issues.flatMap((issue) => mistakesOf(issue, [], { nameOf, textOf })),
      };
}

/** One error for all mistakes, one per line. Several parts of a text may have the same mistake, which is told once. */
export function invalidInput(what: string, found: readonly string[]): SteprollError {
  const mistakes = [...new Set(found)];
  const count = mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`;
  // The error has no cause, because zod's error contains the values with their secrets.
  return new SteprollError(
    ErrorName.InvalidInput,
    [`Invalid ${what}, ${count}:`, ...mistakes.map((line) => `  ${line}`)].join('\n'),
  );
}

type TextOf = (key: string) => string | undefined;

interface Words {
  readonly nameOf: NameOf;
  readonly textOf: TextOf;
}

function mistakesOf(issue: Issue, parent: Path, words: Words): Mistake[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const full = [...path, key];
      const text = `${pathText(full, words.nameOf)}: unknown key`;
      return { text, key: String(full[0]), isMissing: false };
    });
  }
  const branch = issue.code === 'invalid_union' ? closestBranch(issue) : undefined;
  if (branch !== undefined) return branch.flatMap((inner) => mistakesOf(inner, path, words));
  const key = String(path[0] ?? '');
  const written = words.textOf(key);
  const verdict = verdictOn(issue, path, written);
  const place = pathText(written === undefined ? path : path.slice(0, 1), words.nameOf);
  const text = path.length === 0 ? verdict : `${place}: ${verdict}`;
  const isMissing = path.length === 1 && inputOf(issue) === undefined;
  return [{ text, key, isMissing }];
}

/**
 * The branch of a union that the value was probably meant for: it has the right kind of value and the fewest
 * mistakes.
 */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] | undefined {
  return issue.errors
    .filter((branch) =>
      branch.every(({ code, path }) => code !== 'invalid_type' || path.length > 0),
    )
    .toSorted((one, other) => one.length - other.length)[0];
}
