import type * as z from 'zod';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { keysAt, suggest } from './suggest.ts';

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
        mistakes: result.error.issues.flatMap((issue) =>
          mistakesOf(issue, [], { nameOf, textOf, schema }),
        ),
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
  /** Of the whole input. */
  readonly schema: z.ZodType;
}

function mistakesOf(issue: Issue, parent: Path, words: Words): Mistake[] {
  const path = [...parent, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const full = [...path, key];
      // A key that is right in another branch of a union is not what was meant here.
      const others = key.length < 3 ? [] : keysAt(words.schema, path).filter((one) => one !== key);
      const known = suggest(key, others);
      const text = `${pathText(full, words.nameOf)}: unknown key${known}`;
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

/** The branch of a union that was probably meant: it has the right kind of value and the fewest mistakes. */
function closestBranch(issue: z.core.$ZodIssueInvalidUnion): readonly Issue[] | undefined {
  return issue.errors
    .filter((branch) =>
      branch.every(({ code, path }) => code !== 'invalid_type' || path.length > 0),
    )
    .toSorted((one, other) => one.length - other.length)[0];
}

export type Path = readonly PropertyKey[];
export type Issue = z.core.$ZodIssue;
export type NameOf = (key: string) => string;

const LONGEST_VALUE = 60;
const SECRET_KEY = /secret|token|password|credential|webhook/i;
const PLAIN_KEY = /^[\w$-]+$/;

/** The value that was given and what is allowed, in the words of the person who wrote it. */
export function verdictOn(issue: Issue, path: Path, written: string | undefined): string {
  const input = inputOf(issue);
  // A part of the text tells more than all of it, and a schema may have hidden a secret in it.
  const isPart = input === undefined || (typeof input === 'string' && input !== '');
  const got = isPart ? input : (written ?? input);
  // An option without a value was given: there is no value to show.
  if (got === true && issue.code === 'custom') return allowed(issue);
  return got === undefined
    ? `missing; ${allowed(issue)}`
    : `${shown(got, path)} is not allowed; ${allowed(issue)}${meant(got, issue)}`;
}

/** A word that is very similar to an allowed one. */
function meant(got: unknown, issue: Issue): string {
  if (typeof got !== 'string') return '';
  return suggest(got, wordsOf(issue));
}

function wordsOf(issue: Issue): string[] {
  if (issue.code === 'invalid_union') return issue.errors.flat().flatMap(wordsOf);
  if (issue.code !== 'invalid_value') return [];
  return issue.values.filter((value) => typeof value === 'string');
}

/** A union whose branches differ in one key reports the whole object, although the mistake is in that key. */
export function inputOf(issue: Issue): unknown {
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
      return rangeText(issue, issue.inclusive === false ? 'more than' : 'at least', issue.minimum);
    case 'too_big':
      return rangeText(issue, issue.inclusive === false ? 'less than' : 'at most', issue.maximum);
    case 'invalid_key':
      return issue.issues[0]?.message ?? issue.message;
    case 'not_multiple_of':
      return `use a multiple of ${issue.divisor}`;
    default:
      return issue.message;
  }
}

/** The schema's own message. zod's messages all begin with the same word. */
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
  const texts = values.filter((value) => value !== undefined).map((value) => JSON.stringify(value));
  return texts.length === 1 ? `use ${texts[0]}` : `use one of ${texts.join(', ')}`;
}

type OfRange = { readonly origin: string };
function rangeText({ origin }: OfRange, bound: string, limit: number | bigint): string {
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
  if (path.some((key) => SECRET_KEY.test(String(key)))) return '(hidden)';
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  // JSON has no word for Infinity and NaN and would write null.
  return cut(typeof value === 'string' ? JSON.stringify(withoutLogin(value)) : String(value));
}

/** What stands before the `@` of a URL may be a password, and its query a token. */
function withoutLogin(text: string): string {
  return text
    .replace(/^([a-z][\w+.-]*:[/\\]+)[\s\S]*@/i, '$1(hidden)@')
    .replace(/^[^\s:@]*:[^\s/\\][\s\S]*@/, '(hidden)@')
    .replace(/^([a-z][\w+.-]*:[/\\]+[^?#]*)([?#])[\s\S]+/i, '$1$2(hidden)');
}

/** The way to a value: `policy.waves[0]`. */
export function pathText(path: Path, nameOf: NameOf): string {
  return path.reduce<string>((text, key, index) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    const name = String(key);
    if (index === 0 && nameOf(name) !== name) return nameOf(name);
    if (!PLAIN_KEY.test(name)) return `${text}[${cut(JSON.stringify(name))}]`;
    return text === '' ? cut(name) : `${text}.${cut(name)}`;
  }, '');
}

function cut(text: string): string {
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE)}…` : text;
}
