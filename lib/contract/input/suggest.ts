import type * as z from 'zod';

/** ` (did you mean --waves?)` with the candidate that is most similar to a word, or nothing. */
export function suggest(word: string, candidates: readonly string[]): string {
  const candidate = closest(word, candidates);
  return candidate === undefined ? '' : ` (did you mean ${candidate}?)`;
}

/** The candidate that was probably meant, because it is very similar to the word. */
export function closest(word: string, candidates: readonly string[]): string | undefined {
  const [best] = candidates
    .map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
    .toSorted((one, other) => one.distance - other.distance);
  if (best !== undefined && best.distance <= Math.max(1, Math.floor(word.length / 3))) {
    return best.candidate;
  }
  // The plural is meant, however many letters it has more: `policies` for `policy`.
  const plural = `${word.replace(/y$/, 'ie')}s`;
  return candidates.find((candidate) => candidate === plural);
}

/** The edit distance, in which a swap counts once. Commander has the same function and does not export it. */
function distanceOf(one: string, other: string): number {
  const rows: number[][] = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const at = (up: number, left: number) => (rows[i - up] ?? row)[j - left] ?? 0;
      const isSwap = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        at(1, 0) + 1,
        (row[j - 1] ?? 0) + 1,
        at(1, 1) + (one[i - 1] === other[j - 1] ? 0 : 1),
        isSwap ? at(2, 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    rows.push(row);
  }
  return rows.at(-1)?.at(-1) ?? 0;
}

/** What a JSON Schema says of the keys below a place. */
interface Node {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly additionalProperties?: Node | boolean;
  readonly items?: Node;
  readonly anyOf?: readonly Node[];
  readonly oneOf?: readonly Node[];
  readonly allOf?: readonly Node[];
}

/** The keys that an object at this place of the input may have. Of a union: those of all its branches. */
export function keysAt(schema: z.ZodType, path: readonly PropertyKey[]): string[] {
  const root = schema.toJSONSchema({ io: 'input', unrepresentable: 'any' }) as Node & {
    readonly $defs?: Readonly<Record<string, Node>>;
  };
  const named = ({ $ref = '' }: Node) => root.$defs?.[$ref.replace('#/$defs/', '')];
  const branchesOf = (node: Node): Node[] => {
    const { anyOf = [], oneOf = [], allOf = [] } = node;
    const others = [...anyOf, ...oneOf, ...allOf, ...[named(node) ?? []].flat()];
    return [node, ...others.flatMap(branchesOf)];
  };
  const below = (node: Node, key: PropertyKey): Node[] =>
    branchesOf(node).flatMap(({ properties, items, additionalProperties }) => {
      if (typeof key === 'number') return items ?? [];
      const own = properties?.[String(key)];
      if (own !== undefined) return own;
      return typeof additionalProperties === 'object' ? additionalProperties : [];
    });
  const places = path.reduce<Node[]>(
    (nodes, key) => nodes.flatMap((node) => below(node, key)),
    [root],
  );
  const keys = places.flatMap(branchesOf).flatMap(({ properties = {} }) => Object.keys(properties));
  return [...new Set(keys)];
}
