import * as z from 'zod';
import { DIRECTIONS } from '../endpoint/journal.ts';
import { SAID_OF_SESSIONS } from '../endpoint/sessions.ts';
import { observation, plannedEndpoint } from '../endpoint/stored.ts';
import { WEEKDAYS } from '../local-time.ts';
import {
  instant,
  maybeText,
  maybeTrue,
  moment,
  ms,
  recordOf,
  seconds,
  watched,
} from '../stored.ts';
import { WAVE_KINDS } from './event.ts';
import { GATE_VERDICTS } from './gates.ts';
import { HEARINGS } from './hearing.ts';
import { CLEANUPS, OUTCOME_KINDS } from './outcome.ts';
import { LEFT_OUT_REASONS } from './plan.ts';
import { FAILURE_KINDS, FAILURE_POLICIES } from './policy.ts';
import { LATEST, STARTER_KINDS } from './request.ts';
import { WAIT_KINDS } from './wait.ts';

// What gates have answered

export const gateReading = z.object({
  /** The kind of its gate in `lib/gates`. */
  kind: z.string(),
  /** Name of the endpoint that was probed, of the alarm, or of the metric and its endpoint. */
  name: z.string(),
  verdict: z.enum(GATE_VERDICTS),
  detail: z.string(),
  /** What its gate is called, which only watches: `alarm shop-5xx`, `metric Errors`, `probe`. @default - it decides */
  watches: maybeText,
});

export const keptAnswer = gateReading.extend({
  /** The wave that it was asked about, 1-based. */
  wave: z.number(),
  /** How often it was asked about that wave. */
  attempts: z.number(),
  /** It is not asked again before that. */
  standsUntil: watched,
  /** It was given at the end of the bake, or after it. */
  isAtEnd: maybeTrue,
  /** It is at work on its answer, and has time left: a wave waits for it. */
  isAtWork: maybeTrue,
  /** Since when it has been at work. @default - it is not, or it said yes or no in the bake since then, or all gates yes */
  atWorkSince: watched.exactOptional(),
});

const whichGate = z.object({
  /** What the gate is called: `alarm shop-5xx`, `metric Errors`, `probe`. */
  gate: z.string(),
  /** It only watches. @default - it decides */
  isWatching: maybeTrue,
  /** The wave that it was asked about last, 1-based. */
  wave: z.number(),
});

/** How a gate has answered in the rollout so far, in numbers. */
export const gateCourse = whichGate.extend({
  /** Its last answer. */
  verdict: z.enum(GATE_VERDICTS),
  /** Since when it has answered so. */
  since: instant,
  /** At so many looks it was asked. */
  asked: z.number(),
  /** At so many of them it said no, and at so many it gave no answer. */
  noes: z.number(),
  silent: z.number(),
  /** When it said no the last time. @default - it never has */
  lastNoAt: instant.exactOptional(),
  /** So many lines of the log tell of its answers, the last one at that time. */
  lines: z.number(),
  lineAt: instant,
});

// The lines of the log that nothing else tells

export const gateLine = whichGate.extend({
  kind: z.literal('gate'),
  at: instant,
  ...gateReading.pick({ verdict: true, detail: true }).shape,
  /** It was asked before the wave, and not in its bake. */
  isAhead: maybeTrue,
  /** It changes so often that most of its changes have no line. */
  isOneOfMany: maybeTrue,
});

/** What the log has of a hold. */
export const loggedHold = z.object({
  id: z.string(),
  /** One of `HOLD_KINDS`. A newer steproll may know others: they are listed, and hold nothing here. */
  kind: z.string(),
  scope: z.object({
    /** A runtime, or a group by `groupIdOf`. @default - any */
    runtimeId: maybeText,
    /** One rollout of that runtime, and those that it has started. @default - any */
    rolloutId: maybeText,
    /** Only of a quarantine: a version of that runtime. @default - any */
    version: z.number().exactOptional(),
    /** Only of a pin: an endpoint of that runtime. @default - any */
    endpointId: maybeText,
    /** What that endpoint was called when it was pinned. @default - it has no name, or nobody has asked */
    endpointName: maybeText,
  }),
  /** Its owner: the name of a user, or an ARN. */
  by: z.string(),
  reason: z.string(),
  /** `null`: it holds until somebody lifts it. */
  until: instant.nullable(),
});

