import { endpointNames } from '../../support/endpoint-names.ts';
import { RULES } from './metric-rules.ts';
import type { Ordeal } from './ordeal.ts';
import { HALE } from './quiet.ts';

// Some promises are about things that have to come together, which they nearly never do by chance. Here they do, and
// nothing else goes wrong.

/** What differs from one situation of a kind to another. */
export interface Dice {
  /** When the fault comes, in seconds. */
  readonly at: number;
  /** How long it lasts, in seconds. */
  readonly lasts: number;
  /** Picks one of several. */
  readonly pick: number;
}

type Situation = (drawn: Ordeal, dice: Dice) => Ordeal;

export const SITUATIONS = {
  /** One that is lost within the threshold has got further before, and the others are as slow as they may be. */
  'lost beside slow ones': (drawn, { at, pick }) => {
    const [first = '', ...others] = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        failureThreshold: { endpoints: 1 },
        onFailure: 'hold',
        progressDeadlineSeconds: 90,
      },
      broken: [
        { endpoint: first, kind: 'crash', version: 2, afterSeconds: 8 + (at % 60) },
        ...others.map((endpoint, nth) => ({
          endpoint,
          kind: 'slow',
          version: 2,
          rollSeconds: 40 + 10 * ((pick + nth) % 5),
        })),
      ],
    });
  },
  /** The deadline is over before a roll that got lost may be made once more. */
  'lost with a short deadline': (drawn, { pick }) => {
    const names = namesOf(drawn, 1);
    const kind = pickOf(pick, ['lost', 'forgotten', 'unheard']);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: { progressDeadlineSeconds: 45, maxPollSeconds: 15 },
      writes: names
        .filter((_, nth) => (pick + nth) % 3 === 0)
        .map((endpoint) => ({ operation: 'roll', endpoint, nth: 1, kind, seconds: 1 })),
    });
  },
  /** The roll has a time from the future, which the clock takes long to come to. */
  'lost while the clock is ahead': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 1).slice(0, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      clock: { fromSecond: 0, seconds: 1 + (at % 40), offsetMs: 3_600_000 },
      writes: names.map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 1,
        kind: (pick + nth) % 2 === 0 ? 'forgotten' : 'lost',
        seconds: 1,
      })),
    });
  },
  /** It has told that it fails, and nobody goes on with it before everything has recovered. */
  'recovered while nobody looked': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 1);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      policy: { progressDeadlineSeconds: 90, minServing: 0 },
      broken: names
        .filter((_, nth) => nth % 2 === pick % 2 || nth === 0)
        .map((endpoint) => ({
          endpoint,
          kind: 'slow',
          version: 2,
          rollSeconds: 95 + (at % 60),
        })),
      death: {
        error: 'Killed',
        when: pick % 2 === 0 ? 'before' : 'after',
        point: 1 + (pick % 5),
        since: 'failing',
      },
      resumesAfter: lasts,
    });
  },
  /** It is on its way back, one after the other, and somebody says that this is enough. */
  'aborted on the way back': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 4);
    const said = pickOf(pick, ['hold', 'stop-old', 'roll-back']);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 50 },
        onFailure: 'roll-back',
        progressDeadlineSeconds: 180,
      },
      broken: [{ endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 }],
      word: { said, at: 'roll-back', nth: 1 + (at % 3) },
    });
  },
  /** A gate is silent while somebody is asked. */
  'silent while somebody is asked': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 3)),
      rollSeconds: 5,
      policy: {
        ...APPROVED,
        progressDeadlineSeconds: 600,
        verify: {
          ...GATES,
          alarms: ['errors'],
          approval: { timeoutSeconds: pick % 2 === 0 ? 120 : 300, onTimeout: onTimeout(pick) },
        },
      },
      alarms: [{ verdict: 'unknown', fromSecond: 15 + at, seconds: 30 + (lasts % 270) }],
    }),
  /** The look dies that is to ask somebody. */
  'died before somebody was asked': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 3)),
      rollSeconds: 5,
      policy: {
        ...APPROVED,
        bakeSeconds: pickOf(lasts, [30, 60]),
        verify: { ...GATES, approval: { timeoutSeconds: 30, onTimeout: onTimeout(pick) } },
      },
      // The event is marked as sent, and then the third call of every look is the one that keeps it. Then it asks.
      death: {
        error: pickOf(lasts, ['Runtime.ExitError', 'LedgerUnavailable', 'Killed']),
        ...pickOf(at, [
          { when: 'after', point: 4 },
          { when: 'after', point: 4 },
          { when: 'before', point: 1 + (pick % 12) },
        ]),
        since: 'wave-converged',
      },
      resumesAfter: lasts % 120,
      latencyMs: 0,
    }),
  /** A list tells no versions while endpoints go back. */
  'blind on the way back': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: pickOf(pick, [25, 50]) },
        onFailure: 'roll-back',
        progressDeadlineSeconds: 600,
      },
      broken: [{ endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 }],
      // Only what was refused goes back after the others of its batch.
      writes: names.map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 2,
        kind: (pick + nth) % 2 === 0 ? 'UpstreamConflict' : 'mute',
        seconds: 1,
      })),
      lists: [{ kind: 'blind', fromSecond: 30 + at, seconds: 5 + (lasts % 50) }],
    });
  },
  /** Some endpoints are live, and the others get stuck up to their deadline. */
  'stuck up to the deadline': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 1);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: { progressDeadlineSeconds: pickOf(at, [90, 187, 299]), minServing: 0 },
      broken: names
        .filter((_, nth) => nth % 3 === pick % 3 || nth === names.length - 1)
        .map((endpoint) => ({ endpoint, kind: 'stuck', version: 2, afterReplicas: at % 2 })),
      latencyMs: 0,
    });
  },
  /** One endpoint is live and others are in mid-roll, a list tells no versions, and somebody wants all of them back. */
  'blind when it turns around': (drawn, { at, lasts }) => {
    const [first = '', ...others] = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 50 },
        bakeSeconds: 0,
        ...{ pollSeconds: 5, maxPollSeconds: 15, progressDeadlineSeconds: 600 },
      },
      broken: others.map((endpoint) => ({ endpoint, kind: 'slow', version: 2, rollSeconds: 90 })),
      lists: [{ kind: 'blind', fromSecond: 12 + (lasts % 8), seconds: 10 + (lasts % 50) }],
      people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 14 + (at % 30) }],
      latencyMs: 0,
    });
  },
  /** A list tells no versions when a wave has converged and the next one is half done. */
  'blind in the second wave': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 4)),
      rollSeconds: 20,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        bakeSeconds: 0,
        progressDeadlineSeconds: 600,
      },
      // What is refused is rolled later than the rest.
      writes: namesOf(drawn, 4)
        .slice(1)
        .map((endpoint, nth) => ({
          operation: 'roll',
          endpoint,
          nth: 1 + (nth % 2),
          kind: 'UpstreamConflict',
          seconds: 1,
        })),
      lists: [
        {
          kind: pickOf(pick, ['blind', 'dark']),
          fromSecond: 26 + (at % 40),
          seconds: 5 + (lasts % 50),
        },
      ],
    }),
  /** Two reads in a row speak against an endpoint of an earlier wave, each in another way. */
  'doubted in two ways': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const [first = ''] = names;
    const from = 25 + (at % 40);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: 'stop-old',
        minServing: 0,
      },
      broken: [
        {
          endpoint: first,
          kind: pickOf(pick, ['crash', 'regress', 'vanish']),
          version: 2,
          afterSeconds: 10 + (at % 40),
        },
      ],
      lists: [
        { kind: pickOf(pick, ['dark', 'short', 'hidden', 'some']), fromSecond: from, seconds: 6 },
        { kind: 'UpstreamTimeout', fromSecond: from + 12, seconds: lasts },
      ],
    });
  },
  /** An endpoint of an earlier wave has two reads against it, each in another way, when somebody aborts. */
  'aborted when doubted in two ways': (drawn, { at, pick }) => {
    const [first = '', ...others] = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        waves: [{ endpoints: 1 }, { percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ pollSeconds: 5, maxPollSeconds: 5, bakeSeconds: 0, progressDeadlineSeconds: 600 },
        minServing: 0,
      },
      broken: [
        { endpoint: first, kind: 'crash', version: 2, afterSeconds: 20 + (pick % 5) },
        ...others.map((endpoint) => ({ endpoint, kind: 'slow', version: 2, rollSeconds: 90 })),
      ],
      lists: [{ kind: 'short', fromSecond: 22, seconds: 4 + (pick % 3) }],
      people: [{ kind: 'abort', onFailure: 'stop-old', atSecond: 25 + (at % 5) }],
      latencyMs: 0,
    });
  },
  /** A list does not show for a minute what was rolled, and the service refuses to roll it once more. */
  'refused once more': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        onFailure: pickOf(pick, ['stop-old', 'roll-back']),
        ...{ minServing: 0, progressDeadlineSeconds: 180 },
      },
      broken: names.map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 })),
      writes: names.flatMap((endpoint) => [
        { operation: 'roll', endpoint, nth: 1, kind: 'mute', seconds: 1 },
        { operation: 'roll', endpoint, nth: 2, kind: 'UpstreamRejected', seconds: 1 },
      ]),
      lists: [{ kind: 'frozen', fromSecond: 1, seconds: 120 + (at % 60) }],
    });
  },
  /** A list speaks against the wave from the first read that shows it live up to the deadline, or after it. */
  'blind up to the deadline': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 1);
    const [liveAt, hides] = [names.length > 1 ? 10 : 5, 1 + (at % 4)];
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ pollSeconds: 5, progressDeadlineSeconds: 90 },
        onFailure: pickOf(pick, ['hold', 'stop-old', 'roll-back']),
      },
      lists: [
        {
          kind: pickOf(at, ['blind', 'dark']),
          fromSecond: liveAt + hides,
          seconds: pickOf(pick, [90 - hides - (at % 6), 600]),
        },
      ],
      latencyMs: 0,
    });
  },
  /** A newer release comes while it rolls, while it stops or while it goes back. */
  'a newer release comes': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const broken = names.map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 }));
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: pickOf(pick, ['stop-old', 'stop-old', 'roll-back', 'hold']),
        onConflict: 'latest',
        minServing: 0,
        progressDeadlineSeconds: 90,
      },
      broken: at % 3 === 0 ? [] : broken,
      people: [
        {
          kind: pickOf(lasts, ['rival', 'rival', 'twin', 'lower']),
          atSecond: at % 3 === 1 ? 100 + (at % 30) : 1 + (at % 60),
        },
      ],
      latencyMs: 2000,
    });
  },
  /** Nobody can read the list up to the deadline, and just then it is aborted. */
  'aborted without a list': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 60,
      policy: { progressDeadlineSeconds: 90 },
      lists: [{ kind: 'UpstreamTimeout', fromSecond: 10 + (at % 40), seconds: 900 }],
      word: { said: pickOf(pick, [null, 'hold', 'stop-old', 'roll-back']), at: 'close', nth: 1 },
    }),
  /** It has succeeded, and somebody aborts just before that is stored. */
  'aborted as it succeeds': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: { progressDeadlineSeconds: 180 },
      word: {
        said: pickOf(pick, ['roll-back', 'roll-back', 'stop-old', null]),
        at: 'close',
        nth: 1,
      },
      executionEvents: pickOf(at, [10_000, 60]),
    }),
  /** The list still shows how it was before when somebody undoes it. */
  'undone before the list shows it': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        bakeSeconds: 0,
        progressDeadlineSeconds: 180,
      },
      undo: { afterSeconds: 0, meanwhile: [], oldReads: 2 + (at % 3) + (pick % 2) },
      latencyMs: 0,
    }),
  /** A wave converges in a time from the future, and its metrics are asked for from then on. */
  'metrics while the clock is ahead': (drawn, { at, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 2)),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...{ pollSeconds: 5, maxPollSeconds: 15, progressDeadlineSeconds: 600 },
        verify: { ...GATES, metrics: [pickOf(pick, RULES)] },
      },
      clock: { fromSecond: 1, seconds: 10 + (at % 90), offsetMs: 3_600_000 },
    }),
  /** An older rollout has the runtime, and gives way, or does not. */
  'the runtime is taken': (drawn, { at, lasts, pick }) => {
    const isDead = at % 5 === 0;
    return quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 1)),
      rollSeconds: 5,
      policy: {
        onConflict: pick % 6 === 0 ? 'refuse' : 'latest',
        allowDowngrade: at % 3 !== 0,
        selection: { names: lasts % 7 === 0 ? ['nobody'] : [], ids: [], exclude: [] },
        bakeSeconds: 0,
      },
      earlier: {
        version: pickOf(lasts, [1, 2, 3]),
        askedAfter: pickOf(at, [-3600, -60, -1, 0, 0, 1]),
        endsAfter: isDead ? 3 * lasts : pickOf(lasts + pick, [40, 300, 5000, 90_000]),
        isDead,
        givesWayAfter: isDead || pick % 4 === 0 ? null : 1 + (lasts % 100),
        isUnknown: pick % 5 < 3,
        isElsewhere: !isDead && pick % 12 === 7,
      },
      undo: null,
    });
  },
  /** A metric is just at its limit, or beyond it, from the start. */
  'metrics at their limit': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    const rule = pickOf(at, RULES);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        progressDeadlineSeconds: 600,
        verify: { ...GATES, metrics: [rule, pickOf(pick, RULES)] },
      },
      readings: [
        {
          gate: 'metric',
          says: pickOf(pick, ['bad', 'bad', 'silent']),
          endpoint: names[0] ?? '',
          fromSecond: 60 * (at % 4),
          seconds: 60 + (lasts % 600),
        },
      ],
    });
  },
} satisfies Readonly<Record<string, Situation>>;

