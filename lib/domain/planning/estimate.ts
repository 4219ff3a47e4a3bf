import type { Instant, Ms, Seconds } from '../clock.ts';
import { SETTLING_READS } from '../endpoint/observation.ts';
import { hasGates } from '../rollout/gates.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy } from '../rollout/policy.ts';
import type { RolloutSummary } from '../rollout/record.ts';
import { looksAtWindow, rulesOfWave } from '../turn/roll-window.ts';
import { nextTimeWhen, type TimedPolicy } from '../turn/window.ts';
import { listSecondsOf, waitsOfBake } from '../wave/bake.ts';
import { EVERY_SECONDS } from '../wave/gate-watch.ts';
import { firstPollSeconds, idleSecondsOf, type PollPolicy, withinPolls } from '../wave/polls.ts';
import { mostAtALook, rollBatchSizeOf } from './batches.ts';

/** What a rollout takes if every roll takes the assumed time, nothing goes wrong and nobody has to approve. */
export interface Estimate {
  readonly seconds: number;
  readonly bakeSeconds: number;
  /** How many rolls follow one another: the first roll goes alone, and only some may be in mid-roll together. */
  readonly rounds: number;
  /** One PUT request for each endpoint. */
  readonly rolls: number;
  readonly listReads: number;
  /** State transitions of Step Functions. */
  readonly transitions: number;
  readonly lambdaCalls: number;
  /** One for each wave. Times are seconds since the rollout begins. */
  readonly waves: readonly WaveEstimate[];
  /** When nothing is rolled because it waits for a window. */
  readonly waits: readonly WindowEstimate[];
}

interface WindowEstimate {
  readonly startsAt: number;
  readonly endsAt: number;
}

interface WaveEstimate {
  /** When its first endpoint is rolled. */
  readonly startsAt: number;
  /** When its last endpoint is live. Then it bakes. */
  readonly convergesAt: number;
  /** When it has baked. */
  readonly endsAt: number;
}

/** How far the estimated rollout has got, and what it has used so far. Times are seconds since its start. */
interface Course {
  now: number;
  /** Seconds of the fastest roll that a look has shown so far. */
  fastest: number | null;
  rounds: number;
  batches: number;
  polls: number;
  looks: number;
  /** How often gates are asked in a bake; infinity when there are none. */
  readonly everySeconds: number;
  readonly usualRollMs: Ms | null;
  /** When the gates are asked the next time. `null`: they were not asked yet. */
  gatesDueAt: number | null;
  /** How long its next roll has to wait for a window, in seconds. */
  readonly waitToRoll: () => number;
  readonly waits: WindowEstimate[];
}

/**
 * Goes through a plan as the workflow would, look by look, by the same rules:
 *
 * - `polls`: looks at a wave until it has converged
 * - `looks`: looks at each wave while it bakes
 * - `batches`: calls for at most 100 endpoints each, for every round
 * - list reads = 2 for the plan + polls + looks + batches; a look at a large list reads it only now and then
 * - transitions = 2 to open + 1 for each round + batches + 3 × polls + 3 × looks + 3 to close
 * - Lambda calls = 1 to open + batches + polls + looks + 1 to close
 *
 * Where windows bind rolls, a wait for one has looks as well: `waitsForWindow`. One that never opens is not waited for.
 *
 * The time of the calls to the service is not included. Neither are 4 transitions and a call for each 1,100 looks,
 * when an execution hands over to the next one.
 *
 * @param rollSeconds Seconds from the roll of an endpoint until it is live.
 * @param gates What is known of those that are asked in a bake. @default - all gates are, and read the list
 * @param usualRollMs As in the progress of a wave.
 * @param beginsAt When it begins. `null`: nobody knows, so no window is waited for.
 */
