import type { Seconds, Watched } from '../clock.ts';
import { BAKE_LOOK_SECONDS, type LookAgain, soonest } from '../look-again.ts';
import {
  type AskedReading,
  type GateNo,
  type GateWatch,
  type KeptAnswer,
  shorten,
  type WatchedGate,
} from '../rollout/gates.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';
import { WAITS, type Wait } from '../rollout/wait.ts';
import { isWell } from './hearing.ts';
import { stillRed, thatCount } from './red-at-start.ts';

// The waves of a leg stay under their gates from their convergence on. One no may be a mistake, and the next look tells.

/** How often gates are asked when the policy says nothing. */
export const EVERY_SECONDS: Seconds = 60;

/** So many noes are remembered, as many as are heard at once of a wave whose endpoints are all bad. */
const MOST_NOES = 64;

export function areGatesDue({ watch, clock }: Pick<WaveProgress, 'watch' | 'clock'>): boolean {
  return watch === undefined || clock.watched >= watch.dueAt;
}

/**
 * Whether gates may rest while nothing but a person or a window is waited for: all of them said yes to the wave when its bake was over, and
 * it is not time to ask them again.
 *
 * @param wait What was waited for up to this look.
 * @param before The progress of the look before.
 * @param now The progress of this look, before any gate is asked.
 */
export function mayRest(
  wait: Wait | null,
  before: Pick<WaveProgress, 'wave' | 'heard' | 'watch'>,
  now: Pick<WaveProgress, 'watch' | 'clock'>,
): boolean {
  const isForOthers = wait !== null && WAITS[wait.for].restsGates;
  const isSure = isWell(before) && now.watch?.noes.length === 0;
  return isForOthers && wait.wave === before.wave && isSure && !areGatesDue(now);
}

/**
 * What is known of the gates after they were asked. A no counts once the gate says it again, at least `pollSeconds` later:
 * that look comes soon. A yes takes it back, and silence changes nothing. Within the warm-up of a wave no no counts, and
 * before the end of the bake none of a gate that has been red since before the rollout.
 */
export function hearGates(
  { watch, clock, converged, redAtStart, watched = [] }: Heard,
  readings: readonly AskedReading[],
  { verify, pollSeconds }: Pick<RolloutPolicy, 'verify' | 'pollSeconds'>,
  { cursor, hasBaked, wave }: Hearing,
): Pick<WaveProgress, 'redAtStart' | 'watched'> & { readonly watch: GateWatch } {
  const now = clock.watched;
  const { everySeconds = EVERY_SECONDS, warmUpSeconds = 0 } = verify;
  const isWarmingUp = converged !== undefined && now < converged.watched + warmUpSeconds * 1000;
  const red = redAtStart && stillRed(redAtStart, readings);
  const heard = isWarmingUp ? readings.filter(({ verdict }) => verdict !== 'fail') : readings;
  const counting = thatCount(heard, red ?? [], hasBaked);
  const deciding = counting.filter(isDeciding);
  const watching = counting.filter((reading) => !isDeciding(reading));
  const isNo = deciding.some(({ verdict }) => verdict === 'fail');
  const { watchedNoes = [], kept: _, ...before } = watch ?? { noes: [] };
  const standing = noesAfter(watchedNoes, watching, now, pollSeconds);
  const known = noteWatched(watched, watching, standing, { wave, hasBaked, clock });
  const open = standing.filter(({ watches }) =>
    known.every(({ gate, no }) => gate !== watches || no === undefined),
  );
  const own = keptAfter(watch?.kept ?? [], readings, wave);
  const after = {
    ...before,
    dueAt: now + (isNo ? pollSeconds : everySeconds) * 1000,
    cursor,
    noes: noesAfter(before.noes, deciding, now, pollSeconds),
    ...(open.length > 0 && { watchedNoes: open }),
    ...(own.length > 0 && { kept: own }),
  };
  return {
    watch: after,
    ...(red && { redAtStart: red }),
    ...(known.length > 0 && { watched: known }),
  };
}

/**
 * A look may have nothing to ask a gate about, while a later wave rolls. Then what it has said stays. Where nothing but yes
 * was said, the work is done: what is asked after that, while a person is waited for, has a deadline of its own.
 */
function keptAfter(
  before: readonly KeptAnswer[],
  readings: readonly AskedReading[],
  wave: number,
): readonly KeptAnswer[] {
  const isDone = readings.filter(isDeciding).every(({ verdict }) => verdict === 'pass');
  const now = readings.flatMap(({ kept, watches }): KeptAnswer[] => {
    if (kept === undefined) return [];
    const { atWorkSince, ...answer } = kept;
    const isOver = atWorkSince === undefined || (isDone && kept.verdict === 'pass');
    return [{ ...(isOver ? answer : kept), ...(watches !== undefined && { watches }) }];
  });
  const isSaidAgain = (one: KeptAnswer) => now.some((other) => isOf(one, other));
  return [...now, ...before.filter((one) => one.wave === wave && !isSaidAgain(one))];
}

export function isDeciding({ watches }: Pick<AskedReading, 'watches'>): boolean {
  return watches === undefined;
}

function noesAfter(
  before: readonly GateNo[],
  readings: readonly AskedReading[],
  now: Watched,
  pollSeconds: Seconds,
): readonly GateNo[] {
  const said = readings.filter(({ verdict }) => verdict === 'fail');
  const noes = said.map(({ verdict: _, gate: __, ...no }): GateNo => {
    const since = before.find((one) => isOf(no, one))?.since ?? now;
    const isConfirmed = now - since >= pollSeconds * 1000 && { isConfirmed: true as const };
    return { ...no, since, ...isConfirmed };
  });
  const isSaidAgain = (no: GateNo) => noes.some((one) => isOf(one, no));
  const isTakenBack = (no: GateNo) =>
    readings.some((one) => one.verdict === 'pass' && isOf(one, no));
  const kept = before.filter((no) => !isSaidAgain(no) && !isTakenBack(no));
  return [...noes, ...kept].slice(0, MOST_NOES);
}

