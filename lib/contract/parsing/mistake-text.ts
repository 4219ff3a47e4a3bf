import type * as z from 'zod';

export type Path = readonly PropertyKey[];
export type Issue = z.core.$ZodIssue;
export type NameOf = (key: string) => string;

const LONGEST_VALUE = 60;
const SECRET_KEY = /secret|token|password|credential/i;
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
    : `${shown(got, path)} is not allowed; ${allowed(issue)}`;
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
  if (path.some((key) => SECRET_KEY.test(String(key)))) return '(hidden)';
  if (Array.isArray(value))
    return value.length === 0 ? 'an empty list' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  // JSON has no word for Infinity and NaN and would write null.
  return cut(typeof value === 'string' ? JSON.stringify(value) : String(value));
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
