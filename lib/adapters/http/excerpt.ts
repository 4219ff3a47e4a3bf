import { ErrorName, SteprollError } from '../../domain/errors.ts';
import { entryOf } from '../../domain/keyed.ts';
import type { HttpAnswer } from './send-request.ts';

export const EXCERPT_LENGTH = 256;
/** This is far more than an excerpt has, because hiding secrets and joining lines make a text shorter. */
export const LONGEST_EXCERPT = 65_536;

const HIDDEN = '[hidden]';
// The pattern has bounds, because a hostile body must not cost more than one pass over it.
const SECRET_VALUE =
  /((?:token|secret|passw(?:or)?d|authorization|api[-_]?key|credential)[\w.-]{0,40}["']?\s{0,9}[:=]\s{0,9})(?:"(?:[^"\\]|\\.)*"?|(?:(?:bearer|basic)\s{1,9})?[^\s"',;&}<]+)/gi;
const CREDENTIAL = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;

/**
 * The start of a text for people, on one line, without secrets. `secrets` are hidden everywhere. Values whose names
 * look like those of secrets are hidden too.
 *
 * @param length The most characters, at most `LONGEST_EXCERPT`. @default 256
 */
export function excerptOf(
  body: string,
  secrets: readonly string[],
  length = EXCERPT_LENGTH,
): string {
  const text = hideCredentials(startWithout(secrets, body))
    // Control and format characters could change the terminal that shows the message.
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim();
  // The cut may be in the middle of a character.
  return text.length > length ? `${text.slice(0, length - 1).toWellFormed()}…` : text;
}

/** What every value has nearby that is hidden because of its name. A test for it is cheaper than the search. */
const NAMED = /token|secret|passw|authorization|api[-_]?key|credential|bearer|basic/i;

/** The text without the values whose names look like those of secrets. */
export function hideCredentials(text: string): string {
  if (!NAMED.test(text)) return text;
  return text.replace(SECRET_VALUE, `$1${HIDDEN}`).replace(CREDENTIAL, `$1 ${HIDDEN}`);
}

function startWithout(secrets: readonly string[], body: string): string {
  const longest = Math.max(0, ...secrets.map((secret) => secret.length)) * LONGEST_ESCAPE;
  const start = body.slice(0, LONGEST_EXCERPT + longest);
  const text = hideSecrets(start, secrets);
  // The part that was cut off may have been the rest of a secret.
  return start.length < body.length ? text.slice(0, Math.max(text.length - longest, 0)) : text;
}

/** An escape takes at most this many characters for one character. */
const LONGEST_ESCAPE = 12;

/**
 * The text without the secrets, in any spelling: as they are, in base64, and escaped for a URL, for JSON or for HTML,
 * even more than once.
 *
 * If a text contains an escaped secret, the answer has no escapes. So the code need not know where each character
 * came from, and its time is proportional to the text, however long the secrets are.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  if (forms.length === 0) return text;
  const shown = hideEach(text, forms);
  const plain = withoutEscapes(shown);
  const hidden = hideEach(plain, forms.map(withoutEscapes));
  return hidden === plain ? shown : hidden;
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, base64, base64.replace(/=+$/, ''), Buffer.from(secret).toString('base64url')];
}

/** The longest secret goes first, because one may be a part of another. */
function hideEach(text: string, parts: readonly string[]): string {
  return parts
    .toSorted((one, other) => other.length - one.length)
    .reduce((shown, part) => shown.replaceAll(part, HIDDEN), text);
}

/** So many layers of escapes are decoded. A page in JSON in a link has three. */
const MAX_LAYERS = 4;

const ESCAPE =
  /%(?:[c-f][\da-f](?:%[89ab][\da-f]){1,3}|[\da-f]{2})|\\(?:u[\da-f]{4}|.)|&(?:#x[\da-f]{1,8}|#\d{1,8}|[a-z]{2,6});?/gi;

/** Decodes the escapes of URLs, JSON and HTML as often as possible. A form writes a space as a plus. */
function withoutEscapes(text: string): string {
  if (!/[%\\&+]/.test(text)) return text;
  let plain = text;
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const next = plain.replace(ESCAPE, characterOf);
    if (next === plain) break;
    plain = next;
  }
  return plain.replaceAll('+', ' ');
}

/** The character that an escape stands for, or the escape itself when it stands for none. */
function characterOf(escaped: string): string {
  switch (escaped[0]) {
    case '%':
      return characterOfPercent(escaped);
    case '&':
      return characterOfEntity(escaped.slice(1).replace(';', '').toLowerCase()) ?? escaped;
    default:
      return escaped.length > 2
        ? String.fromCharCode(Number.parseInt(escaped.slice(2), 16))
        : (CONTROL_CHARACTERS[escaped[1] ?? ''] ?? escaped.slice(1));
  }
}

const CONTROL_CHARACTERS: Readonly<Record<string, string>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

function characterOfPercent(escaped: string): string {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return escaped;
  }
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  apos: "'",
  equals: '=',
  gt: '>',
  lt: '<',
  plus: '+',
  quot: '"',
  sol: '/',
};

function characterOfEntity(name: string): string | undefined {
  if (!name.startsWith('#')) return entryOf(ENTITIES, name);
  const code = Number(name.replace(/^#x/, '0x').replace(/^#/, ''));
  return code <= 0x10_ffff ? String.fromCodePoint(code) : undefined;
}

/**
 * The answer's JSON, or `undefined` for an empty body. Throws `UpstreamProtocol` for anything else: a proxy may
 * answer with a login page instead of the service, and that must not count as an empty list.
 */
export function readJson(answer: HttpAnswer, source: string, secrets: readonly string[]): unknown {
  if (answer.body.length === 0) return undefined;
  const text = readText(answer, source);
  const type = headerOf(answer, 'content-type');
  if (type !== undefined && !/json|^text\/plain/i.test(type)) {
    throw protocol(source, `${type} in place of JSON: ${excerptOf(text, secrets)}`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The error has no cause, because the parser's message quotes the body.
    throw protocol(source, `not JSON: ${excerptOf(text, secrets)}`);
  }
}

/** For answers whose body has no meaning. Throws `UpstreamProtocol` for a page that is made for people. */
export function refuseHtml(answer: HttpAnswer, source: string, secrets: readonly string[]): void {
  if (answer.body.length > 0 && /html/i.test(headerOf(answer, 'content-type') ?? '')) {
    throw protocol(
      source,
      `a page in place of an answer: ${excerptOf(readText(answer, source), secrets)}`,
    );
  }
}

/** The start of any answer's body, for a message. A compressed body is only named, not shown. */
export function excerptOfBody(
  answer: HttpAnswer,
  secrets: readonly string[],
  length = EXCERPT_LENGTH,
): string {
  const encoding = encodingOf(answer);
  return encoding === IDENTITY || answer.body.length === 0
    ? excerptOf(answer.body.toString('utf8'), secrets, length)
    : `(a body in content-encoding ${excerptOf(encoding, secrets)})`;
}

export function headerOf(answer: HttpAnswer, name: string): string | undefined {
  const value = answer.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function readText(answer: HttpAnswer, source: string): string {
  const encoding = encodingOf(answer);
  if (encoding !== IDENTITY) {
    throw protocol(source, `content-encoding ${encoding}, which was not asked for`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
  } catch (cause) {
    throw new SteprollError(ErrorName.UpstreamProtocol, `${source}: not UTF-8`, { cause });
  }
}

const IDENTITY = 'identity';

function encodingOf(answer: HttpAnswer): string {
  return headerOf(answer, 'content-encoding')?.toLowerCase() ?? IDENTITY;
}

function protocol(source: string, message: string): SteprollError {
  return new SteprollError(ErrorName.UpstreamProtocol, `${source}: ${message}`);
}
