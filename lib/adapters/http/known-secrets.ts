import { jsonOf } from '../../contract/input/written-json.ts';
import { TOKEN_VARIABLE } from '../machine/environment.ts';
import { hideSpellings, LONGEST_ESCAPE, type Spelling, spellingsOf } from './hide-secrets.ts';

/**
 * The secrets that this process has used, the last one at the end. Whoever gets one may repeat it, and a proxy or a
 * command repeats it to others. So each is remembered before it is used, and all are hidden in whatever comes from
 * outside, before that is cut.
 */
const used = new Map<string, readonly Spelling[]>();

/** Tokens are replaced all the time, so the secrets that nobody has used for so many others are forgotten. */
const MOST_REMEMBERED = 100;

/** A shorter one is in nearly every text, and would be known by where it is missing. */
const SHORTEST = 4;

/** To be called before each use. From then on the secret is hidden, and so are its parts that work alone. */
export function rememberSecret(secret: string): void {
  for (const one of [secret, ...partsOf(secret)]) {
    const spellings = used.get(one) ?? spellingsOf(one);
    used.delete(one);
    if (one.length >= SHORTEST) used.set(one, spellings);
  }
  for (const oldest of used.keys()) {
    if (used.size <= MOST_REMEMBERED) break;
    used.delete(oldest);
  }
}

/** The password of `user:password`, and the key of a webhook without its prefix. */
function partsOf(secret: string): string[] {
  return [secret.replace(/^whsec_/, ''), /^[^:\s]+:(.+)$/.exec(secret)?.[1] ?? ''];
}

/** A secret was replaced so long ago that nobody has a reason to repeat it. */
export function forgetSecret(secret: string): void {
  for (const one of [secret, ...partsOf(secret)]) used.delete(one);
}

/**
 * A text from outside without any secret that this process knows, in any spelling.
 *
 * @param shortest The fewest characters of a secret that is hidden. @default - each that is remembered is
 */
export function hideKnownSecrets(text: string, shortest = 0): string {
  return hideSpellings(
    text,
    [...known()].flatMap(([secret, spellings]) => (secret.length < shortest ? [] : spellings)),
  );
}

/** Commands may find the token in the environment before it was used. */
function known(): ReadonlyMap<string, readonly Spelling[]> {
  const token = process.env[TOKEN_VARIABLE];
  if (token && !used.has(token)) rememberSecret(token);
  return used;
}

/**
 * The same for the first `length` characters of a text, or a little more.
 *
 * @param isCut Whether the text itself lacks its end. @default false
 */
export function startWithoutSecrets(text: string, length: number, isCut = false): string {
  const lengths = [...known().keys()].map((secret) => secret.length);
  const longest = Math.max(0, ...lengths) * LONGEST_ESCAPE;
  const start = text.slice(0, length + longest);
  const shown = hideKnownSecrets(start);
  if (start.length === text.length && !isCut) return shown;
  // The part that was cut off may have been the rest of a secret.
  return shown.slice(0, Math.max(shown.length - longest, 0));
}

/**
 * What a text in JSON from outside says; `undefined` when it is no JSON.
 *
 * @param told The keys whose values people are told. These are without secrets, and so is all below them.
 */
export function jsonWithoutSecrets(text: string, told: readonly string[]): unknown {
  const json = jsonOf(text);
  // Hardly anybody repeats a secret, so one pass over the text does for nearly all.
  return hideKnownSecrets(text) === text ? json : hideBelow(told, json);
}

function hideBelow(told: readonly string[], json: unknown): unknown {
  return mapEach(json, (value, key) =>
    told.includes(key) ? [key, withoutSecrets(value)] : [key, hideBelow(told, value)],
  );
}

function withoutSecrets(json: unknown): unknown {
  return typeof json === 'string'
    ? hideKnownSecrets(json)
    : mapEach(json, (value, key) => [hideKnownSecrets(key), withoutSecrets(value)]);
}

function mapEach(json: unknown, map: (value: unknown, key: string) => [string, unknown]): unknown {
  if (Array.isArray(json)) return json.map((value) => map(value, '')[1]);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([key, value]) => map(value, key)));
}
