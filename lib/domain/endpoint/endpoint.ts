import { matchesGlob } from '../glob.ts';
import type { Stored } from '../stored.ts';
import type { Attributes } from './attributes.ts';
import { TROUBLES, type Trouble } from './condition.ts';
import type { plannedEndpoint } from './stored.ts';

/** Key of what the service said word for word. JSON leaves it out, so nothing that is stored, sent or printed has it. */
export const SAID = Symbol('said');

/** Key that says that a service tells no targets. As `SAID`, it is for decisions alone, and nothing stores or shows it. */
export const NO_TARGET = Symbol('no target');

/**
 * One read of one endpoint. In name, URL, status and reason a credential that the service repeats is hidden. `null` means
 * that the service did not say it; a value is never guessed.
 */
export interface Endpoint {
  readonly id: string;
  readonly name: string | null;
  /** The version that the service calls the endpoint's own. Informative: no decision uses it. */
  readonly version: number | null;
  /** What the service says the endpoint is moving to. */
  readonly targetVersion: number | null;
  /** What the service says is serving now. Some services say 0 before the first version is live. */
  readonly liveVersion: number | null;
  readonly replicas: number | null;
  readonly url: string | null;
  readonly status: string | null;
  /** Why the status is what it is, in the words of the service. Informative: no decision uses it. */
  readonly statusReason: string | null;
  /** What waves, selections and protections may mean it by. @default - nobody has said any */
  readonly attributes?: Attributes;
  /** It stays as it is, so one read is enough. Only runtimes of a group have it. @default - it may change */
  readonly isFinal?: true;
  /** It got to the version and is no good. Only runtimes of a group have it. @default - nobody says so */
  readonly isBad?: true;
  /** Its rollout was refused, for this reason, so it was never rolled. Only runtimes of a group have it. @default - it was not */
  readonly refused?: string;
  /** Another rollout has it now. Only runtimes of a group have it. @default - nobody says so */
  readonly isTaken?: true;
  /** People cannot tell it from another one of the runtime by its name. Whole lists say so. @default - they can */
  readonly sharesName?: true;
  /** It can be rolled only when it has come to rest. Only runtimes of a group have it. @default - it may be rolled */
  readonly isBusy?: true;
  /** Only decisions may read it. @default - nothing was hidden */
  readonly [SAID]?: Said;
  /** Its service never tells targets, so that the live version alone says where it is. @default - it does */
  readonly [NO_TARGET]?: true;
}

/** The target, or where the service tells none the live version. `null`: the list does not say it. */
export function targetOf(endpoint: Endpoint): number | null {
  return endpoint[NO_TARGET] ? endpoint.liveVersion : endpoint.targetVersion;
}

type Said = Pick<Endpoint, 'name' | 'url' | 'status' | 'attributes'>;

/** The words of the service, for decisions: a name in which something is hidden matches other patterns. */
export function asSaid<T extends Partial<Said>>(
  endpoint: T & { readonly [SAID]?: Said },
): Pick<Said, keyof T & keyof Said> {
  return endpoint[SAID] ?? (endpoint as Pick<Said, keyof T & keyof Said>);
}

/** One page of a list. `null` means that the service did not say. */
export interface EndpointPage {
  readonly endpoints: readonly Endpoint[];
  readonly page: number | null;
  readonly size: number | null;
  readonly totalPages: number | null;
  readonly totalEndpoints: number | null;
}

const LONGEST_ID = 256;

/**
 * Why the id of a runtime or an endpoint cannot stand as one segment of a path; `null` when it can. Ids are opaque,
 * but `..` stays `..` when it is encoded and would address something else.
 */
export function faultOfId(id: string): string | null {
  if (id === '') return 'it is empty';
  if (id.length > LONGEST_ID) return `it is longer than ${LONGEST_ID} characters`;
  if (id === '.' || id === '..') return 'it would address another path';
  if (/\p{Cc}/u.test(id)) return 'it has control characters';
  return id.isWellFormed() ? null : 'it has half a surrogate pair';
}

/** Status words of the service, compared without case; `*` stands for any run of characters. */
export interface StatusWords {
  readonly failed: readonly string[];
  readonly stopped: readonly string[];
  /** Status words of endpoints that certainly answer their callers. */
  readonly serving: readonly string[];
  /** Status words of endpoints that the service is at work on, so that it may refuse to roll them for now. */
  readonly busy: readonly string[];
  /** What follows when an endpoint is live with a word that nobody knows: the wave waits, or goes on. */
  readonly unknown: UnknownStatus;
}

export const UNKNOWN_STATUS = ['wait', 'accept'] as const;
export type UnknownStatus = (typeof UNKNOWN_STATUS)[number];

