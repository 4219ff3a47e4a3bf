import type { LATEST } from './request.ts';

/** Step Functions allows 80 characters: 40 of the runtime, a version of 17 digits, the hash, and what is between them. */
const RUNTIME_LENGTH = 40;
const HASH_LENGTH = 20;

/** So many characters of a hash are shown at least: fewer are soon those of another rollout, too. */
const SHORTEST_HASH = 4;

const HASHED = new RegExp(`-([0-9a-f]{${HASH_LENGTH}})$`);

interface Named {
  readonly runtimeId: string;
  /** @default - nobody knows it yet */
  readonly version?: number | typeof LATEST | null | undefined;
}

/**
 * The id of a rollout, which is the name of its execution: `shop-v2-3f9a…`. The runtime and the version are for people, and the
 * hash tells ids apart.
 *
 * @param hash At least 20 hexadecimal digits: the same for the same start.
 */
export function nameRollout({ runtimeId, version }: Named, hash: string): string {
  // A name that begins with a hyphen would be an option of the command line.
  const runtime = runtimeId.replace(/[^\w.-]/g, '-').replace(/^[^A-Za-z0-9]+/, '');
  const known = typeof version === 'number' ? [`v${version}`] : [];
  return [runtime.slice(0, RUNTIME_LENGTH) || 'rollout', ...known, hash.slice(0, HASH_LENGTH)].join(
    '-',
  );
}

/** Each id with as many characters of its hash as tell it apart from the others. An id without a hash stays as it is. */
export function abbreviateIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const hashes = [...new Set(ids)].map((id) => hashOf(id) ?? '').sort();
  return new Map(
    ids.map((id) => {
      const hash = hashOf(id);
      if (hash === undefined) return [id, id];
      const place = hashes.indexOf(hash);
      const others = [hashes[place - 1] ?? '', hashes[place + 1] ?? ''];
      const shared = Math.max(...others.map((other) => sharedLength(hash, other)));
      const left = hash.length - Math.max(SHORTEST_HASH, shared + 1);
      return [id, left > 0 ? id.slice(0, -left) : id];
    }),
  );
}

function sharedLength(one: string, other: string): number {
  const end = [...one].findIndex((character, index) => character !== other[index]);
  return end === -1 ? one.length : end;
}

/** The ids that a text may mean: their beginning, or at least 4 characters of the beginning of their hash. */
export function idsMeant(text: string, ids: readonly string[]): string[] {
  const isHash = text.length >= SHORTEST_HASH;
  return [...new Set(ids)].filter(
    (id) => id.startsWith(text) || (isHash && hashOf(id)?.startsWith(text) === true),
  );
}

/** Whether it may be the beginning of an id: a whole one ends in a whole hash. */
export function isWholeId(text: string): boolean {
  return hashOf(text) !== undefined;
}

function hashOf(id: string): string | undefined {
  return HASHED.exec(id)?.[1];
}