const GATES: Ordeal['policy']['verify'] = { probe: null, alarms: [], metrics: [], approval: null };

const APPROVED: Partial<Ordeal['policy']> = {
  waves: [{ endpoints: 1 }, { percent: 100 }],
  maxUnavailable: { percent: 100 },
};

function onTimeout(pick: number): 'approve' | 'reject' {
  return pick % 3 === 0 ? 'reject' : 'approve';
}

function pickOf<const T>(pick: number, all: readonly [T, ...T[]]): T {
  return all[pick % all.length] ?? all[0];
}

/** The names that were drawn, and as many more as are needed. */
function namesOf({ endpoints }: Ordeal, least: number): string[] {
  return endpointNames(1, Math.max(least, endpoints.length));
}

function fleetOf(names: readonly string[]): Ordeal['endpoints'] {
  return names.map((name) => ({ name, version: 1 }));
}

type Changes = Partial<Omit<Ordeal, 'policy'>> & { readonly policy?: Partial<Ordeal['policy']> };

/** The rollout that was drawn, in which nothing goes wrong but what is said. */
function quiet(drawn: Ordeal, { policy, ...changes }: Changes): Ordeal {
  return {
    ...drawn,
    ...HALE,
    busDown: null,
    badReleases: 0,
    earlier: null,
    opensAfter: 0,
    asked: null,
    hours: null,
    readings: [],
    cannotStop: false,
    ...changes,
    policy: {
      ...drawn.policy,
      failureThreshold: { endpoints: 0 },
      selection: { names: [], ids: [], exclude: [] },
      protect: [],
      allowDowngrade: true,
      maxVersionStep: 1_000,
      verify: GATES,
      ...policy,
    },
  };
}
