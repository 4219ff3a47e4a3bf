import type { Act } from '../ordeal.ts';
import { fleetOf, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** What people and other releases want. */
export const PEOPLE = {
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
        askedAfter: pickOf(at, [-3600, -60, -1, 0, 0, 1, 300, 301]),
        rolloutId: pickOf(lasts + at, ['earlier', 'the-earlier']),
        endsAfter: isDead ? 3 * lasts : pickOf(lasts + pick, [40, 300, 5000, 90_000]),
        isDead,
        givesWayAfter: isDead || pick % 4 === 0 ? null : 1 + (lasts % 100),
        isUnknown: pick % 5 < 3,
        isElsewhere: !isDead && pick % 12 === 7,
      },
      undo: null,
    });
  },
  /** Somebody moves or stops endpoints just before they are rolled, forward or back. */
  'taken just before a roll': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    const act = (endpoint: string, atSecond: number): Act =>
      (at + atSecond) % 3 === 0
        ? { kind: 'stop', endpoint, atSecond }
        : { kind: 'move', endpoint, version: 5, atSecond };
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 50 }, { percent: 100 }],
        maxUnavailable: { percent: 25 },
        ...{ pollSeconds: 5, maxPollSeconds: 5, progressDeadlineSeconds: 180, bakeSeconds: 0 },
      },
      broken: names.map((endpoint) => ({ endpoint, kind: 'slow', version: 1, rollSeconds: 40 })),
      people: [
        act(names[1 + (pick % 3)] ?? '', 1 + at),
        ...(pick % 2 === 0
          ? [
              { kind: 'abort', onFailure: 'roll-back', atSecond: 20 + (lasts % 40) } as const,
              act(names[lasts % 4] ?? '', 21 + (lasts % 40) + (at % 30)),
            ]
          : []),
      ],
      latencyMs: 2000,
    });
  },
  /** Somebody moves an endpoint and then gives it back, while others are on their way. */
  'taken and given back': (drawn, { at, lasts, pick }) => {
    const [first = '', ...others] = namesOf(drawn, 3);
    const atSecond = pick % 2 === 0 ? 1 + (at % 40) : ('seen' as const);
    const isBack = pick % 3 === 0;
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 20,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        progressDeadlineSeconds: 600,
      },
      broken: others.flatMap((endpoint) =>
        [1, 2].map((version) => ({ endpoint, kind: 'slow', version, rollSeconds: 90 })),
      ),
      people: [
        ...(isBack ? [{ kind: 'abort', onFailure: 'roll-back', atSecond: 5 } as const] : []),
        { kind: 'move', endpoint: first, version: 5, atSecond },
        {
          kind: 'move',
          endpoint: first,
          version: isBack ? 1 : 2,
          atSecond: 15 + at + (lasts % 60),
        },
      ],
    });
  },
  /** Somebody moves an endpoint while its wave bakes, and another one may break meanwhile. */
  'taken away while it bakes': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    const [first = '', second = ''] = names;
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: pickOf(pick, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        maxUnavailable: { percent: 100 },
        ...{ bakeSeconds: pickOf(at, [30, 120]), minServing: 0, progressDeadlineSeconds: 90 },
      },
      broken:
        lasts % 3 === 0
          ? [{ endpoint: second, kind: 'crash', version: 2, afterSeconds: 1 + at }]
          : [],
      people: [
        {
          kind: 'move',
          endpoint: first,
          version: pickOf(lasts, [1, 5, 5]),
          atSecond: 15 + ((at + lasts) % 130),
        },
      ],
    });
  },
  /** Somebody moves an endpoint of the first wave, and says then what is to become of the rest. */
  'taken away before it is aborted': (drawn, { at, lasts, pick }) => {
    const [first = '', ...others] = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        waves: pickOf(pick, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        maxUnavailable: { percent: 100 },
        ...{ pollSeconds: 5, maxPollSeconds: 15, bakeSeconds: 0, progressDeadlineSeconds: 180 },
        minServing: 0,
      },
      broken: others.map((endpoint) => ({ endpoint, kind: 'slow', version: 2, rollSeconds: 120 })),
      people: [
        {
          kind: 'move',
          endpoint: first,
          version: pickOf(lasts, [1, 5, 5]),
          atSecond: pickOf<number | 'rolled'>(at, ['rolled', 20 + (at % 20), 20 + (at % 20)]),
        },
        {
          kind: 'abort',
          onFailure: pickOf(pick, ['roll-back', 'stop-old', 'stop-old']),
          atSecond: 24 + (lasts % 40),
        },
      ],
    });
  },
} satisfies Situations;
