import { runtimesOfGroup } from '../../contract/config/groups.ts';
import { placeOfField, policyOfRuntime } from '../../contract/config/policies.ts';
import { type Endpoint, listNames } from '../../domain/endpoint/endpoint.ts';
import { entryOf } from '../../domain/keyed.ts';
import { describeMatches, type PatternMatches } from '../../domain/planning/patterns.ts';
import { groupNameOf, nounOf } from '../../domain/rollout/group.ts';
import { matchesOf } from '../../steps/opening/matches.ts';
import type { ListsRead } from './lists.ts';
import type { ConfigCheck, OpenedConfig } from './tried.ts';

/** A word of the configuration, and the runtimes for which it holds. */
interface Word {
  /** `policies.default.protect[0]` */
  readonly place: string;
  readonly word: string;
  readonly found: {
    readonly of: string;
    readonly matches: PatternMatches;
    /** How many its list has. */
    readonly listed: number;
  }[];
  /** Runtimes for which it holds too, of which there is no list. */
  readonly unlisted: string[];
}

/**
 * Whether each word of the policies that is there to match endpoints matches some. One of the policy `default` need not
 * match in every runtime.
 *
 * @param checked The runtimes and the groups.
 */
export function patternChecks(
  checked: readonly string[],
  read: ReadonlyMap<string, ListsRead>,
  config: OpenedConfig['config'],
): ConfigCheck[] {
  const words = new Map<string, Word>();
  // A word of the policy `default` may mean an endpoint of a runtime that nobody has asked for.
  for (const of of new Set([...Object.keys(config.runtimes), ...checked])) {
    const list = checked.includes(of) ? endpointsOf(of, read, config) : null;
    for (const matches of matchesOf(policyOfRuntime(config, of), list ?? [])) {
      const field = /^\w+/.exec(matches.place)?.[0] ?? '';
      const place = `${placeOfField(config, of, field).join('.')}.${matches.place}`;
      const known = words.get(place) ?? { place, word: matches.word, found: [], unlisted: [] };
      words.set(place, known);
      if (list === null) known.unlisted.push(of);
      else known.found.push({ of, matches, listed: list.length });
    }
  }
  return [...words.values()].filter(({ found }) => found.length > 0).map(toCheck);
}

/** `null`: there is no list. The list of a group is in the configuration. */
function endpointsOf(
  of: string,
  read: ReadonlyMap<string, ListsRead>,
  config: OpenedConfig['config'],
): readonly Endpoint[] | null {
  const group = groupNameOf(of);
  if (group !== null) {
    const ids = runtimesOfGroup(config, group) ?? [];
    return ids.map((id) => {
      return { ...asEndpoint(id), attributes: entryOf(config.runtimes, id)?.attributes ?? {} };
    });
  }
  const list = read.get(of);
  return list === undefined || 'error' in list ? null : list.endpoints;
}

function asEndpoint(id: string): Endpoint {
  const unsaid = { version: null, targetVersion: null, liveVersion: null, replicas: null };
  return { id, name: id, ...unsaid, url: null, status: null, statusReason: null };
}

function toCheck({ place, word, found, unlisted }: Word): ConfigCheck {
  const about = {
    ...{ check: 'pattern', of: place },
    matches: found.map(({ of, matches: { endpoints, meant } }) => {
      return { of, endpointIds: endpoints.map(({ endpointId }) => endpointId), meant };
    }),
  };
  const met = found.filter(({ matches }) => matches.endpoints.length > 0);
  if (met.length > 0) {
    const rest = found.length - met.length;
    const sentences = [
      ...met
        .slice(0, MOST_RUNTIMES)
        .map(({ of, matches }) => describeMatches(matches, nounOf(of), ` of ${of}`)),
      ...(met.length > MOST_RUNTIMES ? [`some of ${met.length - MOST_RUNTIMES} more`] : []),
      ...(rest > 0 ? [`none of ${rest} more`] : []),
    ];
    return { ...about, result: 'ok', message: `${sentences.join('; ')}.` };
  }
  const unseen = found.reduce((sum, { matches }) => sum + matches.unseen, 0);
  const meant = found.find(({ matches }) => matches.meant !== null)?.matches.meant ?? null;
  const runtimes = listNames(found.map(({ of }) => of));
  const nobody = { place, word, endpoints: [], unseen, meant };
  const message = describeMatches(nobody, nounOf(found[0]?.of ?? ''), ` of ${runtimes}`);
  const others =
    unlisted.length === 0 ? '' : `; it holds for ${listNames(unlisted)} too, not listed here`;
  // Rings of an attribute that nobody has refuse every rollout.
  const isSure = unlisted.length === 0 && (unseen === 0 || isOfNobody(place, found));
  return { ...about, result: isSure ? 'fault' : 'untried', message: `${message}${others}.` };
}

/** No endpoint has the attribute by which waves mean endpoints. */
function isOfNobody(place: string, found: Word['found']): boolean {
  const isRing = /\.waves\[\d+\]\.where\./.test(place);
  return isRing && found.every(({ matches, listed }) => listed > 0 && matches.unseen === listed);
}

const MOST_RUNTIMES = 3;
