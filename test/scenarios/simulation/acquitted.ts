import { DEFAULT_POLICY } from '../../../lib/domain/rollout/default-policy.ts';
import type { WriteFault } from '../../../lib/rehearsal/faults.ts';
import { metricRule } from '../../domain/examples.ts';
import { endpointNames } from '../../support/endpoint-names.ts';
import type { DrawnHold, Ordeal } from './ordeal.ts';
import { QUIET } from './quiet.ts';
import { fleetOf, NO_GATES } from './situations/situation.ts';

/** Its service takes an endpoint back with a failed status, and two looks at that are enough. */
export const FAILED_BACK: Partial<Ordeal> = {
  endpoints: fleetOf(endpointNames(1, 1)),
  rollSeconds: 20,
  broken: [{ ...takenBack('endpoint-01'), afterSeconds: 6 }],
};

/** Another rollout to its version ends badly while its process stands still, and so the version is in quarantine. */
export const RELEASED_BADLY: Partial<Ordeal> = {
  endpoints: fleetOf(endpointNames(1, 1)),
  broken: [
    { endpoint: 'endpoint-01', kind: 'busy', httpStatus: 400, fromSecond: 0, seconds: 3 },
    { endpoint: 'endpoint-01', version: 2, kind: 'crash', afterSeconds: 1 },
  ],
  people: [
    { atSecond: 0, kind: 'twin' },
    { atSecond: 0, kind: 'create' },
    { atSecond: 0, kind: 'rival' },
  ],
  stall: { point: 7, at: 'any', when: 'before', seconds: 1, isRaced: true },
};

const RED: Partial<Ordeal> = {
  alarms: [{ verdict: 'fail', fromSecond: 0, seconds: 30 }],
  policy: { ...QUIET.policy, verify: { ...NO_GATES, alarms: ['errors'] } },
};

/** Another one has the runtime, and a gate is red, too. */
export const RED_AND_HELD: Partial<Ordeal> = {
  ...RED,
  earlier: {
    version: 2,
    askedAfter: -3600,
    rolloutId: 'the-earlier',
    endsAfter: 3,
    isDead: true,
    givesWayAfter: null,
    isUnknown: false,
    isElsewhere: false,
  },
};

/** A gate is red for the latest version, which was found, and for which the list was looked at. */
export const RED_FOR_LATEST: Partial<Ordeal> = {
  ...RED,
  asked: { kind: 'listed', version: 'latest', state: 'ready', seconds: 0, isNewest: false },
  policy: { ...QUIET.policy, ...RED.policy, maxVersionStep: 1 },
};

/** Somebody has stopped an endpoint that was busy, and once it has failed, an old list shows it at work. */
export const STOPPED_WHILE_BUSY: Partial<Ordeal> = {
  endpoints: fleetOf(endpointNames(1, 3)),
  broken: [
    { endpoint: 'endpoint-01', kind: 'stuck' },
    { endpoint: 'endpoint-02', kind: 'busy', httpStatus: 409, fromSecond: 0, seconds: 20 },
  ],
  writes: [{ operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'forgotten', seconds: 1 }],
  people: [{ kind: 'stop', endpoint: 'endpoint-02', atSecond: 6 }],
  policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
};

/** Its clock is behind, so another one takes its runtime, when all its endpoints look live. */
export const TAKEN_WHEN_LIVE: Partial<Ordeal> = {
  people: [{ kind: 'rival', atSecond: 11 }],
  clock: { fromSecond: 0, seconds: 11, offsetMs: -3_600_000 },
  policy: { ...QUIET.policy, onFailure: 'roll-back', maxUnavailable: { percent: 100 } },
};

/** Its list cannot be read any more, and nobody may wait for that, when its endpoint has looked live once. */
export const CUT_OFF_WHEN_LIVE: Partial<Ordeal> = {
  endpoints: fleetOf(endpointNames(1, 1)),
  lists: [{ kind: 'UpstreamRedirect', fromSecond: 6, seconds: 900 }],
  policy: { ...QUIET.policy, onFailure: 'roll-back' },
};

/** Its roll is made long after it was put off, and fails at once: no list since then has shown its endpoint well. */
export const FAILED_LATE: Partial<Ordeal> = {
  endpoints: fleetOf(endpointNames(1, 1)),
  broken: [takenBack('endpoint-01')],
  writes: [{ ...rollFault('endpoint-01', 1, 'UpstreamThrottled'), seconds: 40 }],
};

/** Its gate sends it back while the service still wants no rolls. */
export const TURNED_LATER: Partial<Ordeal> = {
  writes: [{ ...rollFault('endpoint-02', 1, 'UpstreamThrottled'), seconds: 56 }],
  alarms: [{ verdict: 'fail', fromSecond: 1, seconds: 30 }],
  policy: {
    ...QUIET.policy,
    bakeSeconds: 120,
    onFailure: 'roll-back',
    verify: { ...NO_GATES, alarms: ['errors'] },
  },
};

/** A wave is promoted although its gate is silent, and then its process dies: the next wave has a deadline of its own. */
export const PROMOTED_IN_SILENCE: Partial<Ordeal> = {
  endpoints: fleetOf(endpointNames(1, 3)),
  alarms: [{ verdict: 'unknown', fromSecond: 0, seconds: 9000 }],
  death: { error: 'Killed', when: 'before', point: 6, since: 'wave-converged' },
  resumesAfter: 1,
  promotions: [{ wave: 0, afterSeconds: 0, isFull: false }],
  policy: {
    ...QUIET.policy,
    waves: [
      { endpoints: 1, bakeSeconds: 120 },
      { percent: 100, bakeSeconds: 120 },
    ],
    maxUnavailable: { percent: 100 },
    progressDeadlineSeconds: 180,
    verify: { ...NO_GATES, alarms: ['errors'] },
  },
};

