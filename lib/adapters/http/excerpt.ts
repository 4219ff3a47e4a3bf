const MAX_EXCERPT_LENGTH = 256;
/** Far more than is shown, because hiding and joining lines make a text shorter. */
const MAX_SEARCHED_LENGTH = 65_536;

const HIDDEN = '[hidden]';
// Bounded, because a hostile body must not cost more than one pass over it.
const SECRET_VALUE =
  /((?:token|secret|passw(?:or)?d|authorization|api[-_]?key|credential)[\w.-]{0,40}["']?\s{0,9}[:=]\s{0,9})(?:"(?:[^"\\]|\\.)*"?|(?:(?:bearer|basic)\s{1,9})?[^\s"',;&}<]+)/gi;
const CREDENTIAL = /\b(bearer|basic)\s+[\w.~+/=-]+/gi;

/**
 * The start of a text for an error message: at most 256 characters, on one line, without secrets.
 * `secrets` are hidden wherever they stand; what looks like a secret by its name is hidden too.
 */
export function excerptOf(body: string, secrets: readonly string[]): string {
  const text = startWithout(secrets, body)
    .replace(SECRET_VALUE, `$1${HIDDEN}`)
    .replace(CREDENTIAL, `$1 ${HIDDEN}`)
    // Control and format characters could rewrite the terminal that shows the message.
    .replace(/[\s\p{Cc}\p{Cf}\p{Cs}]+/gu, ' ')
    .trim();
  // The cut may fall into the middle of a character.
  return text.length > MAX_EXCERPT_LENGTH
    ? `${text.slice(0, MAX_EXCERPT_LENGTH - 1).toWellFormed()}…`
    : text;
}

function startWithout(secrets: readonly string[], body: string): string {
  const longest = Math.max(0, ...secrets.map((secret) => secret.length)) * LONGEST_ESCAPE;
  const start = body.slice(0, MAX_SEARCHED_LENGTH + longest);
  const text = hideSecrets(start, secrets);
  // What was cut off may have been the rest of a secret.
  return start.length < body.length ? text.slice(0, Math.max(text.length - longest, 0)) : text;
}

/** Layers of escapes that are looked through: a page in JSON in a link is three. */
const MAX_LAYERS = 4;

/** The most characters that an escape takes for one character. */
const LONGEST_ESCAPE = 12;

interface Decoded {
  readonly text: string;
  /** Where each character began before it was decoded, and where the last one ended. */
  readonly positions: readonly number[];
}

/** Decodes the escapes of URLs, of JSON and of HTML, as often as it goes. */
function decodeEscapes(original: string): Decoded {
  let result: Decoded = {
    text: original,
    positions: Array.from({ length: original.length + 1 }, (_, index) => index),
  };
  for (let layer = 0; layer < MAX_LAYERS; layer += 1) {
    const next = decodeLayer(result);
    if (next.text.length === result.text.length) {
      return result;
    }
    result = next;
  }
  return result;
}

/** Every escape is longer than what it stands for. */
const ESCAPE =
  /%(?:[c-f][\da-f](?:%[89ab][\da-f]){1,3}|[\da-f]{2})|\\(?:u[\da-f]{4}|.)|&(?:#x[\da-f]{1,8}|#\d{1,8}|[a-z]{2,6});?/gi;

function decodeLayer({ text, positions }: Decoded): Decoded {
  const parts: string[] = [];
  const starts: number[] = [];
  let done = 0;
  const copyUpTo = (end: number) => {
    parts.push(text.slice(done, end));
    for (; done < end; done += 1) {
      starts.push(positions[done] ?? 0);
    }
  };
  for (const { 0: escaped, index } of text.matchAll(ESCAPE)) {
    const character = characterOf(escaped);
    if (character !== null) {
      copyUpTo(index);
      parts.push(character);
      done = index + escaped.length;
      starts.push(positions[index] ?? 0);
      // What has two code units ends after its first: nobody looks for half of it.
      starts.push(...Array.from(character.slice(1), () => positions[done] ?? 0));
    }
  }
  copyUpTo(text.length);
  return { text: parts.join(''), positions: [...starts, positions[text.length] ?? 0] };
}

/** The character that an escape stands for; `null` when it stands for none. */
function characterOf(escaped: string): string | null {
  switch (escaped[0]) {
    case '%':
      return characterOfPercent(escaped);
    case '&':
      return characterOfEntity(escaped.slice(1).replace(';', '').toLowerCase());
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

function characterOfPercent(escaped: string): string | null {
  try {
    return decodeURIComponent(escaped);
  } catch {
    return null;
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

function characterOfEntity(name: string): string | null {
  if (!name.startsWith('#')) {
    return ENTITIES[name] ?? null;
  }
  const code = Number(name.replace(/^#x/, '0x').replace(/^#/, ''));
  return code <= 0x10_ffff ? String.fromCodePoint(code) : null;
}

/**
 * The text without the secrets, in whatever spelling they stand in it: as they are, in base64, and
 * escaped for a URL, for JSON or for HTML, also more than once.
 *
 * The text is decoded as often as it goes, secrets are looked for in what comes out, and hidden where
 * they stood. That takes time in proportion to the text, however long the secrets are.
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  const forms = [...new Set(secrets.flatMap(formsOf))].filter((form) => form !== '');
  if (forms.length === 0) {
    return text;
  }
  const decoded = decodeEscapes(text);
  const ranges = forms.flatMap((form) => [
    ...rangesOf(form, text),
    ...rangesOf(comparable(decodeEscapes(form)), comparable(decoded)).map(
      ([start, end]): Range => [decoded.positions[start] ?? 0, decoded.positions[end] ?? 0],
    ),
  ]);
  return hideRanges(text, ranges);
}

function formsOf(secret: string): string[] {
  const base64 = Buffer.from(secret).toString('base64');
  return [secret, base64, base64.replace(/=+$/, ''), Buffer.from(secret).toString('base64url')];
}

/** A form writes a space as a plus. */
function comparable({ text }: Decoded): string {
  return text.replaceAll('+', ' ');
}

/** From a start to an end that is no part of it. */
type Range = readonly [start: number, end: number];

function rangesOf(part: string, text: string): Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + part.length)) {
    ranges.push([at, at + part.length]);
  }
  return ranges;
}

function hideRanges(text: string, ranges: readonly Range[]): string {
  const parts: string[] = [];
  let shown = 0;
  for (const [start, end] of ranges.toSorted((one, other) => one[0] - other[0])) {
    if (start >= shown) {
      parts.push(text.slice(shown, start), HIDDEN);
    }
    shown = Math.max(shown, end);
  }
  return [...parts, text.slice(shown)].join('');
}
