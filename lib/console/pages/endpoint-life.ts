import type { Fate } from '../../domain/ending/fate.ts';
import { clockTime, dateTime } from '../../domain/local-time.ts';
import type { ToldRollout } from '../desk.ts';
import type { Lane } from './lanes.tsx';

type Endpoint = ToldRollout['report']['endpoints'][number];
type Life = Endpoint['life'];

interface Appearance {
  readonly words: string;
  readonly kind: Lane['parts'][number]['kind'];
}

const LOOKS: Readonly<Record<Life[number]['kind'], Appearance>> = {
  requested: { words: 'asked to roll', kind: 'rolling' },
  refused: { words: 'refused', kind: 'bad' },
  progressing: { words: 'in mid-roll', kind: 'rolling' },
  converged: { words: 'live', kind: 'good' },
  failed: { words: 'in a failed state', kind: 'bad' },
  missing: { words: 'gone from the list', kind: 'bad' },
  reverted: { words: 'on an earlier version', kind: 'bad' },
  'taken-back': { words: 'taken back to an earlier version', kind: 'bad' },
  superseded: { words: 'elsewhere', kind: 'bad' },
  stopped: { words: 'stopped', kind: 'stopped' },
  'back-requested': { words: 'asked to roll back', kind: 'rolling' },
  back: { words: 'back', kind: 'back' },
};

/** `asked to roll 14:05:00Z, live 14:06:10Z`. */
export function lifeInWords(life: Life): string {
  return life.map(({ kind, at }) => `${LOOKS[kind].words} ${clockTime(Date.parse(at))}`).join(', ');
}

/** The life of an endpoint between two times, in milliseconds since the Unix epoch. */
export function laneOf(
  name: string,
  { endpointId, life }: Endpoint,
  from: number,
  to: number,
): Lane {
  const parts = life.map(({ kind, at }, index) => ({
    kind: LOOKS[kind].kind,
    from: Date.parse(at),
    to: Date.parse(life[index + 1]?.at ?? '') || to,
  }));
  const pending = { kind: 'pending', from, to: parts[0]?.from ?? to } as const;
  return { key: endpointId, name, parts: [pending, ...parts], words: lifeInWords(life) };
}

/** `unchanged since 2026-01-01 14:05:00Z`. Empty: nobody knows. */
export function sinceInWords({ life }: Pick<Endpoint, 'life'>): string {
  const last = life.at(-1);
  return last === undefined ? '' : `unchanged since ${dateTime(Date.parse(last.at))}`;
}

/** What spoke against an endpoint before it went back. `null`: nothing. */
export function faultInLife({ life }: Pick<Endpoint, 'life'>): string | null {
  const bad = life.find(({ kind }) => LOOKS[kind].kind === 'bad');
  if (bad !== undefined) return `${LOOKS[bad.kind].words} before`;
  const turn = life.findIndex(({ kind }) => kind === 'back-requested');
  const wasLive = life.slice(0, turn).some(({ kind }) => kind === 'converged');
  return turn < 0 || wasLive ? null : 'was not live before';
}

const FATES_IN_ORDER: readonly (readonly Fate[])[] = [
  ['refused', 'lost', 'not-back', 'kept', 'stop-unsure', 'stopped'],
  ['in-mid-roll'],
];

/**
 * The place of the endpoint that wants people the most: one that has failed, or else one that is on its way, and of
 * several the one that has not changed for the longest time.
 */
export function furthestBehind(endpoints: readonly Endpoint[]): number {
  for (const fates of FATES_IN_ORDER) {
    const behind = endpoints
      .map(({ fate, life }, place) => ({ fate, place, at: life.at(-1)?.at ?? '' }))
      .filter(({ fate }) => fates.includes(fate));
    const [first] = behind.toSorted((one, other) => (one.at < other.at ? -1 : 1));
    if (first !== undefined) return first.place;
  }
  // All are back, and one of them is why.
  const faults = endpoints.map(faultInLife);
  const failed = faults.findIndex((fault) => fault !== null && fault !== 'was not live before');
  return Math.max(0, failed < 0 ? faults.findIndex((fault) => fault !== null) : failed);
}
