/** Layers of escapes that are looked through: a page in JSON in a link is three. */
const MAX_LAYERS = 4;

/** The most characters that an escape takes for one character. */
export const LONGEST_ESCAPE = 12;

export interface Decoded {
  readonly text: string;
  /** Where each character began before it was decoded, and where the last one ended. */
  readonly positions: readonly number[];
}

/** Decodes the escapes of URLs, of JSON and of HTML, as often as it goes. */
export function decodeEscapes(original: string): Decoded {
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