export const logLine = z.discriminatedUnion('kind', [
  /** A gate says something else than before. */
  gateLine,
  /** Before it has begun: what it waits for from now on. */
  z.object({
    kind: z.literal('waits'),
    at: instant,
    for: z.enum(WAIT_KINDS),
    of: z.string().nullable(),
    until: instant.nullable(),
  }),
  /** Under way: from now on these keep it from its next roll and its next wave. */
  z.object({ kind: z.literal('held'), at: instant, holds: z.array(loggedHold) }),
  /** Nothing holds it any more. */
  z.object({
    kind: z.literal('free'),
    at: instant,
    /** Those that somebody has lifted. The others have come to their end. */
    lifted: z.array(loggedHold.pick({ id: true }).extend({ by: z.string(), reason: z.string() })),
  }),
]);

export const aheadWatch = z.object({
  kept: z.array(keptAnswer),
  /** For how long one of them has given no answer, without being at work on it. @default - none was silent at the last look */
  silentMs: ms.exactOptional(),
});

export const gateNo = gateReading.omit({ verdict: true }).extend({
  /** @default - it is not about one endpoint alone */
  endpointId: maybeText,
  /** The series that it is about: only they take it back. @default - it is about no series */
  series: z.array(z.string()).exactOptional(),
  /** When it said so first. */
  since: watched,
  /** It has said so again, at least `pollSeconds` later. */
  isConfirmed: maybeTrue,
});

export const gateWatch = z.object({
  /** When they are asked again. */
  dueAt: watched,
  /** The place in the plan at which the next turn of endpoints begins. */
  cursor: z.number(),
  /** At most 64. */
  noes: z.array(gateNo),
  /** The same of gates that only watch, until they count. @default - there are none */
  watchedNoes: z.array(gateNo).exactOptional(),
  /** What gates have said that keep their own time. @default - no such gate was asked */
  kept: z.array(keptAnswer).exactOptional(),
  /** When the last wave had converged that has baked. @default - none has baked */
  since: instant.exactOptional(),
  /** For how long a wave that has baked has waited for their yes. @default - it does not */
  unsaidMs: ms.exactOptional(),
});

export const watchedGate = z.object({
  /** `alarm shop-5xx`, `metric Errors`, `probe`. */
  gate: z.string(),
  /** The first no with which the rollout would have failed. @default - there is none, and it has said yes */
  no: gateReading
    .pick({ kind: true, name: true, detail: true })
    /** `wave` is 1-based. `at`: when it said so. */
    .extend({ wave: z.number(), at: instant })
    .exactOptional(),
});

export const gateLook = z.object({
  /** 1-based. */
  wave: z.number(),
  at: instant,
  /** The worst ones first. Of a large wave, one of them may stand for many. */
  answers: z.array(gateReading),
});

// Before a rollout begins

export const startedBy = z.object({
  kind: z.enum(STARTER_KINDS),
  /** Id of the release, or name of the schedule or the person. `''`: nobody said. */
  name: z.string(),
  /** When it was asked for. Of two requests the later one is the newer one. */
  at: instant,
  /** Why, in the words of the person. @default - nobody said */
  reason: maybeText,
});

/** Its policy is not here, because the schema of a policy needs the gates. */
export const askedRequest = z.object({
  rolloutId: z.string(),
  /** Base URL of the service that has the runtime. @default - not known yet */
  endpointUrl: maybeText,
  runtimeId: z.string(),
  /**
   * `null`: nobody has read it yet. It is taken from the endpoint in `versionFrom` or from the rollout in `revert`, and
   * without both it is the latest version of the runtime.
   */
  desiredVersion: z.number().nullable(),
  /** Name or id of the endpoint that the version is taken from. @default - from none */
  versionFrom: maybeText,
  /**
   * Id of the rollout that this one undoes: what that one rolled goes back to the versions that its plan recorded.
   * `desiredVersion` is then the lowest of them. @default - it undoes none
   */
  revert: maybeText,
  /**
   * Only of a group: the version of each of its runtimes, where they have versions of their own. `desiredVersion` is
   * then the highest of them, or `null` as long as one has to be found. @default - all have the same
   */
  versions: recordOf(z.string(), z.union([z.number(), z.literal(LATEST)])).exactOptional(),
  startedBy,
  /** Fingerprint of the plan that somebody agreed to. @default - any plan will do */
  agreedPlan: maybeText,
  /** A person wants it although the version is in quarantine. @default - then it is refused */
  again: maybeTrue,
  /**
   * Versions above its own that `latest`, or the version of an endpoint, did not mean, because they were in quarantine;
   * `because` is a sentence that names the hold. @default - there are none
   */
  passedOver: z
    .array(z.object({ runtimeId: z.string(), version: z.number(), because: z.string() }))
    .exactOptional(),
  /** A person wants it although somebody else is rolling its endpoints elsewhere. @default - then it is refused */
  takeOver: maybeTrue,
  /** Ids of pins that a person passes with it: it rolls their endpoints like others. @default - it passes none */
  unpin: z.array(z.string()).exactOptional(),
  /** Id of the rollout of a group that started this one. @default - none did */
  parent: maybeText,
  /** Name of that group. @default - none has started it */
  group: maybeText,
});