/** An endpoint of a frozen plan, as it was before the plan's first write. */
export interface PlannedEndpoint extends Stored<typeof plannedEndpoint> {
  /** Only while the plan is drawn. @default - nothing was hidden, or the plan was stored */
  readonly [SAID]?: Said;
}

/** A status that is a known failure. An unknown or missing status is neither good nor bad. */
export function isFailed(endpoint: Endpoint, statuses: StatusWords): boolean {
  return matchesAny(asSaid(endpoint).status, statuses.failed);
}

export function isStopped(endpoint: Endpoint, statuses: StatusWords): boolean {
  return matchesAny(asSaid(endpoint).status, statuses.stopped);
}

export function troublesOf(endpoint: Endpoint, statuses: StatusWords): readonly Trouble[] {
  const isSo = { failed: isFailed(endpoint, statuses), dark: endpoint.replicas === 0 };
  return TROUBLES.filter((trouble) => isSo[trouble]);
}

/** The service is at work on it: its status says so, or it is on its way. An endpoint that has failed is at rest. */
export function isBusy(endpoint: Endpoint, statuses: StatusWords): boolean {
  const { targetVersion, liveVersion, status } = endpoint;
  const isMoving = targetVersion !== null && targetVersion !== liveVersion;
  const isAtWork = endpoint.isBusy === true || isMoving || matchesAny(status, statuses.busy);
  return isAtWork && !isFailed(endpoint, statuses);
}

/**
 * The target, live and desired versions are equal, the status is neither a known failure nor stopped, and the
 * endpoint is not known to have 0 replicas. Fewer replicas than before are no failure: autoscaling may have removed
 * them, and nothing says how many there should be.
 */
export function isConverged(
  endpoint: Endpoint,
  desiredVersion: number,
  statuses: StatusWords,
): boolean {
  return (
    targetOf(endpoint) === desiredVersion &&
    endpoint.liveVersion === desiredVersion &&
    endpoint.replicas !== 0 &&
    !isFailed(endpoint, statuses) &&
    !isStopped(endpoint, statuses)
  );
}

/** Whether a status is one of these words. A status that is not shown matches none. */
export function matchesAny(status: string | null, words: readonly string[]): boolean {
  if (status === null) return false;
  const known = verdictsOn(words);
  const verdict = known.get(status);
  if (verdict !== undefined) return verdict;
  const folded = status.toLowerCase();
  const isOneOfThem = words.some((word) => matchesGlob(word.toLowerCase(), folded));
  // A service that never shows the same status twice must not fill the memory.
  if (known.size < MOST_REMEMBERED) known.set(status, isOneOfThem);
  return isOneOfThem;
}

const MOST_REMEMBERED = 1_000;

/** A fleet shows a few statuses, again and again, so each is compared once with each list of words. */
const verdicts = new WeakMap<readonly string[], Map<string, boolean>>();

function verdictsOn(words: readonly string[]): Map<string, boolean> {
  const known = verdicts.get(words) ?? new Map<string, boolean>();
  if (known.size === 0) verdicts.set(words, known);
  return known;
}

/** Before an id, it says that the text is no name. */
export const ID_PREFIX = 'id:';

type Named = { readonly endpoint: Endpoint } | { readonly found: number; readonly fault: string };

/**
 * The one endpoint that a person means by its name or its id. `id:ID` is only ever an id. When the text fits no
 * endpoint, or more than one, it answers how many, and why that is not enough.
 *
 * @param endpoints All endpoints of the runtime: in a part of them, a name may look as if only one had it.
 */
export function endpointNamed(endpoints: readonly Endpoint[], said: string): Named {
  const isMeant = said.startsWith(ID_PREFIX)
    ? ({ id }: Endpoint) => id === said.slice(ID_PREFIX.length)
    : (endpoint: Endpoint) => [endpoint.id, endpoint.name, asSaid(endpoint).name].includes(said);
  const found = endpoints.filter(isMeant);
  const [endpoint] = found;
  if (endpoint === undefined) return { found: 0, fault: 'the runtime has no such endpoint' };
  if (found.length === 1) return { endpoint };
  const which = found.map(({ id }) => JSON.stringify(`${ID_PREFIX}${id}`)).join(' and ');
  return { found: found.length, fault: `${found.length} endpoints are called so, ${which}` };
}

const MOST_NAMES = 3;

/** `web-03`, `web-03, web-04`, `web-03, web-04, web-05 and 7 more`. */
export function listNames(names: readonly string[], most = MOST_NAMES, between = ', '): string {
  const shown = names.slice(0, most).join(between);
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
