import { isStopped, type StatusWords } from '../domain/endpoint/endpoint.ts';
import type { TrueEndpoint } from '../simulation/endpoint.ts';
import { type Call, isWrite } from './calls.ts';

/**
 * How a rehearsal went in which a bad version was live. Times are in seconds, and those of several endpoints are the
 * longest of them. They begin with the sign: the first second in which a gate, or the list, would say no about the
 * endpoint. What nobody could see is nobody's fault.
 */
export interface BadNight {
  /** How long the version was bad. 0: it was gone before it showed. `null`: it was live when the rollout ended. */
  readonly badFor: number | null;
  /** From the first sign of all until the rollout failed. `null`: it did not fail, or it failed before. */
  readonly seenAfter: number | null;
  /** From the sign of an endpoint until its way back was sent. `null`: none was sent. */
  readonly sentBackAfter: number | null;
  /** On how many endpoints the version was still live when the rollout ended. */
  readonly liveAtEnd: number;
  /** Live where it could be seen: its sign came before the rollout failed, or in time for its last bake. */
  readonly isLiveThoughSeen: boolean;
}

/** The longest time between two looks at the gates, and what may pass until a no is confirmed, in seconds. */
const GATES_EVERY_SECONDS = 60;
const CONFIRMED_WITHIN_SECONDS = 10;

/** The bad version, live on one endpoint. Times are milliseconds since the Unix epoch. */
interface Spell {
  readonly endpointId: string;
  readonly since: number;
  signAt: number | null;
  until: number | null;
}

export interface NightWatch {
  /** Looks at the fleet. It must be called just before each write, and now and then in between. */
  look(endpoints: readonly TrueEndpoint[], now: number): void;
  /** Sees what a write did to an endpoint since the fleet was looked at. `null`: there is none any more. */
  see(endpointId: string, endpoint: TrueEndpoint | null, now: number): void;
  /** How it went, once the rollout has ended. `null`: no bad version was live. */
  tell(course: Course): BadNight | null;
}

interface Course {
  readonly calls: readonly Call[];
  /** When it ended or began to contain, in milliseconds since the Unix epoch. */
  readonly forwardUntil: number;
  readonly hasFailed: boolean;
}

interface NightOptions {
  readonly statuses: StatusWords;
  readonly version: number;
  /** Whether the version that is live on an endpoint is the bad one. */
  readonly isBad: (endpoint: TrueEndpoint) => boolean;
  /** When a gate would first have said no to an endpoint on which the version is live since then. `null`: not yet. */
  readonly signOf: (endpoint: TrueEndpoint, since: number, now: number) => number | null;
}

export function watchNight({ statuses, version, isBad, signOf }: NightOptions): NightWatch {
  const spells: Spell[] = [];
  const live = new Map<string, Spell>();
  const begin = ({ id: endpointId, changedAt: since }: TrueEndpoint): Spell => {
    const spell = { endpointId, since, signAt: null, until: null };
    spells.push(spell);
    live.set(endpointId, spell);
    return spell;
  };
  const go = (endpointId: string, changedAt: number) => {
    const spell = live.get(endpointId);
    if (spell === undefined) return;
    spell.until = Math.max(spell.since, changedAt);
    live.delete(endpointId);
  };
  const see = (endpointId: string, endpoint: TrueEndpoint | null, now: number) => {
    if (endpoint === null || !isBad(endpoint) || isStopped(endpoint, statuses)) {
      go(endpointId, endpoint?.changedAt ?? now);
    } else {
      const spell = live.get(endpointId) ?? begin(endpoint);
      spell.signAt ??= signOf(endpoint, spell.since, now);
    }
  };
  return {
    look(endpoints, now) {
      for (const endpoint of endpoints) see(endpoint.id, endpoint, now);
      if (live.size === 0) return;
      const there = new Set(endpoints.map(({ id }) => id));
      for (const id of live.keys()) if (!there.has(id)) see(id, null, now);
    },
    see,
    tell({ calls, forwardUntil, hasFailed }) {
      if (spells.length === 0) return null;
      const signs = spells.flatMap(({ signAt }) => signAt ?? []);
      const seenMs = hasFailed && signs.length > 0 ? forwardUntil - Math.min(...signs) : -1;
      const marginSeconds = hasFailed ? 0 : GATES_EVERY_SECONDS + CONFIRMED_WITHIN_SECONDS;
      const seenBy = forwardUntil - marginSeconds * 1000;
      const open = [...live.values()];
      return {
        badFor: open.length > 0 ? null : Math.max(...spells.map(badSeconds)),
        seenAfter: seenMs < 0 ? null : seconds(seenMs),
        sentBackAfter: longest(spells.flatMap((spell) => sentBackSeconds(spell, version, calls))),
        liveAtEnd: open.length,
        isLiveThoughSeen: open.some(({ signAt }) => signAt !== null && signAt <= seenBy),
      };
    },
  };
}

function badSeconds({ signAt, until }: Spell): number {
  return signAt === null || until === null ? 0 : seconds(until - signAt);
}

/** A way back that was sent before the sign is nothing to wait for. */
function sentBackSeconds(
  { endpointId, since, signAt, until }: Spell,
  version: number,
  calls: readonly Call[],
): number[] {
  if (signAt === null) return [];
  const sent = calls.find(
    (call) =>
      isWrite(call) &&
      call.endpointId === endpointId &&
      call.operation === 'roll' &&
      call.version !== version &&
      call.at >= since &&
      call.at <= (until ?? call.at),
  );
  return sent === undefined ? [] : [seconds(Math.max(0, sent.at - signAt))];
}

function longest(values: readonly number[]): number | null {
  return values.length === 0 ? null : Math.max(...values);
}

function seconds(milliseconds: number): number {
  return Math.max(0, Math.round(milliseconds / 1000));
}
