import { type AskedRollout, hasBegun } from '../../../../lib/domain/rollout/record.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { START } from '../../../support/scenario-time.ts';
import { type Ahead, isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { waitsForCheck } from './checks.ts';
import { longestOpeningSeconds } from './opening.ts';

/**
 * A rollout that finds a newer one that has begun is overtaken. Where the newer one waits, it begins only if nobody looks
 * after that one any more, while nothing else goes wrong.
 */
export function newestIsOpened(ordeal: Ordeal, run: Observed): string[] {
  const { ahead, people, lists, opensAfter } = ordeal;
  if (ahead === null || people.length + lists.length > 0 || !isSteady(ordeal)) return [];
  if (ordeal.held !== undefined) return [];
  const { outcome, record, calls, seconds } = run;
  const goneAfter = secondsUntilGone(ahead);
  const longest = longestOpeningSeconds(ordeal);
  if (goneAfter === null) {
    const isOver = outcome.reason === 'Overtaken' && seconds <= longest;
    return isOver && !calls.some(isWrite)
      ? []
      : [`a newer one was ahead, and it ended as ${outcome.reason} after ${seconds} s`];
  }
  if (waitsForCheck(ordeal)) return [];
  // A gate that is red then lets nobody begin.
  if (outcome.reason === 'GateRed')
    return calls.some(isWrite) ? ['a gate was red, and it wrote'] : [];
  const earliest = Math.max(opensAfter, goneAfter);
  const startedAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  const begun = (Number(startedAt) - START) / 1000;
  return begun >= earliest && begun <= earliest + longest
    ? []
    : [`it began after ${begun} s, and had to after ${earliest} s: ${outcome.message}`];
}

/** Of two releases that nobody disturbs, the older one does not begin once the newer one waits or has begun. */
export function newerGoesFirst(ordeal: Ordeal, run: Observed): string[] {
  const { asked, lists, ahead } = ordeal;
  const isAlone = asked === null && lists.length === 0;
  // Who waits for its check has the runtime already.
  if (!isAlone || !isSteady(ordeal) || waitsForCheck(ordeal)) return [];
  const records = [run, ...run.releases].flatMap(({ record }) => record ?? []);
  // One that has nothing to roll ends nobody.
  const newest = records
    .filter(hasBegun)
    .toSorted((one, other) => askedAt(other) - askedAt(one))[0];
  return records.flatMap((older) => {
    const { rolloutId, startedBy } = older.request;
    const began = beganAt(older);
    // Whatever its end was, what is older than the newest one does not begin after it.
    const isAfter = newest !== undefined && Number(beganAt(newest)) < Number(began);
    if (isAfter && startedBy.at < askedAt(newest)) {
      return [`${rolloutId} began after ${newest.request.rolloutId}, which is the newer one`];
    }
    // What was asked for before all of these has a part in when they begin and end.
    // Until the newer one begins, the older one waits.
    if (ahead !== null || began === undefined) return [];
    const openingMs = longestOpeningSeconds(ordeal) * 1000;
    const newer = records.find(
      ({ request, endedAt }) =>
        request.startedBy.at > startedBy.at &&
        request.startedBy.at + openingMs < began &&
        began < Math.min(endedAt ?? Number.POSITIVE_INFINITY, older.endedAt ?? 0),
    );
    return newer === undefined
      ? []
      : [`${rolloutId} goes on, and ${newer.request.rolloutId} is the newer one`];
  });
}

/** Whoever has stood still before its turn looks once more, and does not begin beside a newer release that waits. */
export function latecomerIsOvertaken(ordeal: Ordeal, run: Observed): string[] {
  const { stall, death, clock, ahead, asked, lists, guises, people, latencyMs } = ordeal;
  const isElse = [death, clock, ahead, asked].some((one) => one !== null);
  if (stall === null || stall.isRaced || isElse || lists.length + guises.length > 0) return [];
  const { record, calls, haltedAt, releases } = run;
  const [newer] = people.length === 1 ? releases.flatMap((release) => release.record ?? []) : [];
  const began = record === null ? undefined : beganAt(record);
  if (record === null || newer === undefined || began === undefined || haltedAt === null) return [];
  const movesFrom = haltedAt + stall.seconds * 1000;
  const reads = calls.filter(isList).filter(({ at }) => at > movesFrom && at <= began);
  const looks = [movesFrom, ...reads.map(({ at }) => at)];
  // No step makes such a pause, so the one that began has looked at the requests anew, and has read its list then.
  const isAfresh = looks.some((at, nth) => at - Number(looks[nth - 1]) >= A_LOOK_MS + latencyMs);
  const isThere = newer.startedAt + longestOpeningSeconds(ordeal) * 1000 <= movesFrom;
  const isWaiting = [beganAt(newer), newer.endedAt].every((at) => at == null || at > began);
  // It may take what was asked for much later for a request from the future.
  const isNear = askedAt(newer) <= haltedAt + (PATIENCE_SECONDS - LOOK_SECONDS) * 1000;
  return isAfresh && isThere && isWaiting && isNear && askedAt(newer) > askedAt(record)
    ? [`it began, and ${newer.request.rolloutId} waits, which is the newer one`]
    : [];
}

/** Whoever waits looks again after 15 s at the soonest. */
const A_LOOK_MS = 14_000;

/** Nobody is overtaken but by a newer request. */
export function newerOvertakes({ ahead, stall }: Ordeal, run: Observed): string[] {
  // Whoever takes the runtime of one that stands still is not one of its releases.
  if (stall?.isRaced === true) return [];
  const records = [run, run.earlier, ...run.releases].flatMap((one) => one?.record ?? []);
  const requests = records.map(({ request: { rolloutId, desiredVersion, startedBy } }) => {
    return { rolloutId, version: desiredVersion ?? 0, at: startedBy.at };
  });
  const others =
    ahead === null ? [] : [{ ...ahead, rolloutId: 'ahead', at: START + ahead.askedAfter * 1000 }];
  return requests
    .filter((_, index) => records[index]?.outcome?.reason === 'Overtaken')
    .filter((one) => ![...requests, ...others].some((other) => isNewer(other, one)))
    .map(({ rolloutId }) => `${rolloutId} was overtaken, and nobody is newer`);
}

interface DatedVersion {
  readonly rolloutId: string;
  readonly version: number;
  readonly at: number;
}

/** Of two at the same time, the one for the higher version; of the same version, the one with the later id. */
function isNewer(one: DatedVersion, other: DatedVersion): boolean {
  if (one.at !== other.at) return one.at > other.at;
  if (one.version !== other.version) return one.version > other.version;
  return one.rolloutId > other.rolloutId;
}

function askedAt({ request }: AskedRollout): number {
  return request.startedBy.at;
}

function beganAt({ events }: AskedRollout): number | undefined {
  return events.find(({ kind }) => kind === 'started')?.at;
}

/** Seconds until it sees that the newer one is gone; 0: it has to respect none. `null`: it is overtaken at once, by one that has begun. */
function secondsUntilGone({ version, askedAfter, wakesAfter, state }: Ahead): number | null {
  // Of two at the same time, the one for the higher version is newer. This one has the later id.
  const isNewer = askedAfter > 0 || (askedAfter === 0 && version > 2);
  if (!isNewer || askedAfter > PATIENCE_SECONDS) return 0;
  if (wakesAfter === null) return null;
  if (state === 'taken back' || wakesAfter + PATIENCE_SECONDS < 0) return 0;
  // It waits behind the newer one, looks once that one has looked, and then until it is gone.
  const first = wakesAfter > LOOK_SECONDS ? wakesAfter : 0;
  const looks = Math.floor((wakesAfter + PATIENCE_SECONDS - first) / LOOK_SECONDS) + 1;
  return first + looks * LOOK_SECONDS;
}

/** A clock may be wrong by so much, and who should be awake is waited for as long. */
const PATIENCE_SECONDS = 300;

const LOOK_SECONDS = 15;
