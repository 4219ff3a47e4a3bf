import { fleetOf, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** Steps that die, are late, or take long. */
export const STEPS = {
  /** A step dies at any of its calls, and the one that is run again finds that the other one got further. */
  'died at any call': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 50 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: pickOf(pick, ['roll-back', 'roll-back', 'stop-old', 'hold']),
        bakeSeconds: pickOf(lasts, [0, 30]),
        ...{ minServing: 0, progressDeadlineSeconds: 180 },
      },
      broken: at % 2 === 0 ? [] : [{ endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 }],
      writes: REFUSALS.slice(pick % 7, (pick % 7) + 1).map((kind) => ({
        operation: 'roll',
        endpoint: names[1] ?? '',
        nth: 1,
        kind,
        seconds: 1 + (lasts % 60),
      })),
      death: {
        error: pickOf(lasts, ['Lambda.ServiceException', 'LedgerUnavailable', 'Runtime.ExitError']),
        when: pickOf(at + pick, ['after', 'after', 'before']),
        point: 1 + (lasts % 14),
        since: pickOf(pick, ['started', 'wave-started', 'wave-converged', 'failing']),
      },
      word: at % 3 === 0 ? { said: 'roll-back', at: 'close', nth: 1 } : null,
      latencyMs: 0,
    });
  },
  /** A step dies, is overtaken or is told something else, when what was rolled is to go back or to be stopped. */
  'in trouble as it turns around': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const trouble = pickOf(pick, ['death', 'word', 'stall']);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: pickOf(at, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        maxUnavailable: { percent: 100 },
        onFailure: pickOf(lasts, ['roll-back', 'roll-back', 'stop-old']),
        ...{ minServing: 0, progressDeadlineSeconds: 90 },
      },
      broken: [{ endpoint: names.at(-1) ?? '', kind: pickOf(at, ['fail', 'stuck']), version: 2 }],
      death:
        trouble === 'death'
          ? { error: pickOf(at, DEATHS), when: 'before', point: 1 + (lasts % 9), since: 'failing' }
          : null,
      word:
        trouble === 'word'
          ? { said: pickOf(at, ['stop-old', 'hold', 'roll-back', null]), at: 'failed', nth: 1 }
          : null,
      stall:
        trouble === 'stall'
          ? {
              at: pickOf(at, ['freezeRollback', 'close']),
              ...{ point: 1, when: 'before', seconds: 400 + lasts, isRaced: true },
            }
          : null,
    });
  },
  /** It has told that it fails and dies, and before anybody goes on with it, somebody aborts it. */
  'aborted while nobody looked': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: pickOf(lasts, ['roll-back', 'roll-back', 'stop-old']),
        ...{ minServing: 0, progressDeadlineSeconds: 90 },
      },
      broken: [{ endpoint: names.at(-1) ?? '', kind: 'stuck', version: 2 }],
      death: { error: 'Killed', when: 'before', point: 1 + (pick % 9), since: 'failing' },
      resumesAfter: 60 + (lasts % 100),
      people: [
        {
          kind: 'abort',
          onFailure: pickOf(pick, ['hold', 'stop-old', 'roll-back', null]),
          atSecond: 100 + (at % 50),
        },
      ],
    });
  },
  /** It is resumed in mid-roll, and the times of its rolls say nothing of how long a roll takes. */
  'resumed in mid-roll': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: pickOf(pick, [20, 60]),
      policy: {
        waves: [{ endpoints: 1 }, { percent: 50 }, { percent: 100 }],
        maxUnavailable: { percent: 50 },
        bakeSeconds: 0,
        ...{ pollSeconds: 5, maxPollSeconds: 30, progressDeadlineSeconds: 180 },
      },
      broken: pick % 3 === 0 ? [{ endpoint: names.at(-1) ?? '', kind: 'stuck', version: 2 }] : [],
      death: { error: 'Killed', when: 'before', point: 3 + (at % 16), since: 'wave-started' },
      resumesAfter: lasts,
      latencyMs: 0,
    });
  },
  /** The waits are so long that the lease is extended beyond them. */
  'waits for long': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const isRaced = pick % 3 === 0;
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: pickOf(pick, [400, 900]),
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        bakeSeconds: 0,
        ...{ pollSeconds: 15, maxPollSeconds: 400, progressDeadlineSeconds: 2400 },
      },
      stall: isRaced
        ? { at: 'any', point: 25 + at, when: 'before', seconds: 400 + lasts, isRaced }
        : null,
      death:
        pick % 3 === 1
          ? { error: 'Killed', when: 'before', point: 10 + at, since: 'wave-started' }
          : null,
      resumesAfter: lasts,
      people: pick % 3 === 2 ? [{ kind: 'rival', atSecond: 300 + 5 * at }] : [],
    });
  },
  /** Its bakes are longer than an execution may last. */
  'bakes for half a day': (drawn, { pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 3)),
      rollSeconds: 20,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        bakeSeconds: pickOf(pick, [43_200, 36_000, 28_800]),
      },
      executionSeconds: 6 * 3600,
    }),
  /** Nobody can read the list, and the clock is not right either. */
  'cannot read while the clock is off': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: pickOf(pick, [20, 60]),
      policy: { progressDeadlineSeconds: pickOf(pick, [90, 180]) },
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 5 + (at % 30), seconds: 20 + lasts }],
      clock: {
        fromSecond: 5 + (at % 60),
        seconds: 1 + (lasts % 100),
        offsetMs: pickOf(pick + at, [-3_600_000, -30_000, 30_000, 3_600_000]),
      },
      latencyMs: pickOf(at, [300, 2000]),
    }),
  /** A list that no waiting mends ends it, and somebody wants it to go on with something else. */
  'aborted as a step fails': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 20,
      policy: { progressDeadlineSeconds: 180, minServing: 0 },
      lists: [{ kind: 'UnknownRuntime', fromSecond: 4 + (at % 40), seconds: 900 }],
      word: { said: pickOf(pick, ['roll-back', 'stop-old', 'hold', null]), at: 'close', nth: 1 },
    }),
} satisfies Situations;

const DEATHS = [
  ...(['Runtime.ExitError', 'Sandbox.Timedout', 'LedgerUnavailable'] as const),
  ...(['Lambda.ServiceException', 'Lambda.Unknown'] as const),
] as const;

const REFUSALS = ['UpstreamAuth', 'UpstreamThrottled', 'UpstreamRejected'] as const;