export function estimateRollout(
  plan: RolloutPlan,
  policy: EstimatedPolicy,
  rollSeconds: number,
  gates: GatesInBake = { areAsked: hasGates(policy.verify), needEndpoints: true },
  usualRollMs: Ms | null = null,
  beginsAt: Instant | null = null,
): Estimate {
  const { everySeconds: said = EVERY_SECONDS } = policy.verify;
  const everySeconds = gates.areAsked ? said : Number.POSITIVE_INFINITY;
  let rules = rulesOfWave(policy, plan.waves[0]);
  const waitToRoll = () => {
    if (beginsAt === null) return 0;
    const at = beginsAt + course.now * 1000;
    return Math.ceil(((nextTimeWhen(true, rules, at) ?? at) - at) / 1000);
  };
  const course: Course = {
    ...{ now: 0, fastest: null, rounds: 0, batches: 0, polls: 0, looks: 0 },
    everySeconds,
    usualRollMs,
    gatesDueAt: null,
    waitToRoll,
    waits: [],
  };
  let bakes = 0;
  let unread = 0;
  const waves: WaveEstimate[] = [];
  for (const wave of plan.waves) {
    const { from, to, bakeSeconds } = wave;
    rules = rulesOfWave(policy, wave);
    waitForWindow(course);
    const startsAt = course.now;
    rollWave(to - from, plan, policy, rollSeconds, course);
    const convergesAt = course.now;
    const waits = waitsOfBake(bakeSeconds, everySeconds);
    course.now += waits.reduce((sum, seconds) => sum + seconds, 0);
    course.looks += waits.length;
    const readsAt = listSecondsOf(plan, bakeSeconds);
    unread += looksWithoutList(
      waits,
      readsAt,
      gates.needEndpoints ? everySeconds : Number.POSITIVE_INFINITY,
    );
    course.gatesDueAt = course.now + everySeconds;
    bakes += bakeSeconds;
    waves.push({ startsAt, convergesAt, endsAt: course.now });
  }
  const { now, rounds, batches, polls, looks } = course;
  return {
    seconds: now,
    bakeSeconds: bakes,
    rounds,
    rolls: plan.endpoints.length,
    listReads: 2 + polls + looks - unread + batches,
    transitions: 2 + rounds + batches + 3 * polls + 3 * looks + 3,
    lambdaCalls: 1 + batches + polls + looks + 1,
    waves,
    waits: course.waits,
  };
}

type EstimatedPolicy = PollPolicy & Pick<RolloutPolicy, 'verify'> & TimedPolicy;

/** The gates that are asked in a bake. */
export interface GatesInBake {
  readonly areAsked: boolean;
  /** Whether they need to know the endpoints, as a list shows them. */
  readonly needEndpoints: boolean;
}

/** A look comes in time for the gates, too, once there is an endpoint to ask them about. */
function inTimeForGates(seconds: number, course: Course): number {
  const { now, gatesDueAt, everySeconds } = course;
  if (gatesDueAt === null || now >= gatesDueAt) course.gatesDueAt = now + everySeconds;
  return Math.min(seconds, (course.gatesDueAt ?? now) - now);
}

/** How many looks of a bake do not read the list: the last one always does. */
function looksWithoutList(
  waits: readonly number[],
  listSeconds: number,
  gateSeconds: number,
): number {
  let now = 0;
  let readAt = 0;
  let askedAt = 0;
  let unread = 0;
  for (const wait of waits.slice(0, -1)) {
    now += wait;
    const isAsked = now - askedAt >= gateSeconds;
    if (isAsked) askedAt = now;
    if (isAsked || now - readAt >= listSeconds) readAt = now;
    else unread += 1;
  }
  return unread;
}

/** Waits until something may be rolled. Meanwhile the waves before are looked at. */
function waitForWindow(course: Course): void {
  const waitSeconds = course.waitToRoll();
  if (waitSeconds === 0) return;
  course.waits.push({ startsAt: course.now, endsAt: course.now + waitSeconds });
  course.now += waitSeconds;
  course.looks += looksAtWindow(waitSeconds);
  if (course.gatesDueAt !== null) course.gatesDueAt = course.now + course.everySeconds;
}

interface Round {
  readonly count: number;
  readonly rolledAt: number;
  /** How many reads have shown the endpoints live. */
  readonly reads: number;
}

