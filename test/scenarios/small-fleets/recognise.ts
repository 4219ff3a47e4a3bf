import { createHash } from 'node:crypto';
import type { Position } from '../../../lib/contract/flow/position.ts';
import type { Watched } from '../../../lib/domain/clock.ts';
import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import {
  type AskedRollout,
  clockOf,
  type WaveProgress,
  wasOpened,
} from '../../../lib/domain/rollout/record.ts';
import { isList, isWrite } from '../../../lib/rehearsal/calls.ts';
import { followBothWays } from '../../support/mid-roll-invariant.ts';
import { allConverged, isForeign, wayOf } from '../../support/read-evidence.ts';
import { POLL_SECONDS } from './configuration.ts';
import { ALWAYS, outcomeOf } from './judge.ts';
import { holdersIn, rolloutIn, type Situation } from './situation.ts';

/** Two situations with the same fingerprint go on in the same ways, so whatever can follow is walked through once. */
export function fingerprintOf(situation: Situation): string {
  return createHash('md5').update(portraitOf(situation)).digest('base64');
}

/**
 * What a situation is, without what makes no difference: sentences for people, counts of looks, and how long ago
 * something was that is long ago. `walk` can doubt it, and then sees whether anything was left out that counts.
 */
export function portraitOf(situation: Situation): string {
  const { state, input, now, memory, fleet, left, past } = situation;
  const { shown, isDisturbed, wasSlow, abortedAfter, moved, paused } = past;
  // Nothing follows.
  const outcome = outcomeOf(situation);
  if (outcome !== null) return [outcome.outcome, outcome.reason, outcome.cleanup].join();
  const known = rolloutIn(memory);
  return JSON.stringify([
    state,
    pictureOfPosition(input as Partial<Position>, known?.progress?.looks),
    fleet.map(pictureOf),
    [...left].sort(),
    // Of a rollout that may fail nobody asks how slow its endpoints were.
    isDisturbed || wasSlow,
    isDisturbed,
    left.has('stale') && shown.map(pictureOf),
    [abortedAfter === null, moved],
    paused && (paused.liftedAfter === null ? paused.waits : 'over'),
    known && pictureOfRollout(known, now),
    holdersIn(memory),
    remember(situation),
  ]);
}

/** Everything else of an endpoint is always the same. */
function pictureOf({ id, targetVersion, liveVersion, status }: Endpoint): string {
  return `${id} ${targetVersion} ${liveVersion} ${status}`;
}

/** Of looks it says only whether there was one since. */
function pictureOfPosition(
  { ending, execution: _, looks, ...position }: Partial<Position>,
  looked: number | undefined,
): unknown {
  return [position, looks === looked, ending?.outcome, ending?.reason];
}

function pictureOfRollout(known: AskedRollout, now: number): unknown {
  const { request, epoch, opening, wait, plan, rollback, progress, journal, signals } = known;
  const { events, unsent, outcome } = known;
  const clock = clockOf(known, now);
  return [
    [
      request.desiredVersion,
      request.endpointUrl,
      request.policy !== null,
      epoch,
      opening && wait?.for,
    ],
    plan && written(plan),
    rollback && [written(rollback.plan), rollback.cause.reason],
    progress && pictureOfProgress(progress, now),
    // The writes since the last look have moved the clock on, too.
    [ageOf(clock.at, now), clock.watched - (progress?.clock.watched ?? 0)],
    pictureOfJournal(journal, clock.watched),
    signals.map(({ kind, onFailure }) => [kind, onFailure]),
    events.map(({ eventId }) => eventId),
    unsent,
    outcome && [outcome.outcome, outcome.reason, outcome.cleanup],
  ];
}

/** The text of a plan. Plans are not changed, and the same ones are there in most situations. */
function written(plan: object): string {
  const text = TEXTS.get(plan) ?? JSON.stringify(plan);
  TEXTS.set(plan, text);
  return text;
}

const TEXTS = new WeakMap<object, string>();

function pictureOfProgress(progress: WaveProgress, now: number): unknown {
  const { clock, readAt: _, observations, ...others } = progress;
  // How long rolls take sets only how soon somebody looks, and every wait is a minute here. What gates answered and
  // since when an endpoint has not changed is for people. When a wave converged counts for metrics, and there are none.
  const { looks, fastestRollMs, learntRollMs, usualRollMs, ...known } = others;
  const { resumed, gates, converged, ...rest } = known;
  return [
    rest,
    ageOf(clock.at, now),
    observations.map(({ reads, since, changedAt: _, ...observation }) => [
      observation,
      Math.min(reads, MOST_READS),
      since !== undefined && ageOf(since, clock.watched),
    ]),
  ];
}

/** Of several lines for one endpoint and operation, only the last one says when. */
function pictureOfJournal(journal: readonly JournalEntry[], now: Watched): unknown {
  const last = new Map(journal.map((line) => [`${line.operation} ${line.endpointId}`, line]));
  return journal.map((line) => {
    const { operation, endpointId, result, reason, watched } = line;
    const isLast = last.get(`${operation} ${endpointId}`) === line;
    return [operation, endpointId, result, reason, isLast && ageOf(watched, now)];
  });
}

/** No decision asks for more reads in a row. */
const MOST_READS = 3;

/** What is compared with the age of anything is at most a minute, or a wait. */
const OLD_MS = 2 * POLL_SECONDS * 1000;

function ageOf(instant: number, now: number): number {
  return Math.min(now - instant, OLD_MS);
}

/** What the invariants need of the past: they judge all calls since the beginning. */
function remember({ memory, past, now }: Situation): unknown {
  const { calls, told } = past;
  const known = rolloutIn(memory);
  const record = known !== null && wasOpened(known) ? known : null;
  const reads = calls.filter(isList);
  const writes = calls.filter(isWrite).map(({ operation, endpointId, version, answer }) => {
    return `${operation} ${endpointId} ${version} ${answer}`;
  });
  const { open } = followBothWays({ calls, record, ...ALWAYS });
  const planned = record === null ? [] : [...wayOf(record, false)];
  const rowsOf = (id: string) =>
    reads.flatMap(({ endpoints }) => endpoints?.find((one) => one.id === id) ?? []);
  return [
    reads.at(-1)?.endpoints?.map(pictureOf),
    calls.at(-1)?.operation,
    writes.sort(),
    open.map((each) =>
      [...each].map(([id, { rolledAt, reads, since, ...rest }]) => {
        const missingFor = rest.state === 'missing' && ageOf(since, now);
        return [id, rest, ageOf(rolledAt, now), Math.min(reads, MOST_READS), missingFor];
      }),
    ),
    planned.flatMap(([id, one]) => (rowsOf(id).some((row) => isForeign(row, one)) ? [id] : [])),
    told.at(-1)?.eventId,
    record?.plan?.waves.map(({ to }) => {
      const planned = record.plan?.endpoints.slice(0, to) ?? [];
      const { policy } = record.request;
      const isThere = reads.map((read) => allConverged(read, planned, policy));
      const first = reads[isThere.indexOf(true)];
      const hasBaked = first !== undefined && now - first.at >= policy.bakeSeconds * 1000;
      return [first !== undefined, hasBaked, ...isThere.slice(-2)];
    }),
  ];
}