export const wait = z.object({
  for: z.enum(WAIT_KINDS),
  /** What it waits for, in words for people. `null`: its kind says it all. */
  of: z.string().nullable(),
  /** The 0-based wave that it is in. `null`: it has not begun. */
  wave: z.number().nullable(),
  /** Since when it waits for that. */
  since: instant,
  /** When that is over: it begins, fails, or goes on by itself. `null`: nobody can say. */
  until: instant.nullable(),
  /** When somebody looks at it again. */
  lookAt: instant,
});

export const opening = z.object({
  /** When somebody last looked at the rollout. */
  lookedAt: instant,
  /** What it waited before. Each kind of wait has its own limit; its turn and green gates have one together. */
  waited: z.object({ turn: seconds, version: seconds, list: seconds }),
  /** A list was read before. @default - none was read so far */
  hasRead: z.literal(true).exactOptional(),
  /** What its first wave waits for, by a clock that goes on while it waits. @default - nothing was asked about it */
  ahead: aheadWatch.extend({ clock: moment }).exactOptional(),
});

// The plan, and how far it is

export const ending = z.object({
  outcome: z.enum(OUTCOME_KINDS),
  /** Which of the two kinds of failure it is. @default - it is no failure of the version or of an endpoint */
  failure: z.enum(FAILURE_KINDS).exactOptional(),
  /** A short and stable name, for programs. */
  reason: z.string(),
  /** A sentence with counts, for people. */
  message: z.string(),
});

const deploymentWindow = z.object({
  days: z.array(z.enum(WEEKDAYS)),
  from: z.string(),
  to: z.string(),
  timeZone: z.string(),
});

export const rolloutPlan = z.object({
  direction: z.enum(DIRECTIONS),
  /** The endpoints in the order in which they are rolled. */
  endpoints: z.array(plannedEndpoint),
  /**
   * Endpoints that are rolled together: those from the index `from` to `to`, without `to`. The bake is the time between
   * the wave's convergence and the check that lets the next wave start.
   */
  waves: z.array(
    z.object({
      from: z.number(),
      to: z.number(),
      bakeSeconds: seconds,
      /** Its rolls go only within one of these. @default - at any time */
      windows: z.array(deploymentWindow).exactOptional(),
      /** The attributes that its endpoints have. @default - they were not chosen by attributes */
      where: recordOf(z.string(), z.union([z.string(), z.array(z.string())])).exactOptional(),
    }),
  ),
  leftOut: z.array(
    z.object({
      endpointId: z.string(),
      name: z.string().nullable(),
      sharesName: maybeTrue,
      reason: z.enum(LEFT_OUT_REASONS),
      /** Only of one that is pinned: which hold that is, whose, and why. */
      pin: loggedHold.pick({ id: true, by: true, reason: true }).exactOptional(),
    }),
  ),
  /** How many endpoints may be in mid-roll at once; at least 1. */
  maxUnavailable: z.number(),
  /** How many endpoints may be in mid-roll or lost together, in all waves; at least 1. @default - there is no limit */
  maxAtRisk: z.number().exactOptional(),
  /**
   * Only in a plan forward: a status that counts as serving besides the configured words, because every endpoint
   * showed it when the plan was made. `null`: no endpoint showed any status. @default - there is no such status
   */
  restingStatus: z.string().nullable().exactOptional(),
  /**
   * Only in a plan forward: status words that are known because endpoints at rest showed them when the plan was made, in
   * which `*` stands for a number. @default - there are no others than those of the policy
   */
  restingWords: z.array(z.string()).exactOptional(),
  /** The service cannot stop endpoints. @default - it can */
  cannotStop: maybeTrue,
  /** Only in a plan forward: what the service says of sessions. @default - nothing */
  sessions: z
    .object({
      goOn: z.enum(SAID_OF_SESSIONS),
      stateKept: z.enum(SAID_OF_SESSIONS),
      source: z.string(),
    })
    .exactOptional(),
});

