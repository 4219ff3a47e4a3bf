import { matchesGlob } from './glob.ts';

/** A text as people see it: without what has no shape, with one space for many, and each letter in one form. */
export function asRead(text: string): string {
  // Most names are such, and they are compared very often.
  if (/^[!-~]*$/.test(text)) return text;
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\s+/gu, ' ')
    .trim();
}

/** What a word that matches nothing was perhaps meant to be. */
export interface Meant {
  readonly text: string;
  /** What alone sets them apart. Empty: the spelling does. */
  readonly differsIn: readonly Difference[];
}

type Difference = 'case' | 'spaces' | 'Unicode form';

/**
 * The text that a word was perhaps meant to be, although it does not match it. `null`: none is near.
 *
 * @param word May be a pattern, in which `*` stands for any run of characters.
 */
export function meantBy(word: string, texts: readonly string[]): Meant | null {
  const alike = texts.find((text) => matchesGlob(unspaced(folded(word)), unspaced(folded(text))));
  if (alike !== undefined) return { text: alike, differsIn: differences(word, alike) };
  const most = mostEdits(word);
  let nearest: string | null = null;
  let fewest = most + 1;
  for (const text of texts) {
    if (!matchesGlob(digitsOf(word), digitsOf(text))) continue;
    const edits = countEdits(folded(word), folded(text));
    if (edits < fewest) [nearest, fewest] = [text, edits];
  }
  return nearest === null ? null : { text: nearest, differsIn: [] };
}

/** `perhaps "web-1" is meant, which differs in case`. */
export function describeMeant({ text, differsIn }: Meant): string {
  const how = differsIn.length === 0 ? '' : `, which differs in ${differsIn.join(' and ')}`;
  return `perhaps ${JSON.stringify(text)} is meant${how}`;
}

function folded(text: string): string {
  return asRead(text).toLowerCase();
}

function unspaced(text: string): string {
  return text.replace(/[\s\p{Cf}]+/gu, '');
}

/** A difference is one that keeps them apart when everything else is made alike. */
function differences(word: string, text: string): Difference[] {
  const form = (one: string) => one.normalize('NFKC');
  const unlike: Readonly<Record<Difference, (one: string) => string>> = {
    case: (one) => unspaced(form(one)),
    spaces: (one) => form(one).toLowerCase(),
    'Unicode form': (one) => unspaced(one).toLowerCase(),
  };
  return (Object.keys(unlike) as Difference[]).filter(
    (each) => !matchesGlob(unlike[each](word), unlike[each](text)),
  );
}

/** Another number is another thing, and no slip of the pen. */
function digitsOf(text: string): string {
  return text.replace(/[^\d*]/g, '');
}

/** A short word is near to everything. */
function mostEdits(word: string): number {
  const { length } = word.replaceAll('*', '');
  if (length < 3) return 0;
  return length < 6 ? 1 : 2;
}

/** How many letters are wrong, missing, too many or swapped with their neighbour. A `*` matches any letters. */
function countEdits(pattern: string, text: string): number {
  let rows: readonly (readonly number[])[] = [
    Array.from({ length: text.length + 1 }, (_, index) => index),
  ];
  for (let place = 0; place < pattern.length; place += 1) {
    rows = [...rows.slice(-1), nextRow(pattern, place, text, rows)];
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

/** The edits from the pattern up to this place to each beginning of the text. @param rows The two before, at most. */
function nextRow(
  pattern: string,
  place: number,
  text: string,
  rows: readonly (readonly number[])[],
): number[] {
  const [last = [], before] = rows.toReversed();
  const letter = pattern[place];
  if (letter === '*') {
    let fewest = Number.POSITIVE_INFINITY;
    return last.map((edits) => {
      fewest = Math.min(fewest, edits);
      return fewest;
    });
  }
  const row = [(last[0] ?? 0) + 1];
  for (let end = 1; end <= text.length; end += 1) {
    const replaced = (last[end - 1] ?? 0) + (letter === text[end - 1] ? 0 : 1);
    row[end] = Math.min((last[end] ?? 0) + 1, (row[end - 1] ?? 0) + 1, replaced);
    const isSwapped = letter === text[end - 2] && pattern[place - 1] === text[end - 1];
    const swapped = isSwapped ? before?.[end - 2] : undefined;
    if (swapped !== undefined) row[end] = Math.min(row[end] ?? 0, swapped + 1);
  }
  return row;
}
