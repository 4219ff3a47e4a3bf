import type * as z from 'zod';
import { ErrorName, SteprollError } from '../domain/errors.ts';

/**
 * Parses what comes from outside and answers it with the schema's defaults filled in.
 *
 * Throws one `InvalidInput` that lists every mistake, a line each: where it is, the value got and
 * what is allowed. The value under a key that looks like a secret's is never shown.
 *
 * @param what What is parsed, in the words of the person who wrote it: `scenario`, a file name.
 */
export function parseInput<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const checked = checkInput(schema, value);
  if ('data' in checked) {
    return checked.data;
  }
  throw invalidInput(
    what,
    checked.mistakes.map(({ text }) => text),
  );
}

export interface Mistake {
  /** One line: where it is, the value got and what is allowed. */
  readonly text: string;
  /** The first key of the way to it. */
  readonly key: string;
  /** Whether nothing was given for that key. */
  readonly isMissing: boolean;
}

/**
 * The same, for whoever collects mistakes from several places.
 *
 * @param nameOf What people call the value under a key. @default - the key
 * @param textOf The text that the value under a key was written as: it is shown, and not what the
 * schema made of it. @default - the value is what was written
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

/** One error for all mistakes, a line each. */
export function invalidInput(what: string, mistakes: readonly string[]): SteprollError {
  const count = mistakes.length === 1 ? '1 mistake' : `${mistakes.length} mistakes`;
  // No cause: zod's error holds the values, secrets included.
  return new SteprollError(
    ErrorName.InvalidInput,
    [`Invalid ${what}, ${count}:`, ...mistakes.map((line) => `  ${line}`)].join('\n'),
  );
}

type Path = readonly PropertyKey[];
type Issue = z.core.$ZodIssue;

const LONGEST_VALUE = 60;
const SECRET_KEY = /secret|token|password|credential/i;
const PLAIN_KEY = /^[\w$-]+$/;

type NameOf = (key: string) => string;
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
  if (branch !== undefined) {
    return branch.flatMap((inner) => mistakesOf(inner, path, words));
  }
  const key = String(path[0] ?? '');
  const written = words.textOf(key);
  const verdict = verdictOn(issue, path, written);
  const place = pathText(written === undefined ? path : path.slice(0, 1), words.nameOf);
  const text = path.length === 0 ? verdict : `${place}: ${verdict}`;
  const isMissing = path.length === 1 && inputOf(issue) === undefined;
  return [{ text, key, isMissing }];
}

function verdictOn(issue: Issue, path: Path, written: string | undefined): string {
  const input = inputOf(issue);
  // A part of the text says more than all of it, and a schema may have hidden a secret in it.
  const isPart = input === undefined || (typeof input === 'string' && input !== '');
  const got = isPart ? input : (written ?? input);
  return got === undefined
    ? `missing; ${allowed(issue)}`
    : `${shown(got, path)} is not allowed; ${allowed(issue)}`;
}

/** The branch of a union that the value was meant for: the right kind of value, fewest mistakes. */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] | undefined {
  return issue.errors
    .filter((branch) =>
      branch.every(({ code, path }) => code !== 'invalid_type' || path.length > 0),
    )
    .toSorted((one, other) => one.length - other.length)[0];
}

/** A union that is told apart by one key reports the whole object; the mistake is in that key. */
function inputOf(issue: Issue): unknown {
  if (issue.code === 'invalid_union' && issue.discriminator !== undefined) {
    return (issue.input as Record<string, unknown>)[issue.discriminator];
  }
  return issue.input;
}

function allowed(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      return ownWords(issue) ?? `use ${kindText(issue.expected)}`;
    case 'invalid_value':
      return ownWords(issue) ?? choiceText(issue.values);
    case 'invalid_union':
      return 'options' in issue && issue.options !== undefined
        ? choiceText(issue.options)
        : `use ${unionKinds(issue).join(' or ')}`;
    case 'too_small':
      return rangeText(
        issue.origin,
        issue.inclusive === false ? 'more than' : 'at least',
        issue.minimum,
      );
    case 'too_big':
      return rangeText(
        issue.origin,
        issue.inclusive === false ? 'less than' : 'at most',
        issue.maximum,
      );
    default:
      return issue.message;
  }
}

/** What the schema says itself; zod's own sentences begin with the same word. */
function ownWords({ message }: Issue): string | undefined {
  return message.startsWith('Invalid ') ? undefined : message;
}

function unionKinds(issue: z.core.$ZodIssueInvalidUnion): string[] {
  const kinds = issue.errors.flat().map((inner) => {
    return inner.code === 'invalid_type' ? kindText(inner.expected) : inner.message;
  });
  return [...new Set(kinds)];
}

function choiceText(values: readonly unknown[]): string {
  const texts = values.map((value) => JSON.stringify(value));
  return texts.length === 1 ? `use ${texts[0]}` : `use one of ${texts.join(', ')}`;
}

function rangeText(origin: string, bound: string, limit: number | bigint): string {
  switch (origin) {
    case 'string':
      return `use ${bound} ${limit} ${limit === 1 ? 'character' : 'characters'}`;
    case 'array':
      return `use a list of ${bound} ${limit}`;
    default:
      return `use a number of ${bound} ${limit}`;
  }
}

function kindText(expected: string): string {
  switch (expected) {
    case 'int':
      return 'a whole number';
    case 'array':
      return 'a list';
    case 'object':
    case 'record':
      return 'an object';
    case 'boolean':
      return 'true or false';
    default:
      return `a ${expected}`;
  }
}

function shown(value: unknown, path: Path): string {
  if (path.some((key) => SECRET_KEY.test(String(key)))) {
    return '(hidden)';
  }
  if (Array.isArray(value)) {
    return `a list of ${value.length}`;
  }
  if (typeof value === 'object' && value !== null) {
    return 'an object';
  }
  // JSON has no word for Infinity and NaN and would say null.
  return cut(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

function pathText(path: Path, nameOf: NameOf): string {
  return path.reduce<string>((text, key, index) => {
    if (typeof key === 'number') {
      return `${text}[${key}]`;
    }
    const name = String(key);
    if (index === 0 && nameOf(name) !== name) {
      return nameOf(name);
    }
    if (!PLAIN_KEY.test(name)) {
      return `${text}[${cut(JSON.stringify(name))}]`;
    }
    return text === '' ? cut(name) : `${text}.${cut(name)}`;
  }, '');
}

function cut(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
