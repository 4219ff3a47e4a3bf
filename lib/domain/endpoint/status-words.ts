import {
  asSaid,
  type Endpoint,
  isFailed,
  isStopped,
  matchesAny,
  type StatusWords,
  targetOf,
} from './endpoint.ts';

// A service has its own words for how an endpoint is, and nobody knows what each of them means. Where a word stands that
// nobody knows, nothing is known of the endpoint: neither that it is well, nor that it is not.

/** A version is live, it is not on its way to another one, it has replicas, and no word says that it is broken. */
export function isAtRest(endpoint: Endpoint, statuses: StatusWords): boolean {
  const { liveVersion, replicas } = endpoint;
  const isLive = liveVersion !== null && liveVersion >= 1 && replicas !== 0;
  const isKnownBad = isFailed(endpoint, statuses) || isStopped(endpoint, statuses);
  return isLive && targetOf(endpoint) === liveVersion && !isKnownBad;
}

const LONGEST_WORD = 60;

/**
 * The status as a word: each number in it is `*`, and so is what cannot be printed or is too long. As such it can stand in a
 * configuration. `null`: there is none.
 */
function wordOf({ status }: Endpoint): string | null {
  if (status === null || status.trim() === '') return null;
  const word = status.replaceAll(/\d+|\p{Cc}+/gu, '*');
  return word.length > LONGEST_WORD ? `${word.slice(0, LONGEST_WORD - 1)}*` : word;
}

/** A fleet in which each endpoint says something else has no words. */
const MOST_WORDS = 100;

/**
 * The words that are known because endpoints at rest show them, besides those that the policy knows. One endpoint is
 * enough.
 */
export function restingWordsOf(
  listed: readonly Endpoint[],
  statuses: StatusWords,
): readonly string[] {
  const words = listed.flatMap((one) => {
    const word = wordOf(one);
    const isNews = isAtRest(one, statuses) && meaningOf(one, statuses) === null;
    return isNews && word !== null ? [word] : [];
  });
  return distinct(words).slice(0, MOST_WORDS);
}

/** The word of an endpoint that nobody knows. `undefined`: it is known, or it shows none. */
export function unknownWordOf(
  endpoint: Endpoint,
  statuses: StatusWords,
  restingWords: readonly string[] = [],
): string | undefined {
  const word = wordOf(endpoint);
  if (word === null || statuses.unknown === 'accept') return undefined;
  if (meaningOf(endpoint, statuses) !== null) return undefined;
  return includes(restingWords, word) ? undefined : word;
}

type Meaning = 'failed' | 'stopped' | 'serving' | 'busy';

/** What the policy says of the word of an endpoint. `null`: nothing. */
function meaningOf(endpoint: Endpoint, statuses: StatusWords): Meaning | null {
  if (isFailed(endpoint, statuses)) return 'failed';
  if (isStopped(endpoint, statuses)) return 'stopped';
  const { status } = asSaid(endpoint);
  if (matchesAny(status, statuses.serving)) return 'serving';
  return matchesAny(status, statuses.busy) ? 'busy' : null;
}

/** A word that a list shows, and what it is taken for. */
export interface ShownWord {
  readonly word: string;
  /** `at-rest`: endpoints at rest show it. `unknown`: nobody knows what it means. */
  readonly means: Meaning | 'at-rest' | 'unknown';
  /** How many endpoints show it. */
  readonly endpoints: number;
}

/** The words of a list, those first that the policy does not know. */
export function wordsShownBy(
  listed: readonly Endpoint[],
  statuses: StatusWords,
  restingWords: readonly string[],
): readonly ShownWord[] {
  const shown = new Map<string, ShownWord>();
  for (const endpoint of listed) {
    const word = wordOf(endpoint);
    if (word === null) continue;
    const isResting = includes(restingWords, word);
    const means = meaningOf(endpoint, statuses) ?? (isResting ? 'at-rest' : 'unknown');
    const key = `${means} ${fold(word)}`;
    const { endpoints, ...before } = shown.get(key) ?? { word, means, endpoints: 0 };
    shown.set(key, { ...before, endpoints: endpoints + 1 });
  }
  const isKnown = ({ means }: ShownWord) => means !== 'at-rest' && means !== 'unknown';
  return [...shown.values()].sort((one, other) => Number(isKnown(one)) - Number(isKnown(other)));
}

const MEANS: Readonly<Record<ShownWord['means'], string>> = {
  failed: 'failed',
  stopped: 'stopped',
  serving: 'serving',
  busy: 'busy',
  'at-rest': 'at rest, because endpoints at rest show it',
  unknown: 'nobody knows',
};

/** What the words of a list are taken for, in a sentence without its period. */
export function describeWords(shown: readonly ShownWord[], { unknown }: StatusWords): string {
  const words = shown
    .slice(0, MOST_SHOWN)
    .map(({ word, means, endpoints }) => `${word} (${MEANS[means]}) on ${endpoints}`);
  const rest = shown.length - words.length;
  const all = [...words, ...(rest > 0 ? [`${rest} more`] : [])].join(', ');
  const isNews = shown.some(({ means }) => means === 'at-rest' || means === 'unknown');
  if (!isNews) return all;
  const isFailureShown = shown.some(({ means }) => means === 'failed');
  const then =
    unknown === 'accept'
      ? 'a word that nobody knows is as good as any'
      : 'a version that is live with a word that nobody knows is waited for, up to the progress deadline';
  const hint = isFailureShown ? '' : '; say in statuses.failed which words mean that it is broken';
  return `${all}: ${then}${hint}`;
}

const MOST_SHOWN = 10;

/** The lines of a policy of which one settles what the words mean. */
export function settlingLines(
  words: readonly string[],
  { failed, serving }: StatusWords,
): { readonly broken: string; readonly well: string } {
  const line = (field: string, known: readonly string[]) => {
    const all = [...words, ...known].map((word) => JSON.stringify(word)).join(', ');
    return `"statuses": {"${field}": [${all}]}`;
  };
  return { broken: line('failed', failed), well: line('serving', serving) };
}

/** @param doubted Words that nobody knew when earlier rollouts ended. */
export function withoutDoubted(words: readonly string[], doubted: readonly string[]) {
  return words.filter((word) => !includes(doubted, word));
}

export function distinct(words: readonly string[]): readonly string[] {
  return [...new Map(words.toReversed().map((word) => [fold(word), word])).values()].toReversed();
}

function includes(words: readonly string[], word: string): boolean {
  return words.some((each) => fold(each) === fold(word));
}

function fold(word: string): string {
  return word.toLowerCase();
}