function rollWave(
  size: number,
  plan: RolloutPlan,
  policy: EstimatedPolicy,
  rollSeconds: number,
  course: Course,
): void {
  let pending = size;
  let underWay: readonly Round[] = [];
  // Nothing is lost here, so only what is in mid-roll is at risk.
  const mostAtOnce = Math.min(plan.maxUnavailable, plan.maxAtRisk ?? plan.maxUnavailable);
  /** Answers the seconds until the next look. */
  const roll = (seconds: number): number => {
    const room = mostAtOnce - underWay.reduce((sum, { count }) => sum + count, 0);
    // The first roll of all goes alone.
    const wanted = Math.min(pending, course.rounds === 0 ? 1 : room);
    const count = Math.min(wanted, mostAtALook(plan.maxAtRisk));
    if (count <= 0) return seconds;
    // What is on its way is looked at first, and nothing else is waited for until it is there.
    if (underWay.length > 0 && course.waitToRoll() > 0) return seconds;
    waitForWindow(course);
    underWay = [...underWay, { count, rolledAt: course.now, reads: 0 }];
    pending -= count;
    course.rounds += 1;
    course.batches += Math.ceil(count / rollBatchSizeOf(plan.endpoints.length));
    return count < wanted ? policy.pollSeconds : seconds;
  };
  const { fastest, gatesDueAt } = course;
  const waitsForAll = (policy.verify.warmUpSeconds ?? 0) > 0;
  let isAnyLive = gatesDueAt !== null;
  const first = (usualRollMs: Ms | null) =>
    firstPollSeconds(policy, fastest === null ? null : fastest * 1000, usualRollMs);
  let wait = roll(first(null));
  // All of it is on its way, and no gate watches the waves before.
  const isWatched = gatesDueAt !== null && Number.isFinite(course.everySeconds);
  if (pending === 0 && !isWatched) wait = Math.max(wait, first(course.usualRollMs));
  while (underWay.length > 0) {
    course.now += wait;
    course.polls += 1;
    const seen = underWay.map((round) => look(round, rollSeconds, course));
    underWay = seen.filter(({ reads }) => reads < SETTLING_READS);
    isAnyLive ||= !waitsForAll && underWay.length < seen.length;
    wait = roll(Math.ceil(withinPolls(idleSeconds(underWay, course), policy)));
    if (underWay.length > 0 && isAnyLive) wait = inTimeForGates(wait, course);
  }
}

function look(round: Round, rollSeconds: number, course: Course): Round {
  const took = course.now - round.rolledAt;
  if (took < rollSeconds) return round;
  course.fastest = Math.min(course.fastest ?? took, took);
  return { ...round, reads: round.reads + 1 };
}

/** An endpoint that was seen live for the first time is looked at again soon. */
function idleSeconds(underWay: readonly Round[], { now, fastest }: Course): number {
  if (underWay.some(({ reads }) => reads > 0)) return 0;
  const since = Math.min(now, ...underWay.map(({ rolledAt }) => rolledAt));
  return idleSecondsOf(now - since, fastest);
}

/** How many rollouts are learned from. */
const LEARNED_FROM = 5;

/** How long the fastest roll took in each of the last rollouts of a runtime. @param past The newest first. */
export function pastRollsOf(past: readonly Pick<RolloutSummary, 'outcome'>[]): readonly Ms[] {
  return past.flatMap(({ outcome }) => outcome?.rollMs ?? []).slice(0, LEARNED_FROM);
}

/** The median. `null`: nobody knows. */
export function usualRollMsOf(rolls: readonly Ms[]): Ms | null {
  const sorted = rolls.toSorted((one, other) => one - other);
  const [low, high = low] = sorted.slice((sorted.length - 1) >> 1, (sorted.length >> 1) + 1);
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/**
 * The median of the times that rolls took in past rollouts. `null`: there was none, and nobody knows: of one service a
 * roll takes seconds, of another, which makes a version from a snapshot, many minutes.
 */
export function likelyRollSeconds(rolls: readonly Ms[]): Seconds | null {
  const usual = usualRollMsOf(rolls);
  return usual === null ? null : Math.round(usual / 1000);
}