/** A judge once objected to each of these rollouts, and they had kept every promise: the judge was wrong. */
export const ACQUITTED: readonly (readonly [why: string, drawn: Partial<Ordeal>])[] = [
  [
    'its roll back is carried out and then forgotten, and a list shows it on its way there from a version of long before',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      lists: [{ kind: 'UpstreamTransient', fromSecond: 0, seconds: 1 }],
      writes: [rollFault('endpoint-01', 2, 'forgotten')],
      people: [
        { atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 5 },
        { atSecond: 0, kind: 'rival' },
      ],
      word: { said: 'roll-back', at: 'roll', nth: 1 },
    },
  ],
  [
    'a list without versions shows that a failed endpoint goes on, and its deadline runs from there',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      lists: [
        { kind: 'blind', fromSecond: 23, seconds: 11 },
        { kind: 'relapse', fromSecond: 8, seconds: 55 },
      ],
      writes: [rollFault('endpoint-01', 1, 'queued')],
      latencyMs: 300,
      policy: { ...QUIET.policy, pollSeconds: 15 },
    },
  ],
  [
    'whoever it gives way to is overtaken while it reads the list for that',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [
        { operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
        rollFault('endpoint-01', 1, 'lost'),
      ],
      people: [
        { atSecond: 61, kind: 'twin' },
        { atSecond: 60, kind: 'rival' },
      ],
      latencyMs: 2000,
      policy: { ...QUIET.policy, pollSeconds: 15, onConflict: 'latest' },
    },
  ],
  [
    'by its clock, which is half a minute ahead, it gives way after the other one has ended',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      people: [
        { atSecond: 52, kind: 'rival' },
        { atSecond: 37, kind: 'rival' },
      ],
      clock: { fromSecond: 0, seconds: 41, offsetMs: 30_000 },
      resumesAfter: null,
      policy: { ...QUIET.policy, onConflict: 'latest' },
    },
  ],
  [
    'an endpoint vanishes between the begin of an undoing and its first list',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      broken: [
        { endpoint: 'endpoint-08', kind: 'stuck' },
        { endpoint: 'endpoint-01', version: 1, kind: 'slow', rollSeconds: 90 },
        { endpoint: 'endpoint-05', version: 2, kind: 'vanish', afterSeconds: 192 },
      ],
      writes: [
        { operation: 'roll', endpoint: 'endpoint-08', nth: 1, kind: 'late', seconds: 36 },
        { operation: 'stop', endpoint: 'endpoint-08', nth: 1, kind: 'lost', seconds: 1 },
      ],
      undo: { afterSeconds: 50, meanwhile: [], oldReads: 0 },
      latencyMs: 2000,
      policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
    },
  ],
  [
    'one batch dies in the moment in which another one, which has read the list just then, too, sends its rolls',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [
        rollFault('endpoint-07', 1, 'lost'),
        { operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
      ],
      people: [
        { atSecond: 7, kind: 'abort', onFailure: 'stop-old' },
        { atSecond: 0, kind: 'move', endpoint: 'endpoint-05', version: 2 },
      ],
      death: { error: 'LedgerUnavailable', when: 'before', since: null, point: 28 },
      latencyMs: 300,
      policy: { ...QUIET.policy, maxUnavailable: { percent: 75 } },
    },
  ],
  [
    'its clock is half a minute ahead when it fails, so the roll back that follows seems to be before that',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'refuse', httpStatus: 503, times: 2 }],
      people: [{ atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 5 }],
      clock: { fromSecond: 0, seconds: 131, offsetMs: 30_000 },
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
    },
  ],
  [
    'the first batch of its way back gets an answer from before the plan, which looks as if somebody had moved an endpoint',
    {
      endpoints: [1, 2, 3, 4, 5].map((nth) => ({ name: `endpoint-0${nth}`, version: 1 })),
      lists: [{ kind: 'flash', fromSecond: 51, seconds: 2 }],
      people: [
        { atSecond: 'before', kind: 'move', endpoint: 'endpoint-02', version: 5 },
        { atSecond: 0, kind: 'move', endpoint: 'endpoint-01', version: 1 },
      ],
      word: { said: 'roll-back', at: 'roll', nth: 2 },
      latencyMs: 2000,
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 75 },
        pollSeconds: 15,
        maxVersionStep: 1,
      },
    },
  ],
  [
    'its clock is an hour behind when it tells that it starts, so the list that its version is from seems to come later',
    {
      endpoints: [
        { name: 'endpoint-01', version: 2 },
        { name: 'endpoint-02', version: 1 },
      ],
      clock: { fromSecond: 0, seconds: 208, offsetMs: -3_600_000 },
      asked: { kind: 'source', endpoint: 'endpoint-01', state: 'settled' },
    },
  ],
  [
    'a roll is refused for now, and somebody stops its endpoint before it is tried again: the refusal is told',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      writes: [rollFault('endpoint-01', 1, 'UpstreamTransient')],
      people: [{ kind: 'stop', endpoint: 'endpoint-01', atSecond: 0 }],
    },
  ],
  [
    'a step dies before its roll, which somebody else makes: nobody can know that it was not sent, and it is stopped',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [
        { operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
        { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
      ],
      people: [{ atSecond: 0, kind: 'move', endpoint: 'endpoint-01', version: 2 }],
      death: { error: 'LedgerUnavailable', when: 'before', since: null, point: 20 },
      executionEvents: 0,
    },
  ],
  [
    'a process dies with nothing to take back, and the next one looks once more before it ends',
    {
      writes: [rollFault('endpoint-01', 1, 'UpstreamRejected')],
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
      death: { error: 'Killed', when: 'before', since: 'failing', point: 5 },
    },
  ],
  [
    'what was rolled is shown where it was before, for longer than a minute, because one roll after the other is forgotten',
    {
      endpoints: [1, 2, 3, 4, 5, 6, 7].map((nth) => ({ name: `endpoint-0${nth}`, version: 1 })),
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 50 },
        onFailure: 'roll-back',
        pollSeconds: 15,
      },
      writes: [
        ...[1, 2].map((nth) => rollFault('endpoint-01', nth, 'UpstreamConflict')),
        rollFault('endpoint-02', 1, 'mute'),
        ...[1, 2].map((nth) => rollFault('endpoint-03', nth, 'UpstreamTimeout')),
        ...[1, 2, 3, 4, 5].map((nth) => rollFault('endpoint-04', nth, 'forgotten')),
      ],
      cannotStop: true,
    },
  ],
  [
    'an endpoint that was live on the version already goes there on the way back, too',
    {
      endpoints: [{ name: 'endpoint-01', version: 2 }],
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
      broken: [
        { endpoint: 'endpoint-01', version: 2, kind: 'fail' },
        { endpoint: 'endpoint-01', version: 1, kind: 'stuck' },
      ],
      people: [{ atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 1 }],
    },
  ],
  [
    'after a gate that never answered, an endpoint that was lost within the threshold is left, and the cleanup is incomplete',
    {
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 100 },
        failureThreshold: { endpoints: 1 },
        verify: { ...QUIET.policy.verify, alarms: ['errors'] },
      },
      broken: [{ endpoint: 'endpoint-02', version: 2, kind: 'fail' }],
      alarms: [{ verdict: 'unknown', fromSecond: 0, seconds: 600 }],
    },
  ],
  [
    'one read that spoke against a wave before may be an old answer, even if it is the last one',
    {
      policy: { ...QUIET.policy, waves: [{ endpoints: 1 }, { percent: 100 }] },
      lists: [
        { kind: 'short', fromSecond: 19, seconds: 4 },
        { kind: 'UpstreamTimeout', fromSecond: 24, seconds: 900 },
      ],
    },
  ],
  [
    'a list that lacks more than half of the fleet cannot be read, however few of it are rolled',
    {
      endpoints: [1, 1, 1, 2, 1, 2].map((version, index) => ({
        name: `endpoint-0${index + 1}`,
        version,
      })),
      lists: [{ kind: 'most', fromSecond: 1, seconds: 5 }],
      people: [{ atSecond: 0, kind: 'abort', onFailure: 'stop-old' }],
    },
  ],
  [
    'an old answer that shows an endpoint before it failed is no progress',
    {
      policy: { ...QUIET.policy, failureThreshold: { endpoints: 1 } },
      broken: [
        { endpoint: 'endpoint-01', version: 2, kind: 'fail' },
        { endpoint: 'endpoint-02', version: 2, kind: 'stuck' },
      ],
      lists: [{ kind: 'flash', fromSecond: 21, seconds: 5 }],
    },
  ],
  [
    'an endpoint that somebody else has moved fails for them, and the rollout has stalled',
    {
      policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
      broken: [
        { endpoint: 'endpoint-01', version: 2, kind: 'stuck' },
        { endpoint: 'endpoint-01', version: 7, kind: 'fail' },
        { endpoint: 'endpoint-02', version: 2, kind: 'stuck' },
      ],
      people: [{ atSecond: 12, kind: 'move', endpoint: 'endpoint-01', version: 7 }],
    },
  ],
  [
    'an endpoint that had failed on the version before, and still has, has stalled',
    {
      endpoints: [{ name: 'endpoint-01', version: 2 }],
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'fail' }],
      people: [
        { atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 5 },
        { atSecond: 1, kind: 'move', endpoint: 'endpoint-01', version: 2 },
      ],
      latencyMs: 2000,
    },
  ],
  [
    'an endpoint whose rolls were refused, and that then failed on the version before, has stalled',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      rollSeconds: 60,
      policy: { ...QUIET.policy, pollSeconds: 15 },
      broken: [
        { endpoint: 'endpoint-01', version: 5, kind: 'crash', afterSeconds: 1 },
        { endpoint: 'endpoint-01', version: 2, kind: 'refuse', httpStatus: 409, times: 3 },
      ],
      people: [{ atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 5 }],
    },
  ],
  [
    'the third read after a roll that got lost may come in the moment in which it is made once more',
    {
      rollSeconds: 60,
      policy: { ...QUIET.policy, maxPollSeconds: 30 },
      writes: [{ operation: 'roll', endpoint: 'endpoint-02', nth: 1, kind: 'lost', seconds: 1 }],
    },
  ],
  [
    'what fails in the very moment of the deadline has failed in one look, and not in those for the stops after it',
    {
      policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
      broken: [
        { endpoint: 'endpoint-01', version: 2, kind: 'crash', afterSeconds: 94 },
        { endpoint: 'endpoint-02', version: 2, kind: 'stuck' },
      ],
    },
  ],
  [
    'the ledger refuses the answer to a roll whose lease was taken while it was in flight',
    {
      people: [{ atSecond: 1, kind: 'rival' }],
      clock: { fromSecond: 0, seconds: 1, offsetMs: -3_600_000 },
      latencyMs: 300,
    },
  ],
  [
    'a newer release asks nobody to give way while the list is empty',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      policy: { ...QUIET.policy, progressDeadlineSeconds: 180, onConflict: 'latest' },
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'vanish', afterSeconds: 1 }],
      people: [{ atSecond: 11, kind: 'rival' }],
    },
  ],
  [
    'two batches that go at once have a read each, and the look before them has shown the wave before live',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      rollSeconds: 20,
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        progressDeadlineSeconds: 600,
      },
      lists: [{ kind: 'blind', fromSecond: 56, seconds: 6 }],
      writes: ['endpoint-02', 'endpoint-04'].map((endpoint) => ({
        operation: 'roll',
        endpoint,
        nth: 1,
        kind: 'UpstreamConflict',
        seconds: 1,
      })),
      latencyMs: 2000,
    },
  ],
  [
    'the deadline of what is stuck begins anew when another endpoint is confirmed to be live',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      rollSeconds: 60,
      policy: {
        ...QUIET.policy,
        waves: [{ percent: 25 }, { percent: 100 }],
        maxUnavailable: { percent: 50 },
        pollSeconds: 15,
      },
      broken: [{ endpoint: 'endpoint-03', version: 2, kind: 'stuck' }],
    },
  ],
  [
    'what is asked to give way before it has a plan reads its lists first',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      policy: { ...QUIET.policy, onConflict: 'latest' },
      lists: [
        { kind: 'short', fromSecond: 3, seconds: 4 },
        { kind: 'UpstreamTimeout', fromSecond: 14, seconds: 1 },
      ],
      people: [{ atSecond: 0, kind: 'rival' }],
      latencyMs: 2000,
    },
  ],
  [
    'nobody gives way to a newer release that has given way to another one itself',
    {
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        bakeSeconds: 120,
        onConflict: 'latest',
      },
      people: [
        { atSecond: 12, kind: 'rival' },
        { atSecond: 13, kind: 'twin' },
      ],
    },
  ],
  [
    'a list with none of the planned endpoints cannot be read, even if somebody has created another one',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'vanish', afterSeconds: 1 }],
      people: [
        { atSecond: 0, kind: 'create' },
        { atSecond: 0, kind: 'abort', onFailure: 'stop-old' },
      ],
    },
  ],
  [
    'a way back without a single roll has a deadline of its own',
    {
      policy: {
        ...QUIET.policy,
        onFailure: 'roll-back',
        pollSeconds: 15,
        progressDeadlineSeconds: 600,
      },
      broken: [{ endpoint: 'endpoint-01', version: 1, kind: 'stuck' }],
      people: [{ atSecond: 'seen', kind: 'move', endpoint: 'endpoint-01', version: 1 }],
      cannotStop: true,
    },
  ],
  [
    'a metric is asked about the latest version, which may be another one than all others roll to',
    {
      policy: {
        ...QUIET.policy,
        progressDeadlineSeconds: 600,
        verify: {
          ...QUIET.policy.verify,
          metrics: [metricRule({ dimensions: { Runtime: '{runtime}', Version: '{version}' } })],
        },
      },
      people: [{ atSecond: 301, kind: 'twin' }],
      stall: { point: 4, at: 'any', when: 'before', seconds: 1, isRaced: true },
      asked: {
        kind: 'listed',
        version: 'latest',
        state: 'unlisted',
        isNewest: false,
        seconds: 150,
      },
    },
  ],
  [
    'a list that was empty before nobody could read it has been waited for all the time',
    {
      lists: [
        { kind: 'empty', fromSecond: 1, seconds: 33 },
        { kind: 'UpstreamTimeout', fromSecond: 1, seconds: 96 },
      ],
      latencyMs: 300,
    },
  ],
  [
    'when a service refuses the credentials, the handful after that is not sent',
    {
      endpoints: fleetOf(endpointNames(1, 12)),
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 75 },
      },
      writes: [
        { operation: 'roll', endpoint: 'endpoint-03', nth: 1, kind: 'UpstreamAuth', seconds: 1 },
      ],
    },
  ],
  [
    'endpoints that do not lie side by side are rolled in several batches',
    {
      endpoints: fleetOf(endpointNames(1, 7)),
      policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
      lists: [{ kind: 'some', fromSecond: 1, seconds: 5 }],
    },
  ],
  [
    'nothing of a wave is rolled of which somebody else has an endpoint',
    {
      policy: { ...QUIET.policy, waves: [{ endpoints: 1 }, { percent: 100 }] },
      endpoints: fleetOf(endpointNames(1, 3)),
      people: [{ atSecond: 0, kind: 'move', endpoint: 'endpoint-03', version: 7 }],
    },
  ],
  [
    'on the way back the deadline stands still when only an answer that shows no target tells that it has begun',
    {
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
      broken: [
        { endpoint: 'endpoint-01', version: 1, kind: 'crash', afterSeconds: 1 },
        { endpoint: 'endpoint-01', version: 2, kind: 'crash', afterSeconds: 1 },
      ],
      writes: [{ operation: 'roll', endpoint: 'endpoint-01', nth: 2, kind: 'mute', seconds: 1 }],
    },
  ],
  [
    'what somebody has stopped before the first roll is left, and another endpoint goes first',
    {
      policy: { ...QUIET.policy, failureThreshold: { percent: 50 } },
      people: [{ atSecond: 5, kind: 'stop', endpoint: 'endpoint-01' }],
      latencyMs: 2000,
    },
  ],
  [
    "what the list showed before the roll was nobody's who took it back after that",
    {
      endpoints: [1, 2, 1].map((version, index) => ({ name: `endpoint-0${index + 1}`, version })),
      policy: { ...QUIET.policy, failureThreshold: { percent: 50 } },
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      lists: [
        { kind: 'some', fromSecond: 7, seconds: 23 },
        { kind: 'frozen', fromSecond: 0, seconds: 1 },
      ],
      writes: [
        { operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
        { operation: 'roll', endpoint: 'endpoint-02', nth: 1, kind: 'ignored', seconds: 1 },
      ],
      people: [{ atSecond: 3, kind: 'move', endpoint: 'endpoint-02', version: 1 }],
      latencyMs: 2000,
    },
  ],
  [
    'batches that go at once read a list each, and only one of them may be old',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      policy: { ...QUIET.policy, maxUnavailable: { percent: 100 }, onFailure: 'roll-back' },
      writes: [
        { operation: 'roll', endpoint: 'endpoint-05', nth: 1, kind: 'forgotten', seconds: 1 },
        { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
        { operation: 'roll', endpoint: 'endpoint-03', nth: 1, kind: 'unheard', seconds: 1 },
      ],
      cannotStop: true,
    },
  ],
  [
    'an abort that asks for a way back when nobody can read the list has a deadline for each way',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      policy: { ...QUIET.policy, progressDeadlineSeconds: 600 },
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'vanish', afterSeconds: 1 }],
      word: { said: 'roll-back', at: 'close', nth: 1 },
    },
  ],
  [
    'on the way back nobody can say whether a roll has arrived whose answer shows no target',
    {
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'fail' }],
      writes: [{ operation: 'roll', endpoint: 'endpoint-01', nth: 2, kind: 'queued', seconds: 1 }],
    },
  ],
  [
    'on the way back a list is measured by all that there was, and not by what goes back',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'fail' }],
      lists: [{ kind: 'most', fromSecond: 12, seconds: 20 }],
    },
  ],
  [
    'who waits for the version may find an older release to a higher one under way, and take no step back',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      policy: { ...QUIET.policy, allowDowngrade: false, onConflict: 'latest' },
      people: [{ atSecond: 36, kind: 'stale' }],
      latencyMs: 2000,
      asked: { kind: 'listed', version: 2, state: 'making', isNewest: false, seconds: 70 },
    },
  ],
  [
    'what somebody has taken back before the undoing needs no roll',
    {
      people: [{ atSecond: 200, kind: 'move', endpoint: 'endpoint-01', version: 1 }],
      undo: { afterSeconds: 0, meanwhile: [], oldReads: 0 },
    },
  ],
  [
    'after a silence up to the deadline there are only so many looks, and the last one decides',
    {
      endpoints: fleetOf(endpointNames(1, 7)),
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 100 },
        verify: { ...QUIET.policy.verify, alarms: ['errors'] },
      },
      alarms: [{ verdict: 'unknown', fromSecond: 1, seconds: 900 }],
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'crash', afterSeconds: 123 }],
      lists: [{ kind: 'short', fromSecond: 123, seconds: 4 }],
      latencyMs: 2000,
    },
  ],
  [
    'an execution takes over a wait that is longer than it may last',
    {
      policy: { ...QUIET.policy, bakeSeconds: 43_200 },
      executionSeconds: 300,
    },
  ],
  [
    'an execution hands over before the next rolls when these are three batches, with their events',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
      },
      writes: ['endpoint-02', 'endpoint-04', 'endpoint-06'].map((endpoint) => ({
        operation: 'roll',
        endpoint,
        nth: 1,
        kind: 'UpstreamConflict',
        seconds: 1,
      })),
      executionEvents: 60,
    },
  ],
  [
    'a fleet is empty when all of it is stopped by the words of its policy',
    {
      policy: {
        ...QUIET.policy,
        statuses: { ...DEFAULT_POLICY.statuses, stopped: ['STOPPED', 'PAUSED'] },
      },
      lists: [{ kind: 'odd', fromSecond: 0, seconds: 900 }],
      people: [{ atSecond: 'before', kind: 'stop', endpoint: 'endpoint-01' }],
    },
  ],
  [
    'a way back to the same version has a token of its own',
    {
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'crash', afterSeconds: 1 }],
      writes: [{ operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 }],
      people: [{ atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 2 }],
      opensAfter: 900,
      cannotStop: true,
    },
  ],
  [
    'nobody knows which status rests while a list shows no endpoint at rest',
    {
      endpoints: [
        { name: 'endpoint-01', version: 1 },
        { name: 'endpoint-02', version: 2 },
      ],
      policy: {
        ...QUIET.policy,
        minServing: 1,
        statuses: { ...DEFAULT_POLICY.statuses, serving: ['RUNNING'] },
      },
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'stuck' }],
      lists: [{ kind: 'dark', fromSecond: 0, seconds: 1 }],
    },
  ],
  [
    'what somebody stops in the midst of its roll is no longer under way, and the next one goes',
    {
      endpoints: ['endpoint-01', 'endpoint-02', 'endpoint-03'].map((name) => ({
        name,
        version: 1,
      })),
      policy: { ...QUIET.policy, failureThreshold: { percent: 50 } },
      writes: [
        { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'late', seconds: 1 },
        { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
      ],
      people: [{ atSecond: 2, kind: 'stop', endpoint: 'endpoint-01' }],
    },
  ],
  [
    'two old answers show an endpoint on the way that an older release once sent it',
    {
      endpoints: [1, 2, 3, 4, 5, 6, 7].map((nth) => ({ name: `endpoint-0${nth}`, version: 1 })),
      rollSeconds: 20,
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 50 }, { percent: 100 }],
        bakeSeconds: 30,
        onConflict: 'latest',
      },
      writes: [
        { operation: 'roll', endpoint: 'endpoint-03', nth: 1, kind: 'forgotten', seconds: 1 },
      ],
      people: [
        { atSecond: 51, kind: 'stale' },
        { atSecond: 0, kind: 'stop', endpoint: 'endpoint-01' },
      ],
      stall: { point: 1, at: 'any', when: 'before', seconds: 110, isRaced: false },
      latencyMs: 300,
    },
  ],
  [
    'a lease that was taken by a clock that is behind has run out for a rollout that was asked for meanwhile',
    {
      policy: { ...QUIET.policy, progressDeadlineSeconds: 180 },
      people: [{ atSecond: 0, kind: 'rival' }],
      clock: { fromSecond: 0, seconds: 1, offsetMs: -3_600_000 },
    },
  ],
  [
    'what came to rest elsewhere less than a minute after it was rolled goes back at once',
    {
      endpoints: ['endpoint-01', 'endpoint-02', 'endpoint-03', 'endpoint-04'].map((name) => ({
        name,
        version: 1,
      })),
      policy: {
        ...QUIET.policy,
        waves: [{ percent: 50 }, { percent: 100 }],
        maxPollSeconds: 5,
        progressDeadlineSeconds: 180,
      },
      people: [
        { atSecond: 1, kind: 'move', endpoint: 'endpoint-02', version: 5 },
        { atSecond: 57, kind: 'abort', onFailure: 'roll-back' },
        { atSecond: 58, kind: 'move', endpoint: 'endpoint-02', version: 5 },
      ],
      latencyMs: 2000,
    },
  ],
  [
    'a process dies after its stops, and whoever takes its runtime finds them in the journal',
    {
      endpoints: fleetOf(endpointNames(1, 7)),
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [{ operation: 'stop', endpoint: 'endpoint-01', nth: 2, kind: 'lost', seconds: 1 }],
      death: { error: 'Killed', when: 'after', since: 'failing', point: 8 },
      resumesAfter: null,
    },
  ],
  [
    'a rollout waits for another release before it waits for its list again',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 0, seconds: 92 }],
      people: [{ atSecond: 0, kind: 'stale' }],
      policy: { ...QUIET.policy, onConflict: 'latest', progressDeadlineSeconds: 90 },
      stall: { point: 1, at: 'any', when: 'before', seconds: 1, isRaced: false },
    },
  ],
  [
    'a stop that a process noted just before it died may have been sent, so nothing rolls the endpoint back',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      policy: { ...QUIET.policy, maxUnavailable: { percent: 100 } },
      broken: [{ endpoint: 'endpoint-04', version: 2, kind: 'stuck' }],
      people: [{ atSecond: 106, kind: 'abort', onFailure: 'roll-back' }],
      death: { error: 'Killed', when: 'before', since: 'failing', point: 7 },
      resumesAfter: 148,
    },
  ],
  [
    'the read that comes after a minute shows the target, and does not say what is live',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 50 },
        bakeSeconds: 30,
        pollSeconds: 15,
        maxPollSeconds: 15,
        progressDeadlineSeconds: 180,
      },
      lists: [{ kind: 'sparse', fromSecond: 176, seconds: 30 }],
      writes: [
        {
          operation: 'roll',
          endpoint: 'endpoint-01',
          nth: 1,
          kind: 'UpstreamConflict',
          seconds: 1,
        },
        { operation: 'roll', endpoint: 'endpoint-03', nth: 1, kind: 'unheard', seconds: 1 },
      ],
    },
  ],
  [
    'what was on its way before is not rolled when a list does not say any more where it goes',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'stuck' }],
      lists: [{ kind: 'blind', fromSecond: 7, seconds: 5 }],
      people: [{ atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 2 }],
    },
  ],
  [
    'the time of a roll that was refused counts when somebody else rolls the endpoint after it',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      writes: [
        {
          operation: 'roll',
          endpoint: 'endpoint-01',
          nth: 1,
          kind: 'UpstreamThrottled',
          seconds: 11,
        },
      ],
      people: [{ atSecond: 7, kind: 'move', endpoint: 'endpoint-01', version: 2 }],
      latencyMs: 300,
    },
  ],
  [
    'a clock that was behind when a rollout began says that it began before the clock was wrong',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      lists: [{ kind: 'UpstreamTransient', fromSecond: 0, seconds: 27 }],
      clock: { fromSecond: 2, seconds: 30, offsetMs: -30_000 },
      death: { error: 'LedgerUnavailable', when: 'before', since: null, point: 10 },
    },
  ],
  [
    'an endpoint that is stopped just after its second roll was lost has failed, and not for want of a roll',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'refuse', httpStatus: 503, times: 2 }],
      writes: [rollFault('endpoint-01', 1, 'lost')],
      people: [{ kind: 'stop', endpoint: 'endpoint-01', atSecond: 62 }],
    },
  ],
  [
    'a fault of a third roll that was never made takes nothing from the answer to the first',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      writes: [rollFault('endpoint-01', 3, 'ignored')],
      people: [{ kind: 'move', endpoint: 'endpoint-01', version: 1, atSecond: 'rolled' }],
    },
  ],
  [
    'a roll that a process meant to send just before its end counts as open, though it was never sent',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      death: { error: 'Killed', when: 'before', since: 'wave-started', point: 5 },
      resumesAfter: null,
    },
  ],
  [
    'somebody moves an endpoint back to a version that has no replicas there: to undo the rollout is to roll it once more',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      guises: [{ endpoint: 'endpoint-02', shown: { replicas: 0 }, during: 'until rolled' }],
      undo: {
        afterSeconds: 300,
        meanwhile: [{ endpoint: 'endpoint-02', version: 1 }],
        oldReads: 0,
      },
    },
  ],
  [
    'the other rollout ends while this one reads the list that tells whether it has to ask: nobody is left to be asked',
    {
      earlier: {
        version: 1,
        askedAfter: -100,
        endsAfter: 3,
        isDead: false,
        givesWayAfter: null,
        rolloutId: 'earlier',
        isUnknown: false,
        isElsewhere: false,
      },
      latencyMs: 2000,
      policy: { ...QUIET.policy, onConflict: 'latest' },
    },
  ],
  [
    'a clock that is ahead when a rollout says how long it waits for another one names a later time',
    {
      earlier: {
        version: 2,
        askedAfter: -100,
        endsAfter: 90_000,
        isDead: false,
        givesWayAfter: null,
        rolloutId: 'earlier',
        isUnknown: false,
        isElsewhere: false,
      },
      clock: { fromSecond: 635, seconds: 10, offsetMs: 54_000 },
      policy: { ...QUIET.policy, onConflict: 'latest' },
    },
  ],
  [
    'a step dies between noting a roll and sending it: its endpoint got further then, and the deadline runs from there',
    {
      endpoints: fleetOf(endpointNames(1, 5)),
      broken: [
        { endpoint: 'endpoint-01', version: 1, kind: 'stuck', afterReplicas: 0 },
        { endpoint: 'endpoint-01', version: 2, kind: 'refuse', httpStatus: 503, times: 1 },
      ],
      lists: [{ kind: 'ListUnstable', fromSecond: 129, seconds: 21 }],
      death: { error: 'LedgerUnavailable', when: 'before', since: null, point: 17 },
      latencyMs: 2000,
    },
  ],
  [
    'a roll that is repeated under its token is answered after somebody has moved its endpoint back: it shows no target',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      writes: [
        { operation: 'roll', endpoint: 'endpoint-02', nth: 1, kind: 'unheard', seconds: 1 },
        { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
      ],
      people: [{ kind: 'move', atSecond: 'rolled', endpoint: 'endpoint-02', version: 1 }],
      cannotStop: true,
      policy: { ...QUIET.policy, onFailure: 'roll-back' },
    },
  ],
  [
    'a process dies after it has meant a stop, and somebody aborts then: the stop is in doubt, whatever the abort asks for',
    {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [rollFault('endpoint-01', 1, 'lost')],
      people: [{ atSecond: 159, kind: 'abort', onFailure: null }],
      death: { error: 'Killed', when: 'before', since: 'failing', point: 7 },
      resumesAfter: null,
    },
  ],
  [
    'it is about to end because of its list when somebody asks for its stops, and a list can be read before it ends so',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 1, seconds: 95 }],
      word: { said: 'stop-old', at: 'close', nth: 1 },
      death: { error: 'Killed', when: 'before', since: 'failing', point: 1 },
    },
  ],
  [
    'a newer rollout asks it to give way under a pause, in which it gives way to nobody, and it fails: its stops pass',
    {
      broken: [
        { endpoint: 'endpoint-01', version: 2, kind: 'fail', afterReplicas: 0 },
        { endpoint: 'endpoint-01', version: 1, kind: 'slow', rollSeconds: 90 },
        { endpoint: 'endpoint-01', version: 1, kind: 'slow', rollSeconds: 90 },
      ],
      people: [{ atSecond: 20, kind: 'rival' }],
      latencyMs: 2000,
      held: {
        holds: [{ kind: 'pause', on: 'everything', liftedAfter: null, from: 15, seconds: 1500 }],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
      policy: { ...QUIET.policy, onConflict: 'latest' },
    },
  ],
  [
    'it is told to stop the old endpoints while it reads the list that its way back is drawn on',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 7, seconds: 100 }],
      people: [
        { atSecond: 107, kind: 'abort', onFailure: 'stop-old' },
        { atSecond: 0, kind: 'stop', endpoint: 'endpoint-01' },
      ],
      word: { said: 'roll-back', at: 'close', nth: 1 },
      latencyMs: 2000,
    },
  ],
  [
    'its process stands still after a long wait, with the lease proven and the holds not heard yet: it reads the list once more',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      rollSeconds: 900,
      resumesAfter: 1,
      stall: { at: 'any', point: 103, when: 'before', seconds: 401, isRaced: true },
      latencyMs: 2000,
      executionSeconds: 300,
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        pollSeconds: 15,
        maxPollSeconds: 400,
        progressDeadlineSeconds: 2400,
      },
    },
  ],
  [
    'its clock is half a minute behind, and what it writes down of its failure seems older than the list that shows why',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      people: [{ atSecond: 2, kind: 'stop', endpoint: 'endpoint-01' }],
      clock: { fromSecond: 0, seconds: 33, offsetMs: -30000 },
      death: { error: 'LedgerUnavailable', when: 'before', since: null, point: 1 },
      latencyMs: 300,
      policy: { ...QUIET.policy, pollSeconds: 15 },
    },
  ],
  [
    'an endpoint that was live vanishes while the roll of another one does not start: that is a bad failure',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      broken: [
        { endpoint: 'endpoint-07', version: 2, kind: 'refuse', httpStatus: 503, times: 2 },
        { endpoint: 'endpoint-05', version: 2, kind: 'vanish', afterSeconds: 56 },
      ],
      policy: { ...QUIET.policy, maxUnavailable: { percent: 75 } },
    },
  ],
  [
    'an endpoint refuses its first roll because it is busy, and fails just after the second one: no list has shown it well since then',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [
        { endpoint: 'endpoint-01', kind: 'stuck' },
        {
          endpoint: 'endpoint-01',
          version: 2,
          kind: 'take-back',
          afterSeconds: 1,
          status: 'ERROR',
          reason: 'The health check of the service failed.',
        },
        { endpoint: 'endpoint-01', kind: 'busy', httpStatus: 400, fromSecond: 0, seconds: 3 },
      ],
      writes: [{ operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 }],
      latencyMs: 300,
    },
  ],
  [
    'it is told to roll back once its list cannot be read any more: what is live on the version is not rolled back, and that is missing',
    {
      rollSeconds: 20,
      lists: [{ kind: 'UpstreamRedirect', fromSecond: 21, seconds: 900 }],
      word: { said: 'roll-back', at: 'close', nth: 1 },
      policy: { ...QUIET.policy, progressDeadlineSeconds: 180 },
    },
  ],
  [
    'it hands over before a minute of a pause that it has no time for, and listens, so that it waits for less of it',
    {
      endpoints: fleetOf(endpointNames(1, 5)),
      people: [{ atSecond: 20, kind: 'rival' }],
      guises: [{ endpoint: 'endpoint-01', shown: null, during: [1] }],
      latencyMs: 2000,
      executionSeconds: 300,
      executionEvents: 60,
      held: listening({
        kind: 'pause',
        on: 'everything',
        liftedAfter: null,
        from: 15,
        seconds: 400,
      }),
      policy: { ...QUIET.policy, onConflict: 'latest' },
    },
  ],
  [
    'it hands over before a freeze that outlasts its execution, and the freeze is lifted',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      executionSeconds: 300,
      held: listening(
        { kind: 'freeze', on: 'everything', from: 'opened', seconds: 400, liftedAfter: 3 },
        { kind: 'pause', on: 'everything', from: 0, seconds: 7, liftedAfter: null },
      ),
    },
  ],
  [
    'it listens while it waits for an approval, and looks as soon as it hears one',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      people: [
        { kind: 'approve', wave: 0, atSecond: 36 },
        { kind: 'approve', wave: 0, atSecond: 38 },
      ],
      held: listening({
        kind: 'freeze',
        on: 'everything',
        from: 'ended',
        seconds: 7,
        liftedAfter: null,
      }),
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { endpoints: 2 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        progressDeadlineSeconds: 180,
        verify: { ...NO_GATES, approval: { timeoutSeconds: 300, onTimeout: 'approve' } },
      },
    },
  ],
  [
    'an older request was ahead of it, and its alarm is red when it could begin',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      alarms: [{ verdict: 'fail', fromSecond: 0, seconds: 30 }],
      ahead: { version: 2, askedAfter: -1, wakesAfter: null, state: 'unknown' },
      policy: {
        ...QUIET.policy,
        onConflict: 'latest',
        verify: { ...NO_GATES, alarms: ['errors'] },
      },
    },
  ],
  [
    'an endpoint is at the version while it waits to begin, and somebody moves it to another one before the plan',
    {
      endpoints: [
        { name: 'endpoint-01', version: 1 },
        { name: 'endpoint-02', version: 2 },
        { name: 'endpoint-03', version: 1 },
        { name: 'endpoint-04', version: 1 },
      ],
      writes: [rollFault('endpoint-01', 1, 'lost'), rollFault('endpoint-01', 1, 'lost')],
      people: [{ atSecond: 0, kind: 'stale' }],
      latencyMs: 2000,
      opensAfter: 900,
      asked: { kind: 'source', endpoint: 'endpoint-02', state: 'settled' },
    },
  ],
  [
    'a freeze lasts longer than its version takes to be made',
    {
      asked: { kind: 'listed', version: 2, state: 'making', seconds: 20, isNewest: false },
      held: {
        holds: [
          { kind: 'freeze', on: 'everything', from: 'before', seconds: 1500, liftedAfter: null },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'an alarm is red, and a list has to show first that there is nothing to roll',
    {
      endpoints: [
        { name: 'endpoint-01', version: 2 },
        { name: 'endpoint-02', version: 2 },
      ],
      alarms: [{ verdict: 'fail', fromSecond: 0, seconds: 1 }],
      policy: { ...QUIET.policy, verify: { ...NO_GATES, alarms: ['errors'] } },
    },
  ],
  [
    'somebody aborts it while it waits with its lease for the end of a freeze, at which it looks every five minutes',
    {
      people: [{ kind: 'abort', onFailure: 'hold', atSecond: 0 }],
      held: unheard({
        kind: 'freeze',
        on: 'everything',
        from: 'opened',
        seconds: 5400,
        liftedAfter: 3,
      }),
    },
  ],
  [
    'its process dies in a bake, and in a pause the time for a silent gate stands still',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      alarms: [{ verdict: 'unknown', fromSecond: 0, seconds: 9000 }],
      death: { error: 'Killed', when: 'before', point: 6, since: 'wave-converged' },
      resumesAfter: 1,
      held: unheard({ kind: 'pause', on: 'everything', from: 0, seconds: 400, liftedAfter: null }),
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        progressDeadlineSeconds: 180,
        verify: { ...NO_GATES, alarms: ['errors'] },
      },
    },
  ],
  [
    'a step dies, and in a pause the time for a list that cannot be read stands still',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 1, seconds: 491 }],
      death: { error: 'LedgerUnavailable', when: 'before', since: null, point: 16 },
      held: unheard({
        kind: 'pause',
        on: 'everything',
        from: 'before',
        seconds: 400,
        liftedAfter: null,
      }),
    },
  ],
  [
    'a freeze comes while it waits for its list, for which it waits anew after that',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 0, seconds: 123 }],
      held: unheard({ kind: 'freeze', on: 'everything', from: 0, seconds: 7, liftedAfter: null }),
    },
  ],
  [
    'a gate is silent from the first of many rolls on, and has its deadline after the bake',
    {
      endpoints: fleetOf(endpointNames(1, 7)),
      writes: endpointNames(1, 7).map((name) => rollFault(name, 1, 'unheard')),
      alarms: [{ verdict: 'unknown', fromSecond: 0, seconds: 3000 }],
      promotions: [{ wave: 1, afterSeconds: 0, isFull: false }],
      policy: {
        ...QUIET.policy,
        waves: [{ percent: 100, bakeSeconds: 120 }],
        maxUnavailable: { percent: 50 },
        bakeSeconds: 120,
        progressDeadlineSeconds: 600,
        verify: { ...NO_GATES, alarms: ['errors'] },
      },
    },
  ],
  [
    'its gates are asked at looks of their own between those at the list',
    {
      endpoints: fleetOf(endpointNames(1, 7)),
      rollSeconds: 60,
      broken: [{ endpoint: 'endpoint-07', kind: 'stuck' }],
      writes: [{ operation: 'stop', endpoint: 'endpoint-07', nth: 1, kind: 'lost', seconds: 1 }],
      policy: {
        ...QUIET.policy,
        pollSeconds: 15,
        progressDeadlineSeconds: 600,
        verify: { ...NO_GATES, alarms: ['errors'], everySeconds: 50 },
      },
    },
  ],
  [
    'its service takes an endpoint back that somebody else had moved, long before the wave of that endpoint',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      rollSeconds: 60,
      broken: [
        {
          endpoint: 'endpoint-02',
          version: 2,
          kind: 'take-back',
          afterSeconds: 1,
          status: 'ACTIVE',
          reason: 'The health check of the service failed.',
        },
        { endpoint: 'endpoint-01', version: 1, kind: 'stuck', afterReplicas: 0 },
      ],
      people: [
        { atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 2 },
        { atSecond: 'before', kind: 'move', endpoint: 'endpoint-02', version: 2 },
      ],
      policy: {
        ...QUIET.policy,
        waves: [{ percent: 25 }, { percent: 50 }, { percent: 75 }, { percent: 100 }],
        bakeSeconds: 120,
      },
    },
  ],
  [
    'its process dies after it has noted a roll, looks show nothing of it, and the endpoint fails just after the roll that is sent then',
    {
      endpoints: [
        { name: 'endpoint-01', version: 2 },
        { name: 'endpoint-02', version: 1 },
      ],
      broken: [takenBack('endpoint-02')],
      death: { error: 'LedgerUnavailable', when: 'after', since: 'wave-started', point: 6 },
      busDown: { fromSecond: 0, seconds: 901 },
      opensAfter: 900,
      executionSeconds: 300,
    },
  ],
  [
    'nobody promotes a wave of a rollout whose process had died before that, and so it bakes for longer than its twin',
    {
      endpoints: fleetOf(endpointNames(1, 2)),
      death: { error: 'Killed', when: 'before', since: 'wave-started', point: 3 },
      resumesAfter: 1,
      promotions: [{ wave: 0, afterSeconds: 0, isFull: false }],
      policy: { ...QUIET.policy, bakeSeconds: 600 },
    },
  ],
  ['its service takes an endpoint back with a failed status', FAILED_BACK],
  ['another rollout has put its version into quarantine', RELEASED_BADLY],
  ['its gate is red, and another one has the runtime as well', RED_AND_HELD],
  [
    'its gate is red, so it does not wait for the one that has the runtime',
    { ...RED_AND_HELD, policy: { ...QUIET.policy, ...RED.policy, onConflict: 'latest' } },
  ],
  ['its gate is red when it has found the latest version', RED_FOR_LATEST],
  ['its process dies after a wave that was promoted in the silence of a gate', PROMOTED_IN_SILENCE],
  [
    'its process dies in a long bake, whose silent gate holds nothing before its end',
    {
      ...PROMOTED_IN_SILENCE,
      endpoints: fleetOf(endpointNames(1, 2)),
      death: { error: 'Killed', when: 'before', point: 5, since: 'wave-converged' },
      resumesAfter: 600,
      promotions: [],
      policy: {
        ...QUIET.policy,
        bakeSeconds: 600,
        verify: { ...NO_GATES, alarms: ['errors'], everySeconds: 15 },
      },
    },
  ],
  ['its roll was put off, and fails at once', FAILED_LATE],
  [
    'its process dies before it is recorded and out of its window, which is open an hour later',
    {
      death: { error: 'Killed', when: 'before', since: null, point: 1 },
      resumesAfter: null,
      hours: {
        freezes: [],
        outsideWindow: 'refuse',
        windows: [{ days: ['thu'], from: '00:15', to: '24:00', timeZone: 'UTC' }],
        openings: [[900, 86_400]],
      },
    },
  ],
  ['its gate sends it back while the service wants to be asked later', TURNED_LATER],
  [
    'somebody sends it back while the service wants to be asked later, and its list cannot be read',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      lists: [{ kind: 'UpstreamTransient', fromSecond: 15, seconds: 3 }],
      writes: [{ ...rollFault('endpoint-02', 1, 'UpstreamThrottled'), seconds: 56 }],
      people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 14 }],
    },
  ],
  [
    'the latest version that its service lists is the one before, which is in quarantine',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      asked: {
        ...{ kind: 'listed', version: 'latest', state: 'unlisted', seconds: 70 },
        isNewest: false,
      },
      held: {
        holds: [
          {
            ...{ kind: 'quarantine', on: 'version before', from: 'before', seconds: 7 },
            liftedAfter: null,
          },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  ['another one takes it over when all its endpoints look live', TAKEN_WHEN_LIVE],
  [
    'an error cuts it off when its endpoint looks live, which would have gone back',
    CUT_OFF_WHEN_LIVE,
  ],
  ['a list that shows a stopped endpoint at work is read just when it fails', STOPPED_WHILE_BUSY],
  [
    'the step that stops two endpoints dies after the first one, and somebody aborts and asks for nothing',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      broken: [
        { endpoint: 'endpoint-01', kind: 'stuck' },
        { endpoint: 'endpoint-03', kind: 'stuck' },
      ],
      writes: [{ ...rollFault('endpoint-03', 1, 'lost'), operation: 'stop', seconds: 1 }],
      word: { said: 'hold', at: 'close', nth: 1 },
      death: { error: 'Runtime.ExitError', when: 'after', since: 'failing', point: 6 },
      policy: { ...QUIET.policy, maxUnavailable: { percent: 75 } },
    },
  ],
  [
    'only lists that leave out too much show its endpoint live, and the next ones show it without replicas',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      rollSeconds: 60,
      lists: [
        { kind: 'most', fromSecond: 43, seconds: 48 },
        { kind: 'dark', fromSecond: 92, seconds: 54 },
      ],
    },
  ],
  [
    'its wave is promoted after a no, and then the gate is silent for the rest of the deadline',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      rollSeconds: 60,
      alarms: [
        { verdict: 'unknown', fromSecond: 0, seconds: 76 },
        { verdict: 'fail', fromSecond: 76, seconds: 60 },
        { verdict: 'unknown', fromSecond: 136, seconds: 90 },
      ],
      promotions: [{ wave: 0, afterSeconds: 0, isFull: false }],
      policy: {
        ...QUIET.policy,
        pollSeconds: 15,
        bakeSeconds: 1800,
        verify: { ...NO_GATES, alarms: ['errors'], everySeconds: 60 },
      },
    },
  ],
  [
    'somebody else moves an endpoint whose roll has no answer, and the list cannot be read when it turns around',
    {
      endpoints: fleetOf(endpointNames(1, 12)),
      rollSeconds: 20,
      people: [
        { kind: 'abort', onFailure: 'roll-back', atSecond: 29 },
        { kind: 'move', endpoint: 'endpoint-01', version: 5, atSecond: 21 },
        { kind: 'move', endpoint: 'endpoint-02', version: 7, atSecond: 28 },
      ],
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 100 },
        progressDeadlineSeconds: 180,
      },
      wire: {
        auth: 'client-credentials',
        tokenSeconds: 20,
        reads: [],
        writes: [
          { kind: 'expired', seconds: 1, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'late', seconds: 11, retryAfter: 'none' },
        ],
        tokens: [
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'empty', seconds: 1, retryAfter: 'none' },
        ],
      },
    },
  ],
  [
    'all waves that follow are promoted, and at the end of one there is nothing to ask of its metrics yet',
    {
      endpoints: fleetOf(endpointNames(1, 7)),
      rollSeconds: 60,
      promotions: [{ wave: 0, afterSeconds: 0, isFull: true }],
      policy: {
        ...QUIET.policy,
        waves: [
          { percent: 25, bakeSeconds: 120 },
          { percent: 50, bakeSeconds: 120 },
          { percent: 100, bakeSeconds: 120 },
        ],
        progressDeadlineSeconds: 600,
        verify: {
          ...NO_GATES,
          metrics: [
            metricRule({
              delaySeconds: 60,
              dimensions: { Runtime: '{runtime}', Version: '{version}', Name: '{endpoint}' },
            }),
          ],
        },
      },
    },
  ],
  [
    'one read has shown the target of a roll without an answer, and none for a minute after it: the roll is made once more',
    {
      writes: [rollFault('endpoint-01', 1, 'unheard')],
      people: [{ kind: 'move', atSecond: 'seen', endpoint: 'endpoint-01', version: 1 }],
      held: unheard({ kind: 'pause', on: 'runtime', from: 43, seconds: 90, liftedAfter: null }),
    },
  ],
  [
    'a newer rollout that waits under a freeze asks nobody to give way',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      rollSeconds: 400,
      people: [
        { kind: 'rival', atSecond: 30 },
        { kind: 'rival', atSecond: 71 },
      ],
      held: unheard({
        ...{ kind: 'freeze', on: 'everything', from: 31 },
        ...{ seconds: 400, liftedAfter: null },
      }),
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 25 },
        pollSeconds: 300,
        maxPollSeconds: 300,
        progressDeadlineSeconds: 2400,
        onConflict: 'latest',
      },
    },
  ],
  [
    'the list of the first roll, read at the moment of the plan, shows an endpoint in another state',
    {
      endpoints: [
        { name: 'endpoint-01', version: 2 },
        { name: 'endpoint-02', version: 1 },
      ],
      guises: [
        {
          endpoint: 'endpoint-01',
          shown: { targetVersion: 0, liveVersion: 0, replicas: 0 },
          during: [1, 2],
        },
      ],
    },
  ],
  [
    'only the lists of two batches have shown an endpoint on its way, which somebody moves then',
    {
      endpoints: [
        ...fleetOf(endpointNames(1, 4)),
        { name: 'endpoint-05', version: 2 },
        { name: 'endpoint-06', version: 1 },
      ],
      broken: [{ endpoint: 'endpoint-04', version: 2, kind: 'refuse', httpStatus: 429, times: 2 }],
      people: [{ kind: 'move', atSecond: 'seen', endpoint: 'endpoint-06', version: 1 }],
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 75 },
      },
    },
  ],
  [
    'its process is left for dead while it waits for its window, and goes on a week later',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      death: { error: 'Killed', when: 'before', since: null, point: 9 },
      resumesAfter: null,
      hours: {
        freezes: [],
        outsideWindow: 'wait',
        windows: [{ days: ['thu'], from: '08:00', to: '09:00', timeZone: 'Asia/Tokyo' }],
        openings: [[601_200, 604_800]],
      },
    },
  ],
  [
    'a pause is over just after a look that has heard of it, while its list cannot be read',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 1, seconds: 135 }],
      held: unheard({ kind: 'pause', on: 'everything', from: 39, seconds: 7, liftedAfter: 61 }),
      policy: { ...QUIET.policy, pollSeconds: 15 },
    },
  ],
  [
    'an answer of the token endpoint that cannot be read keeps the list from being read, up to the deadline',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      rollSeconds: 20,
      clock: { fromSecond: 0, seconds: 1, offsetMs: -3600000 },
      wire: {
        auth: 'client-credentials',
        tokenSeconds: 20,
        reads: [
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'throttled', seconds: 900, retryAfter: 'seconds' },
        ],
        writes: [],
        tokens: [
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
          { kind: 'envelope', seconds: 1, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
        ],
      },
      policy: {
        ...QUIET.policy,
        onFailure: { stuck: 'roll-back', bad: 'stop-old' },
        pollSeconds: 15,
      },
    },
  ],
  [
    'its gate is red when its runtime is taken: it is refused, and asks nobody to give way',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      alarms: [{ verdict: 'fail', fromSecond: 0, seconds: 30 }],
      resumesAfter: null,
      earlier: {
        version: 1,
        askedAfter: -3600,
        rolloutId: 'earlier',
        endsAfter: 2682,
        isDead: true,
        givesWayAfter: null,
        isUnknown: true,
        isElsewhere: false,
      },
      promotions: [{ wave: 0, afterSeconds: 0, isFull: false }],
      policy: {
        ...QUIET.policy,
        waves: [{ percent: 100, bakeSeconds: 120 }],
        bakeSeconds: 120,
        allowDowngrade: false,
        onConflict: 'latest',
        verify: { probe: null, alarms: ['errors'], metrics: [], approval: null, warmUpSeconds: 0 },
      },
    },
  ],
  [
    'the latest version comes into quarantine just after it was found out',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      asked: { kind: 'listed', version: 'latest', state: 'ready', seconds: 0, isNewest: false },
      held: {
        holds: [
          { kind: 'quarantine', on: 'version', from: 'opened', seconds: 7, liftedAfter: null },
          { kind: 'pause', on: 'everything', from: 0, seconds: 7, liftedAfter: 3 },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'an endpoint whose only roll was refused fails when somebody else rolls it to the version',
    {
      endpoints: fleetOf(endpointNames(1, 4)),
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'fail', afterReplicas: 0 }],
      writes: [
        {
          operation: 'roll',
          nth: 1,
          kind: 'UpstreamThrottled',
          seconds: 15,
          endpoint: 'endpoint-01',
        },
      ],
      people: [{ atSecond: 0, kind: 'move', endpoint: 'endpoint-01', version: 2 }],
      resumesAfter: null,
      held: {
        holds: [
          { kind: 'pause', on: 'everything', from: 'refused', seconds: 7, liftedAfter: null },
          { kind: 'pause', on: 'everything', from: 0, seconds: 7, liftedAfter: 3 },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'its first roll waits 74 s for the ledger, which counts, and its endpoint has failed at the first look',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [{ endpoint: 'endpoint-01', version: 2, kind: 'fail', afterReplicas: 0 }],
      writes: [
        { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'UpstreamTimeout', seconds: 1 },
        { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 },
      ],
      stall: { point: 1, at: 'append', when: 'before', seconds: 74, isRaced: false },
      policy: {
        ...QUIET.policy,
        pollSeconds: 15,
      },
    },
  ],
  [
    'it stands still after it has read the holds, and is refused by one that is over by then',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      resumesAfter: null,
      stall: { point: 7, at: 'any', when: 'before', seconds: 23, isRaced: false },
      held: {
        holds: [
          { kind: 'pause', on: 'everything', from: 0, seconds: 7, liftedAfter: 3 },
          { kind: 'freeze', on: 'everything', from: 'before', seconds: 7, liftedAfter: 3 },
        ],
        isOfGroup: false,
        refuses: true,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'of two reads at the moment of the turn, an old one came first and shows an endpoint as its own',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [
        { endpoint: 'endpoint-01', version: 2, kind: 'refuse', httpStatus: 429, times: 2 },
        { endpoint: 'endpoint-01', version: 1, kind: 'vanish', afterSeconds: 1 },
      ],
      lists: [{ kind: 'flash', fromSecond: 4, seconds: 5 }],
      people: [{ kind: 'move', atSecond: 'seen', endpoint: 'endpoint-01', version: 5 }],
      word: { said: 'roll-back', at: 'roll', nth: 3 },
    },
  ],
  [
    'a person wants the latest version again, which is in quarantine',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      asked: { kind: 'listed', version: 'latest', state: 'ready', seconds: 0, isNewest: false },
      held: {
        holds: [
          { kind: 'quarantine', on: 'version', from: 'before', seconds: 1500, liftedAfter: null },
          { kind: 'freeze', on: 'everything', from: 0, seconds: 7, liftedAfter: 3 },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: true,
        listens: false,
      },
    },
  ],
  [
    'a pause is heard just before its end, on a slow service whose list cannot be read',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 5, seconds: 145 }],
      latencyMs: 2000,
      held: {
        holds: [{ kind: 'pause', on: 'everything', from: 32, seconds: 7, liftedAfter: null }],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
      policy: {
        ...QUIET.policy,
        pollSeconds: 15,
      },
    },
  ],
  [
    'its clock is ahead, and takes a pause for one that is over',
    {
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [{ operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 }],
      clock: { fromSecond: 0, seconds: 84, offsetMs: 3600000 },
      held: {
        holds: [{ kind: 'pause', on: 'everything', from: 0, seconds: 400, liftedAfter: 1200 }],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'nobody is let in for its last roll forward, so that one goes back alone',
    {
      endpoints: [
        { name: 'endpoint-01', version: 1 },
        { name: 'endpoint-02', version: 1 },
        { name: 'endpoint-03', version: 1 },
        { name: 'endpoint-04', version: 1 },
        { name: 'endpoint-05', version: 2 },
        { name: 'endpoint-06', version: 1 },
        { name: 'endpoint-07', version: 1 },
        { name: 'endpoint-08', version: 1 },
        { name: 'endpoint-09', version: 1 },
        { name: 'endpoint-10', version: 1 },
      ],
      broken: [{ endpoint: 'endpoint-09', version: 2, kind: 'refuse', httpStatus: 403, times: 1 }],
      alarms: [
        { verdict: 'fail', fromSecond: 1, seconds: 18 },
        { verdict: 'fail', fromSecond: 1, seconds: 1 },
      ],
      cannotStop: true,
      held: {
        holds: [{ kind: 'quarantine', on: 'another version', from: 0, seconds: 7, liftedAfter: 3 }],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
      watcher: { verdict: 'fail', fromSecond: 0, seconds: 1 },
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 75 },
        onFailure: 'roll-back',
        verify: {
          probe: null,
          alarms: ['errors', { name: 'watched', enforce: false }],
          metrics: [],
          everySeconds: 60,
          warmUpSeconds: 0,
          approval: null,
        },
      },
    },
  ],
  [
    'whoever goes on with it looks when its window is open by then',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      death: { error: 'Killed', when: 'before', since: null, point: 3 },
      resumesAfter: 810,
      hours: {
        freezes: [],
        outsideWindow: 'refuse',
        windows: [{ days: ['thu'], from: '00:15', to: '24:00', timeZone: 'UTC' }],
        openings: [[900, 86400]],
      },
    },
  ],
  [
    'whoever undoes it listens, and looks at once when a hold is lifted',
    {
      lists: [{ kind: 'frozen', fromSecond: 60, seconds: 4 }],
      alarms: [{ verdict: 'fail', fromSecond: 81, seconds: 9 }],
      stall: { point: 1, at: 'any', when: 'after', seconds: 726, isRaced: false },
      endpoints: [
        { name: 'endpoint-01', version: 1 },
        { name: 'endpoint-02', version: 1 },
        { name: 'endpoint-03', version: 1 },
        { name: 'endpoint-04', version: 1 },
        { name: 'endpoint-05', version: 1 },
        { name: 'endpoint-06', version: 3 },
        { name: 'endpoint-07', version: 3 },
      ],
      busDown: { fromSecond: 37, seconds: 1999 },
      resumesAfter: 824,
      undo: { afterSeconds: 0, meanwhile: [], oldReads: 0 },
      held: {
        holds: [
          { kind: 'freeze', on: 'runtime', from: 'wave-converged', seconds: 90, liftedAfter: 61 },
          { kind: 'pause', on: 'runtime', from: 'opened', seconds: 90, liftedAfter: 300 },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: true,
      },
      watcher: { verdict: 'fail', fromSecond: 116, seconds: 573 },
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 34 },
        onFailure: 'roll-back',
        bakeSeconds: 30,
        minServing: 3,
        verify: {
          probe: null,
          alarms: ['errors', { name: 'watched', enforce: false }],
          metrics: [],
          everySeconds: 15,
          warmUpSeconds: 0,
          approval: null,
        },
      },
    },
  ],
  [
    'it stands still until the one that races it has ended, and is refused by what it had read',
    {
      broken: [
        { endpoint: 'endpoint-03', kind: 'stuck' },
        { endpoint: 'endpoint-02', version: 2, kind: 'fail', afterReplicas: 1 },
      ],
      lists: [{ kind: 'UpstreamAuth', fromSecond: 3, seconds: 1 }],
      writes: [
        {
          operation: 'stop',
          endpoint: 'endpoint-03',
          nth: 2,
          kind: 'UpstreamConflict',
          seconds: 5,
        },
      ],
      word: { said: null, at: 'stop', nth: 1 },
      alarms: [
        { verdict: 'fail', fromSecond: 48, seconds: 228 },
        { verdict: 'fail', fromSecond: 75, seconds: 288 },
      ],
      stall: { point: 6, at: 'any', when: 'after', seconds: 774, isRaced: true },
      endpoints: [
        { name: 'endpoint-01', version: 1 },
        { name: 'endpoint-02', version: 3 },
        { name: 'endpoint-03', version: 1 },
      ],
      rollSeconds: 60,
      busDown: { fromSecond: 7, seconds: 1999 },
      resumesAfter: 898,
      latencyMs: 2000,
      executionEvents: 60,
      held: {
        holds: [
          { kind: 'quarantine', on: 'version', from: 'before', seconds: 1500, liftedAfter: null },
          { kind: 'freeze', on: 'runtime', from: 14, seconds: 90, liftedAfter: 300 },
          { kind: 'freeze', on: 'group', from: 'before', seconds: 90, liftedAfter: 3 },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: true,
      },
      watcher: { verdict: 'fail', fromSecond: 109, seconds: 269 },
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 5, bakeSeconds: 180 }, { percent: 100 }],
        maxUnavailable: { percent: 34 },
        failureThreshold: { endpoints: 1 },
        bakeSeconds: 120,
        pollSeconds: 15,
        maxPollSeconds: 30,
        progressDeadlineSeconds: 180,
        onConflict: 'latest',
        verify: {
          probe: null,
          alarms: ['errors', { name: 'watched', enforce: false }],
          metrics: [],
          everySeconds: 15,
          warmUpSeconds: 30,
          approval: null,
        },
      },
    },
  ],
  [
    'a service that is not quick, and a bake whose rest is a whole number of seconds',
    {
      endpoints: fleetOf(endpointNames(1, 3)),
      alarms: [{ verdict: 'fail', fromSecond: 2, seconds: 30 }],
      latencyMs: 300,
      promotions: [{ wave: 2, afterSeconds: 0, isFull: false }],
      watcher: { verdict: 'fail', fromSecond: 0, seconds: 1 },
      policy: {
        ...QUIET.policy,
        waves: [
          { endpoints: 1, bakeSeconds: 1800 },
          { percent: 100, bakeSeconds: 1800 },
        ],
        bakeSeconds: 1800,
        pollSeconds: 15,
        verify: {
          probe: null,
          alarms: ['errors', { name: 'watched', enforce: false }],
          metrics: [],
          everySeconds: 60,
          warmUpSeconds: 0,
          approval: null,
        },
      },
    },
  ],
  [
    'nothing is to be rolled to a version that has come into quarantine',
    {
      endpoints: [{ name: 'endpoint-01', version: 2 }],
      wire: {
        auth: 'client-credentials',
        tokenSeconds: 20,
        reads: [
          { kind: 'late', seconds: 1, retryAfter: 'none' },
          { kind: 'plain', seconds: 0, retryAfter: 'none' },
        ],
        writes: [],
        tokens: [],
      },
      asked: { kind: 'source', endpoint: 'endpoint-01', state: 'settled' },
      held: {
        holds: [
          { kind: 'freeze', on: 'everything', from: 0, seconds: 7, liftedAfter: 3 },
          { kind: 'quarantine', on: 'version', from: 'opened', seconds: 7, liftedAfter: null },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'a gate is silent, says no once, and is silent again: one doubt, and one deadline',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      alarms: [
        { verdict: 'fail', fromSecond: 97, seconds: 9 },
        { verdict: 'unknown', fromSecond: 0, seconds: 166 },
      ],
      resumesAfter: null,
      watcher: { verdict: 'fail', fromSecond: 0, seconds: 1 },
      policy: {
        ...QUIET.policy,
        maxUnavailable: { percent: 50 },
        pollSeconds: 15,
        verify: {
          probe: null,
          alarms: ['errors', { name: 'watched', enforce: false }],
          metrics: [],
          everySeconds: 60,
          warmUpSeconds: 0,
          approval: null,
        },
      },
    },
  ],
  [
    'a freeze is longer than its window, so that it waits for the next one',
    {
      hours: {
        freezes: [],
        outsideWindow: 'wait',
        windows: [{ days: ['thu'], from: '08:00', to: '09:00', timeZone: 'Asia/Tokyo' }],
        openings: [[601200, 604800]],
      },
      held: {
        holds: [
          { kind: 'freeze', on: 'everything', from: 'opened', seconds: 5400, liftedAfter: null },
          { kind: 'pause', on: 'everything', from: 0, seconds: 7, liftedAfter: null },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'an endpoint was moved away before a look has seen it on its way, and is live on the version for a while',
    {
      endpoints: fleetOf(endpointNames(1, 8)),
      broken: [
        { endpoint: 'endpoint-01', version: 1, kind: 'slow', rollSeconds: 90 },
        { endpoint: 'endpoint-06', version: 1, kind: 'fail', afterReplicas: 0 },
      ],
      people: [{ kind: 'move', atSecond: 'seen', endpoint: 'endpoint-01', version: 1 }],
      policy: {
        ...QUIET.policy,
        pollSeconds: 15,
      },
    },
  ],
  [
    'the latest version is in quarantine, and its endpoint is above the one below that',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      people: [{ atSecond: 'before', kind: 'move', endpoint: 'endpoint-01', version: 2 }],
      asked: { kind: 'listed', version: 'latest', state: 'ready', seconds: 0, isNewest: false },
      held: {
        holds: [{ kind: 'quarantine', on: 'version', from: 'before', seconds: 7, liftedAfter: 3 }],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'a wave is rejected just after its time has approved it, and the next one rolls an hour later',
    {
      endpoints: fleetOf(endpointNames(1, 6)),
      people: [{ atSecond: 41, kind: 'reject', wave: 0 }],
      resumesAfter: null,
      stall: { point: 4, at: 'hear', when: 'before', seconds: 1, isRaced: true },
      policy: {
        ...QUIET.policy,
        waves: [{ endpoints: 1 }, { percent: 100 }],
        verify: {
          probe: null,
          alarms: [],
          metrics: [],
          everySeconds: 60,
          warmUpSeconds: 0,
          approval: { timeoutSeconds: 30, onTimeout: 'approve' },
        },
      },
    },
  ],
  [
    'its clock is behind, and takes a pause that is over for one that is not',
    {
      endpoints: fleetOf(endpointNames(1, 1)),
      broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
      writes: [{ operation: 'stop', endpoint: 'endpoint-01', nth: 1, kind: 'lost', seconds: 1 }],
      clock: { fromSecond: 8, seconds: 152, offsetMs: -3600000 },
      held: {
        holds: [
          { kind: 'pause', on: 'everything', from: 0, seconds: 7, liftedAfter: null },
          { kind: 'freeze', on: 'everything', from: 'before', seconds: 7, liftedAfter: 3 },
        ],
        isOfGroup: false,
        refuses: false,
        isAgain: false,
        listens: false,
      },
    },
  ],
  [
    'only the lists of stops have shown that somebody else has an endpoint, and a way back begins then',
    {
      broken: [{ endpoint: 'endpoint-02', kind: 'stuck' }],
      writes: [
        { operation: 'stop', endpoint: 'endpoint-02', nth: 1, kind: 'lost', seconds: 1 },
        { operation: 'roll', endpoint: 'endpoint-01', nth: 1, kind: 'mute', seconds: 1 },
      ],
      people: [
        { atSecond: 0, kind: 'rival' },
        { atSecond: 225, kind: 'move', endpoint: 'endpoint-01', version: 7 },
      ],
      word: { said: 'roll-back', at: 'close', nth: 1 },
      latencyMs: 2000,
      policy: {
        ...QUIET.policy,
        progressDeadlineSeconds: 187,
      },
    },
  ],
];

/** A hold on a rollout whose process hears of nothing while it waits. */
function unheard(hold: DrawnHold): NonNullable<Ordeal['held']> {
  return { ...listening(hold), listens: false };
}

/** Holds on a rollout whose process listens while it waits. */
function listening(...holds: readonly DrawnHold[]): NonNullable<Ordeal['held']> {
  return { holds, isOfGroup: false, refuses: false, isAgain: false, listens: true };
}

function rollFault(endpoint: string, nth: number, kind: WriteFault['kind']): WriteFault {
  return { operation: 'roll', endpoint, nth, kind, seconds: 11 };
}

function takenBack(endpoint: string) {
  const reason = 'The health check of the service failed.';
  const what = { version: 2, afterSeconds: 1, status: 'ERROR', reason };
  return { endpoint, kind: 'take-back' as const, ...what };
}
