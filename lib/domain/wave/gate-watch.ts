import type { Seconds } from '../clock.ts';
import type { AskedReading, GateNo, GateWatch } from '../rollout/gates.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { WaveProgress } from '../rollout/record.ts';
import { BAKE_LOOK_SECONDS, type LookAgain, soonest } from './bake.ts';

// The waves of a leg stay under their gates from their convergence on. One no may be a mistake, and the next look tells.

/** How often gates are asked when the policy says nothing. */
export const EVERY_SECONDS: Seconds = 60;

/** So many noes are remembered, as many as are heard at once of a wave whose endpoints are all bad. */
const MOST_NOES = 64;

/** Whether the gates are asked at this look. */
export function areGatesDue({ watch, clock }: Pick<WaveProgress, 'watch' | 'clock'>): boolean {
  return watch === undefined || clock.watched >= watch.dueAt;
}

/**
 * What is known of the gates after they were asked. A no counts once the gate says it again, at least `pollSeconds` later:
 * that look comes soon. A yes takes it back, and silence changes nothing. Within the warm-up of a wave no no counts.
 *
 * @param cursor Where the next turn begins.
 */
export function hearGates(
  { watch, clock, converged }: Pick<WaveProgress, 'watch' | 'clock' | 'converged'>,
  readings: readonly AskedReading[],
  { verify, pollSeconds }: Pick<RolloutPolicy, 'verify' | 'pollSeconds'>,
  cursor: number,
): GateWatch {
  const now = clock.watched;
  const { everySeconds = EVERY_SECONDS, warmUpSeconds = 0 } = verify;
  const isWarmingUp = converged !== undefined && now < converged.watched + warmUpSeconds * 1000;
  const before = watch?.noes ?? [];
  const said = isWarmingUp ? [] : readings.filter(({ verdict }) => verdict === 'fail');
  const noes = said.map(({ kind, name, detail, endpointId }): GateNo => {
    const since = before.find((one) => isOf({ kind, name, endpointId }, one))?.since ?? now;
    const isConfirmed = now - since >= pollSeconds * 1000 && { isConfirmed: true as const };
    return {
      kind,
      name,
      detail,
      ...(endpointId !== undefined && { endpointId }),
      since,
      ...isConfirmed,
    };
  });
  const isSaidAgain = (no: GateNo) => noes.some((one) => isOf(one, no));
  const isTakenBack = (no: GateNo) =>
    readings.some((one) => one.verdict === 'pass' && isOf(one, no));
  const kept = before.filter((no) => !isSaidAgain(no) && !isTakenBack(no));
  const { kept: _, ...rest } = watch ?? {};
  const own = readings.flatMap((one) => one.kept ?? []);
  return {
    ...rest,
    dueAt: now + (noes.length > 0 ? pollSeconds : everySeconds) * 1000,
    cursor,
    noes: [...noes, ...kept].slice(0, MOST_NOES),
    ...(own.length > 0 && { kept: own }),
  };
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

/** Whether a wave that has baked waits for a gate that is at work on its answer. */
export function isGateAtWork({ watch }: Pick<WaveProgress, 'watch'>): boolean {
  return watch?.kept?.some(({ isAtWork }) => isAtWork) === true;
}

type Asked = { readonly [Key in 'kind' | 'name' | 'endpointId']?: string | undefined };

/** Names of endpoints may be alike, or hidden. */
function isOf(one: Asked, other: Asked): boolean {
  const isAlike = one.kind === other.kind && one.name === other.name;
  return isAlike && one.endpointId === other.endpointId;
}

/** The noes that count. */
export function confirmedNoes({ watch }: Pick<WaveProgress, 'watch'>): readonly GateNo[] {
  return watch?.noes.filter(({ isConfirmed }) => isConfirmed) ?? [];
}

/** Ids of the endpoints to which a gate has said no, and not yes since then. */
export function accusedOf(progress: Pick<WaveProgress, 'watch'> | null): ReadonlySet<string> {
  return new Set(progress?.watch?.noes.flatMap(({ endpointId }) => endpointId ?? []));
}

/** So many endpoints are asked about in one turn. */
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
