import { entryOf } from '../../domain/keyed.ts';

const HIDDEN = '[hidden]';
// The pattern has bounds, because a hostile body must not cost more than one pass over it.
const SECRET_VALUE =
  /((?:token|secret|passw(?:or)?d|authorization|api[-_]?key|credential|signature)[\w.-]{0,40}["']?\s{0,9}[:=]\s{0,9})(?:"(?:[^"\\]|\\.)*"?|(?:(?:bearer|basic)\s{1,9})?[^\s"',;&}<]+)/gi;
const CREDENTIAL = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;

/** What every value has nearby that is hidden because of its name. A test for it is cheaper than the search. */
const NAMED = /token|secret|passw|authorization|api[-_]?key|credential|signature|bearer|basic/i;

/** The text without the values whose names look like those of secrets. */
export function hideCredentials(text: string): string {
  if (!NAMED.test(text)) return text;
  return text.replace(SECRET_VALUE, `$1${HIDDEN}`).replace(CREDENTIAL, `$1 ${HIDDEN}`);
}

/** An escape takes at most this many characters for one character. */
export const LONGEST_ESCAPE = 12;

/**
 * The text without the secrets, in any spelling: as they are, in base64, and escaped for a URL, for JSON or for HTML,
 * even more than once.
 *
 * If a text contains an escaped secret, the answer has no escapes. So the code need not know where each character
 * came from, and its time is proportional to the text, however long the secrets are.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  return hideSpellings(text, secrets.flatMap(spellingsOf));
}

/** The same for secrets whose spellings are known already. */
export function hideSpellings(text: string, spellings: readonly Spelling[]): string {
  if (spellings.length === 0) return text;
  const shown = hideEach(
    text,
    spellings.map(({ form }) => form),
  );
  const plain = withoutEscapes(shown);
  const hidden = hideEach(
    plain,
    spellings.map(({ decoded }) => decoded),
  );
  return hidden === plain ? shown : hidden;
}

/** A way to write a secret, and the same without escapes. */
export interface Spelling {
  readonly form: string;
  readonly decoded: string;
}

export function spellingsOf(secret: string): Spelling[] {
  if (secret === '') return [];
  const base64 = Buffer.from(secret).toString('base64');
  const url = Buffer.from(secret).toString('base64url');
  const forms = new Set([secret, base64, base64.replace(/=+$/, ''), url]);
  return [...forms].map((form) => ({ form, decoded: withoutEscapes(form) }));
}

/** The longest secret goes first, because one may be a part of another. */
function hideEach(text: string, parts: readonly string[]): string {
  return parts
    .filter((part) => text.includes(part))
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