export const rollback = z.object({
  cause: ending,
  plan: rolloutPlan,
  /** What was last seen of the endpoints of the plan forward, by their place in it. */
  seen: z.array(observation),
});

export const waveProgress = z.object({
  direction: z.enum(DIRECTIONS),
  wave: z.number(),
  /** The rollout's clock at the last look. What is in `Ms` below is time of that clock, and some of it may stand still. */
  clock: moment,
  /** For people, and for metrics: the last complete read of the list. */
  readAt: instant,
  /** What the last look at the list has heard of the wave. */
  heard: z.enum(HEARINGS),
  /** For how long the wave has got no further than ever, while what was heard kept it from going on. */
  stuckMs: ms,
  /** For how long the list was not heard, or did not tell how an endpoint is, and nothing else. */
  silentMs: ms,
  /** Name of the error with which the last look could not read the list. @default - it could */
  readFault: maybeText,
  /** How long the wave has baked: between two looks that found it well. `null`: it has not converged yet. */
  bakedMs: ms.nullable(),
  /** A person has ended its bake, which lasts no longer than this. @default - it bakes as planned */
  promoted: z.object({ bakeSeconds: seconds }).exactOptional(),
  /** When the wave converged. @default - it has not */
  converged: moment.exactOptional(),
  /** How long a person has been asked for the approval of the wave, while all was well. */
  askedMs: ms,
  /**
   * What the gates answered when they were asked last. If that was not at the last read, a doubt comes from the list.
   * @default - they were not asked in this wave
   */
  gates: gateLook.exactOptional(),
  /** @default - they were not asked in this leg */
  watch: gateWatch.exactOptional(),
  /** What the next wave waits for before it begins. @default - nothing was asked about it */
  ahead: aheadWatch.exactOptional(),
  /** Gates that were red before the first write and not green since, as `nameOfGate` says. @default - none counts */
  redAtStart: z.array(z.string()).exactOptional(),
  /** What gates that only watch have said in the rollout, at most 20, noes first. @default - nothing yet */
  watched: z.array(watchedGate).exactOptional(),
  /** Of at most 50 gates. @default - none was asked */
  gateCourses: z.array(gateCourse).exactOptional(),
  /**
   * Batches of the wave whose function crashed, how often, and with which error the last time, as the engine names it:
   * `Runtime.ExitError`. Nothing is known of them but what the list shows. @default - none did
   */
  lost: z.object({ error: z.string(), times: z.number() }).exactOptional(),
  /** It was paused at the last look, so no deadline has gone on since then. @default - it was not */
  isPaused: maybeTrue,
  /** How often the list was looked at in the whole rollout. */
  looks: z.number(),
  /** The shortest time from the roll of an endpoint to its convergence in this rollout. */
  fastestRollMs: ms.nullable(),
  /** The same, as later rollouts learn it: what its first look finds live took less. @default - none was seen */
  learntRollMs: ms.exactOptional(),
  /** How long a roll of the runtime took in earlier rollouts. @default - nobody knows, or the rollout undoes another one */
  usualRollMs: ms.exactOptional(),
  /** When another process took it over in this wave, which has not seen how long rolls took. @default - none did */
  resumed: watched.exactOptional(),
  /** How far the wave has ever got: it only grows. An endpoint that goes back and forth makes no progress. */
  furthest: z.number(),
  /** One observation for each endpoint of the plan up to the end of the wave. Earlier waves stay watched. */
  observations: z.array(observation),
});

export const signal = z.object({
  /** One of `SIGNALS`. The ledger skips other ones. */
  kind: z.string(),
  at: instant,
  /** The 0-based wave that is approved, rejected or promoted. `null` for the other kinds. */
  wave: z.number().nullable(),
  /** It is said of all waves that follow, too. @default - only of that wave */
  isFull: maybeTrue,
  /** What happens to what was rolled. @default - an abort holds; for a rejection the policy decides */
  onFailure: z.enum(FAILURE_POLICIES).exactOptional(),
  /** Who sent the signal, as was said: a person, or the id of the newer rollout. */
  by: z.string(),
  /** Of an answer: whose it is, as whatever let it in has proven it. It is not stored but in its place. @default - as `by` */
  key: maybeText,
  reason: z.string(),
});

