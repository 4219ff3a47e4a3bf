import {
  type Endpoint,
  isFailed,
  type StatusWords,
} from '../../../../lib/domain/endpoint/endpoint.ts';
import { type Call, isList, isWrite, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import {
  hasConverged,
  hasLetGo,
  isRollBack,
  isWhole,
  REFUSED,
} from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { type Ordeal, toleratesLosses } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { asksForLong } from '../wire/as-judged.ts';
import { heardMs, heldMs, pausesOf } from './holds.ts';
import { isPlain } from './plain.ts';

/** A step with its retries may take so long beside its wait. */
const STEP_SECONDS = 120;

const PLAIN_SECONDS = 5;

/** A process may come this late after its wait before a look. If it comes later, nobody watched. */
const LATE_SECONDS = 30;

/** A clock that jumps there and back may cost so much: a longer jump does not count at all. */
const JUMP_SECONDS = 61;

/** A07: no rollout ends because of a limit of its execution. */
export function endsForNoLimit(_: Ordeal, { outcome }: ScenarioResult): string[] {
  return outcome.reason === 'TIMED_OUT' ? ['it ended because of a limit of its execution'] : [];
}

/** A clock that is off takes a hold for one that is over, or for one that is not. */
function misreadsHolds({ clock, held }: Ordeal): boolean {
  return clock !== null && held !== undefined;
}

/** What is stuck is judged when its deadline is due. */
export function deadlineIsKept(ordeal: Ordeal, run: Observed): string[] {
  const { progressDeadlineSeconds: deadline } = ordeal.policy;
  // What may be lost is not waited for.
  if (toleratesLosses(ordeal) || misreadsHolds(ordeal) || hasLetGo(run)) return [];
  const { longest, stuckFor } = watchForward(ordeal, run);
  // Where only the version is bad, no step needs another try.
  const slack = isPlain(ordeal) ? PLAIN_SECONDS : 2 * longest + STEP_SECONDS;
  const latest = deadline + slack + ordeal.latencyMs / 50;
  return stuckFor > latest
    ? [`it was watched for ${stuckFor} s without progress, ${latest} s at most were due`]
    : [];
}

/** What is stuck is not judged before somebody has watched it for as long as its deadline says. */
export function stallIsWatched(ordeal: Ordeal, run: Observed): string[] {
  const { progressDeadlineSeconds: deadline } = ordeal.policy;
  // When somebody else moved endpoints, or a list says nothing of versions, nobody can say what was progress.
  const isBlind = ordeal.lists.some(({ kind }) => kind === 'blind');
  const isMoved = ordeal.people.length > 0 || run.rolledBack.length > 0;
  const isUnclear =
    isBlind || isMoved || misreadsHolds(ordeal) || isAnyRollUnsent(run) || asksForLong(ordeal);
  if (run.outcome.reason !== 'Stalled' || isUnclear) return [];
  const { atMost } = watchForward(ordeal, run);
  const isOff = ordeal.clock !== null;
  return atMost < deadline - (isOff ? JUMP_SECONDS : 1)
    ? [`it stalled after ${atMost} s of ${deadline} s that it had`]
    : [];
}

/** A step died between noting a roll and sending it: for the rollout, its endpoint got further then. */
function isAnyRollUnsent({ record, calls }: ScenarioResult): boolean {
  const isRoll = ({ operation }: { readonly operation: string }) => operation === 'roll';
  const meant = record?.journal.filter((line) => isRoll(line) && line.result === 'intended') ?? [];
  return meant.length > calls.filter(isRoll).length;
}

const NO_WORDS: StatusWords = {
  failed: [],
  stopped: [],
  serving: [],
  busy: [],
  unknown: 'accept',
};

/** A call that takes no longer than this is waited for, and nobody has stood still. */
const LONGEST_CALL_SECONDS = 120;

function slowCallIn({ stall }: Ordeal): number {
  return stall !== null && stall.seconds <= LONGEST_CALL_SECONDS ? stall.seconds : 0;
}

interface Watch {
  /** Seconds between two looks, if the policy is kept. */
  readonly longest: number;
  /** The longest time for which rolled endpoints were watched, none of which changed. */
  readonly stuckFor: number;
  /** The longest time that anybody can have watched in which none of them got further. */
  readonly atMost: number;
}

/** What the reads on the way forward show, until it turns around or cleans up. */
function watchForward(ordeal: Ordeal, run: Observed): Watch {
  const { policy, people } = ordeal;
  const pauses = pausesOf(ordeal, run);
  const { record } = run;
  const statuses = record?.request.policy?.statuses ?? NO_WORDS;
  const longest = Math.max(policy.pollSeconds, policy.maxPollSeconds);
  const rolled = new Set<string>();
  /** Rolled, and not only refused: a refused roll is no progress. */
  const sent = new Set<string>();
  /** Their target was the version in a read. */
  const targeted = new Set<string>();
  const seen = new Set<string>();
  /** How many reads in a row have shown each of them live. */
  const live = new Map<string, number>();
  /** How far each of them has ever got. */
  const best = new Map<string, number>();
  const slow = slowCallIn(ordeal);
  const watch = { longest, stuckFor: 0, atMost: 0 };
  const moved = new Set(people.flatMap((act) => ('endpoint' in act ? [act.endpoint] : [])));
  let furthest = 0;
  let since = 0;
  let atMost = 0;
  let readAt = run.calls[0]?.at ?? 0;
  let hasFailed = false;

  /** How far they have ever got, all together, with one more look. */
  const reachWith = (ours: readonly Endpoint[]): number => {
    for (const endpoint of ours) {
      const { id, targetVersion } = endpoint;
      // What showed the target before has fallen back now, or the answer is old: that is no way further.
      const hasFallenBack = targetVersion !== 2 && targeted.has(id);
      if (targetVersion === 2) targeted.add(id);
      // What fails at once has not got further, not even by being rolled.
      if (isFailed(endpoint, statuses) || hasFallenBack) continue;
      const rank = Number(sent.has(id)) + rankOf(endpoint);
      best.set(id, Math.max(rank, best.get(id) ?? 0));
    }
    return [...best.values()].reduce((sum, rank) => sum + rank, 0);
  };

  const look = (at: number, endpoints: readonly Endpoint[], isBelieved: boolean) => {
    const passed = (at - readAt) / 1000;
    const ours = endpoints.filter(({ id }) => rolled.has(id));
    // Somebody else may move an endpoint to where this rollout wants it: it gets further by that, too.
    const others = endpoints.filter(({ id, name }) => !rolled.has(id) && moved.has(name ?? ''));
    const known = [...ours, ...others].map((endpoint) => {
      // The second read that confirms a convergence is progress, too.
      const reads = isThere(endpoint) ? Math.min(2, (live.get(endpoint.id) ?? 0) + 1) : 0;
      live.set(endpoint.id, reads);
      return `${textOf(endpoint)} ${reads}`;
    });
    const isNew = known.some((text) => !seen.has(text));
    for (const text of known) seen.add(text);
    const reach = isBelieved ? reachWith(ours) : furthest;
    // Under a pause the deadline stands still.
    const isPaused = heldMs(pauses, readAt, at) > 0;
    const watched = hasFailed || isPaused ? 0 : Math.min(passed, longest);
    since = isNew || ours.every(isThere) ? 0 : since + watched;
    watch.stuckFor = Math.max(watch.stuckFor, since);
    const counted = passed - heardMs(run, pauses, readAt, at) / 1000;
    atMost = reach > furthest ? 0 : atMost + Math.min(counted, longest + LATE_SECONDS + slow);
    watch.atMost = Math.max(watch.atMost, atMost);
    furthest = Math.max(furthest, reach);
    readAt = at;
    hasFailed = false;
  };

  for (const call of wayForward(run)) {
    if (isWrite(call)) {
      rolled.add(call.endpointId);
      if (!REFUSED.has(call.answer ?? '')) sent.add(call.endpointId);
      since = 0;
    }
    if (isList(call) && call.endpoints === null) hasFailed = true;
    if (isList(call) && call.endpoints !== null) {
      look(call.at, call.endpoints, isBelieved(call, record));
    }
  }
  return watch;
}

/** A list that leaves out too much proves nothing. */
function isBelieved(read: ListCall, record: ScenarioResult['record']): boolean {
  return record !== null && isWhole(read, record);
}

function wayForward({ calls, record, turnedAt }: ScenarioResult): readonly Call[] {
  const end = calls.findIndex(
    (call) =>
      call.operation === 'stop' ||
      call.operation === 'close' ||
      call.at > (turnedAt ?? Number.POSITIVE_INFINITY) ||
      (isWrite(call) && record !== null && isRollBack(call, record, turnedAt)),
  );
  return end < 0 ? calls : calls.slice(0, end);
}

function textOf({ id, targetVersion, liveVersion, status }: Endpoint): string {
  return JSON.stringify([id, targetVersion, liveVersion, status]);
}

/** What is live and has no replicas is not there. */
function rankOf(endpoint: Endpoint): number {
  if (endpoint.targetVersion !== 2) return 0;
  return hasConverged(endpoint, 2) ? 2 : 1;
}

function isThere(endpoint: Endpoint): boolean {
  return rankOf(endpoint) === 2;
}
