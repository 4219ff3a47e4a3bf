import { protects } from '../containment/decide-stop.ts';
import { fits, type Where } from '../endpoint/attributes.ts';
import type { Endpoint } from '../endpoint/endpoint.ts';
import { asSaid, listNames } from '../endpoint/endpoint.ts';
import { entryOf } from '../keyed.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import { countOf, nameOf } from '../sentences.ts';
import { describeMeant, type Meant, meantBy } from '../spelling.ts';
import { isSelected, matchesName } from './selection.ts';

// A guard that matches nobody is worse than none, because somebody relies on it.

/** A word of a policy that is there to match endpoints: a name, an id, a host, or a pattern of them. */
export interface Pattern {
  /** Where the policy has it. */
  readonly path: readonly (string | number)[];
  readonly word: string;
  matches(endpoint: Endpoint): boolean;
  /** What of the endpoint is compared with it, as it is shown. `null`: the list does not show it. */
  textsOf(endpoint: Endpoint): readonly string[] | null;
}

/** What a pattern matches in the list of one runtime. */
export interface PatternMatches {
  /** Where the policy has it: `waves[0].names[1]` */
  readonly place: string;
  readonly word: string;
  /** What it matches, as people are told of them, and their ids. */
  readonly endpoints: readonly { readonly endpointId: string; readonly label: string }[];
  /** Of so many endpoints the list does not show what is compared. */
  readonly unseen: number;
  /** Only when it matches nothing. `null`: nothing is near. */
  readonly meant: Meant | null;
}

/** The patterns of a policy. Those of its gates the gates know. */
export function patternsOf({
  protect,
  selection,
  waves,
}: Pick<RolloutPolicy, 'protect' | 'selection' | 'waves'>): Pattern[] {
  const { names, ids, exclude } = selection;
  const named = ({ id, name }: Endpoint) => (name === null ? [id] : [name, id]);
  const byName = (word: string) => (endpoint: Endpoint) =>
    matchesName({ id: endpoint.id, name: asSaid(endpoint).name }, [word]);
  const toPatterns = (
    path: Pattern['path'],
    words: readonly string[],
    matcherOf: (word: string) => Pattern['matches'],
    textsOf: Pattern['textsOf'] = named,
  ) =>
    words.map((word, index): Pattern => {
      return { path: [...path, index], word, matches: matcherOf(word), textsOf };
    });
  const toWheres = (
    path: Pattern['path'],
    where: Where = {},
    isMeant: Pattern['matches'] = () => true,
  ) =>
    Object.entries(where).flatMap(([name, said]) =>
      [said].flat().map((word, index): Pattern => {
        const place = [...path, 'where', name];
        return {
          path: typeof said === 'string' ? place : [...place, index],
          word,
          matches: (one) => isMeant(one) && hasAttribute(one, name, word),
          textsOf: (one) => (isMeant(one) ? shownValue(one, name) : []),
        };
      }),
    );
  return [
    ...toPatterns(['selection', 'names'], names, byName),
    ...toPatterns(
      ['selection', 'ids'],
      ids,
      (word) =>
        ({ id }) =>
          id === word,
      ({ id }) => [id],
    ),
    ...toPatterns(['selection', 'exclude'], exclude, byName),
    ...toWheres(['selection'], selection.where),
    ...waves.flatMap((wave, index) =>
      // A wave takes what is selected, and nothing else.
      toPatterns(
        ['waves', index, 'names'],
        'names' in wave ? wave.names : [],
        (word) => (one) => isSelected(one, selection) && byName(word)(one),
        (one) => (isSelected(one, selection) ? named(one) : []),
      ),
    ),
    ...waves.flatMap((wave, index) =>
      toWheres(['waves', index], 'where' in wave ? wave.where : {}, (one) =>
        isSelected(one, selection),
      ),
    ),
    ...protect.flatMap((one, index): Pattern[] => {
      if (typeof one !== 'string') return toWheres(['protect', index], one.where);
      const matches = (endpoint: Endpoint) => protects(one, endpoint);
      return [{ path: ['protect', index], word: one, matches, textsOf: named }];
    }),
  ];
}

function hasAttribute(endpoint: Endpoint, name: string, word: string): boolean {
  const { attributes = {} } = asSaid(endpoint);
  return fits({ attributes }, { [name]: word }) === 'yes';
}

/** `null`: the list does not show it. */
function shownValue({ attributes }: Endpoint, name: string): readonly string[] | null {
  const value = entryOf(attributes, name);
  return value === undefined ? null : [value];
}

/** @param endpoints The whole list of a runtime. */
export function findMatches(
  patterns: readonly Pattern[],
  endpoints: readonly Endpoint[],
): PatternMatches[] {
  let looked = 0;
  return patterns.map(({ path, word, matches, textsOf }) => {
    const matched = endpoints.filter(matches);
    const texts = endpoints.map(textsOf);
    const isNobody = matched.length === 0;
    if (isNobody) looked += 1;
    const known = () => [...new Set(texts.flatMap((each) => each ?? []))];
    return {
      place: placeOf(path),
      word,
      endpoints: matched.map((one) => ({ endpointId: one.id, label: nameOf(one) })),
      unseen: texts.filter((each) => each === null).length,
      meant: isNobody && looked <= MOST_LOOKED_FOR ? meantBy(word, known()) : null,
    };
  });
}

/** With a long list of words, one after the other would be compared with every name of a large fleet. */
const MOST_LOOKED_FOR = 50;

export function placeOf(path: Pattern['path']): string {
  return path
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      return index === 0 ? key : `.${key}`;
    })
    .join('');
}

/** `"web-*" matches 2 endpoints (web-1, web-2)`, without a point. @param of `endpoint of shop` */
export function describeMatches(
  { word, endpoints, unseen, meant }: PatternMatches,
  noun: string,
  of = '',
): string {
  const quoted = JSON.stringify(word);
  if (endpoints.length > 0) {
    const names = listNames(endpoints.map(({ label }) => label));
    return `${quoted} matches ${countOf(endpoints.length, noun)}${of} (${names})`;
  }
  const hidden = unseen === 0 ? '' : `; of ${unseen} the list does not show what is compared`;
  const perhaps = meant === null ? '' : `; ${describeMeant(meant)}`;
  return `${quoted} matches no ${noun}${of}${hidden}${perhaps}`;
}