export const outcome = ending.extend({
  cleanup: z.enum(CLEANUPS),
  /** How long its fastest roll took, for later rollouts of its runtime. @default - none was seen, or it has not succeeded */
  rollMs: ms.exactOptional(),
  /** People are told of this refusal. @default - of a refusal nobody is told, of any other end everybody who wants it */
  tell: maybeTrue,
  /**
   * What gates that only watch have said in the whole rollout. `wouldHaveFailed` is `false` when one has said yes, and no
   * no that would have counted. @default - none has said anything
   */
  watched: z.array(z.object({ gate: z.string(), wouldHaveFailed: z.boolean() })).exactOptional(),
});

// Its events. The descriptions are for those who get them. That of its end is not stored, because it follows from the
// outcome.

const count = z.int().min(0);

export const eventBase = z.object({
  eventId: z
    .string()
    .describe(
      'The same every time the event comes. The ids of a rollout sort in the order of its events.',
    ),
  rolloutId: z.string().describe('Name of the rollout, and of its execution on AWS.'),
  runtimeId: z.string().describe('Id of the runtime, or group:NAME of a group itself.'),
  desiredVersion: z.number(),
  parent: maybeText.describe(
    'Only of a runtime in a group: the rollout of the group that has started this one.',
  ),
  group: maybeText.describe(
    'Name of the group, if the rollout is of a group or was started by one.',
  ),
  at: instant,
  message: z.string(),
});

export const ofStart = {
  endpoints: count.describe('How many endpoints are to be rolled.'),
  leftOut: count.describe('How many endpoints are left alone.'),
  waves: count.describe('Of the plan.'),
};
export const startedEvent = eventBase.extend({ kind: z.literal('started'), startedBy, ...ofStart });

export const ofWave = {
  direction: z
    .enum(DIRECTIONS)
    .describe('back: in a rollback, on the way to the previous versions.'),
  wave: z.int().min(1).describe('From 1.'),
  waves: count.describe('How many waves this direction has.'),
  endpoints: count.describe('Of the wave.'),
};
export const waveEvent = eventBase.extend({
  kind: z.enum(WAVE_KINDS),
  ...ofWave,
  /** Only with `wave-started`: what the gates of the wave before answered. It is not sent. @default - none were asked */
  gates: gateLook.exactOptional(),
});

export const ofFailure = {
  reason: z.string().describe('Short and stable.'),
  failure: z
    .enum(FAILURE_KINDS)
    .exactOptional()
    .describe(
      'stuck: an endpoint did not get to the version. bad: it did, and is no good. Absent: neither.',
    ),
  onFailure: z.enum(FAILURE_POLICIES).describe('What happens now.'),
};
export const failingEvent = eventBase.extend({
  kind: z.literal('failing'),
  ...ofFailure,
  /** Why the rollout fails. It is stored with the event so that the failure binds, and it is not sent. */
  cause: ending,
  /** What the gates of the wave answered at the last look before it. It is not sent either. @default - none were asked */
  gates: gateLook.exactOptional(),
});

export const ofEnd = {
  desiredVersion: z
    .int()
    .min(1)
    .nullable()
    .describe('null: it was to be taken from another endpoint, and never became known.'),
  outcome: z.enum(OUTCOME_KINDS).describe('How it ended.'),
  failure: z
    .enum(FAILURE_KINDS)
    .exactOptional()
    .describe('Which kind of failure it was, as in Rollout Failing. Absent: none.'),
  tell: maybeTrue.describe(
    'Only if a trigger was refused, and its owner has to see why. At most once a day and runtime.',
  ),
  cleanup: z.enum(CLEANUPS).describe('What was done with the endpoints that were rolled.'),
  reason: z.string().describe('Short and stable.'),
  counts: z
    .strictObject({
      planned: count.describe('All endpoints of the plan.'),
      rolled: count.describe('Endpoints whose roll was accepted, or may have been.'),
      rolledBack: count.describe('Endpoints whose roll back was accepted, or may have been.'),
      stopped: count.describe('Endpoints whose stop was accepted.'),
      kept: count.describe('Endpoints whose stop was kept back.'),
    })
    .describe('How many endpoints had each kind of write.'),
};
export const endedEvent = eventBase.extend({ kind: z.literal('ended'), ...ofEnd });