/** What is known of gates that only watch, after they were asked about a wave that is about to begin: one no counts. */
export function noteAhead(
  before: readonly WatchedGate[],
  readings: readonly AskedReading[],
  { wave, clock }: Pick<Hearing, 'wave'> & Pick<WaveProgress, 'clock'>,
): readonly WatchedGate[] {
  const watching = readings.filter((reading) => !isDeciding(reading));
  const standing = noesAfter([], watching, clock.watched, 0);
  return noteWatched(before, watching, standing, { wave, clock, hasBaked: true });
}

/** Of so many gates that only watch a rollout says how they were. */
const MOST_WATCHED = 20;

/** Of gates that only watch: nobody looks again for their no, which counts when confirmed by the way, or at the end. */
function noteWatched(
  before: readonly WatchedGate[],
  readings: readonly AskedReading[],
  standing: readonly GateNo[],
  { wave, hasBaked, clock }: Pick<Hearing, 'wave' | 'hasBaked'> & Pick<WaveProgress, 'clock'>,
): readonly WatchedGate[] {
  const known = new Map(before.map((one) => [one.gate, one]));
  for (const { verdict, watches = '' } of readings) {
    if (verdict === 'pass' && !known.has(watches)) known.set(watches, { gate: watches });
  }
  for (const { kind, name, detail, since, isConfirmed, watches = '' } of standing) {
    if (!(isConfirmed || hasBaked) || known.get(watches)?.no) continue;
    const at = clock.at - (clock.watched - since);
    const no = { wave, kind, name: shorten(name), detail: shorten(detail), at };
    known.set(watches, { gate: watches, no });
  }
  return [...known.values()]
    .toSorted((one, other) => Number(other.no !== undefined) - Number(one.no !== undefined))
    .slice(0, MOST_WATCHED);
}

type Heard = Pick<WaveProgress, 'watch' | 'clock' | 'converged' | 'redAtStart' | 'watched'>;

interface Hearing {
  /** The wave that the answers are told of, 1-based. */
  readonly wave: number;
  /** Where the next turn begins. */
  readonly cursor: number;
  readonly hasBaked: boolean;
}

type Asked = { readonly [Key in 'kind' | 'name' | 'endpointId']?: string | undefined };

/** Names of endpoints may be alike, or hidden. */
function isOf(one: Asked, other: Asked): boolean {
  const isAlike = one.kind === other.kind && one.name === other.name;
  return isAlike && one.endpointId === other.endpointId;
}

export function confirmedNoes({ watch }: Pick<WaveProgress, 'watch'>): readonly GateNo[] {
  return watch?.noes.filter(({ isConfirmed }) => isConfirmed) ?? [];
}

/** Ids of the endpoints that are asked about again soon, because a gate has said no to them. */
export function askedAgain(progress: Pick<WaveProgress, 'watch'>): ReadonlySet<string> {
  const { watchedNoes = [] } = progress.watch ?? {};
  const suspected = watchedNoes.flatMap(({ endpointId }) => endpointId ?? []);
  return new Set([...accusedOf(progress), ...suspected]);
}

/** Ids of the endpoints to which a gate has said no, and not yes since then. */
export function accusedOf(progress: Pick<WaveProgress, 'watch'> | null): ReadonlySet<string> {
  return new Set(progress?.watch?.noes.flatMap(({ endpointId }) => endpointId ?? []));
}

const TURN_SIZE = 64;

/** Places in a plan that are asked about now, and where the next turn begins. */
export interface Turn {
  readonly places: readonly number[];
  readonly cursor: number;
}

/** The next turn of these places, which rise. Whoever comes last is followed by the first one. */
export function nextTurn(places: readonly number[], cursor: number): Turn {
  if (places.length <= TURN_SIZE) return { places, cursor: 0 };
  const ahead = places.filter((place) => place >= cursor);
  const turn = [...ahead, ...places.filter((place) => place < cursor)].slice(0, TURN_SIZE);
  return { places: turn, cursor: (turn.at(-1) ?? 0) + 1 };
}

/**
 * When to look again at a wave that has baked, because nothing but gates that are at work on their answers keeps it from
 * going on. `null`: something else does, or nothing.
 */
export function waitForWork(
  { watch, clock }: Pick<WaveProgress, 'watch' | 'clock'>,
  readings: readonly AskedReading[],
  { pollSeconds }: Pick<RolloutPolicy, 'pollSeconds'>,
): LookAgain | null {
  const unsaid = readings.filter(({ verdict }) => verdict !== 'pass');
  if (unsaid.length === 0 || !unsaid.every(({ kept }) => kept?.isAtWork)) return null;
  const next = unsaid.map(({ kept }) => ((kept?.standsUntil ?? 0) - clock.watched) / 1000);
  const gates = Math.max(0, ((watch?.dueAt ?? 0) - clock.watched) / 1000);
  return soonest(Math.max(pollSeconds, Math.min(...next, gates)), BAKE_LOOK_SECONDS);
}

export function isGateAtWork({ watch }: Pick<WaveProgress, 'watch'>): boolean {
  return watch?.kept?.some((one) => one.isAtWork && isDeciding(one)) === true;
}
