import type { Act, Ordeal } from '../ordeal.ts';
import { fleetOf, looksEvery, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** Lists that show how it was, and endpoints that somebody has taken there. */
export const OLD_ANSWERS = {
  /** Read after read shows how it was at the very beginning, when some are live already. */
  'old answers in a row': (drawn, { at, lasts, pick }) => {
    const [first = '', ...others] = namesOf(drawn, 3);
    const from = 10 + (lasts % 60);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        ...ONE_FIRST,
        ...{ pollSeconds: 5, maxPollSeconds: pickOf(pick, [5, 15]), progressDeadlineSeconds: 600 },
        bakeSeconds: pickOf(at, [0, 30]),
        onFailure: pickOf(pick, ['stop-old', 'roll-back', 'hold']),
      },
      broken: others.map((endpoint) => ({ endpoint, kind: 'slow', version: 2, rollSeconds: 90 })),
      lists: Array.from({ length: 1 + (at % 11) }, (_, nth) => ({
        kind: 'flash',
        fromSecond: from + 5 * nth,
        seconds: 5,
      })),
      latencyMs: 0,
    });
  },
  /** The list is a cache that is old for minutes, and the answers to the rolls are empty. */
  'a list that is old for minutes': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: pickOf(at, [5, 20]),
      policy: {
        ...ONE_FIRST,
        ...STOPS_ALL,
        waves: pickOf<Ordeal['policy']['waves']>(at, [[{ percent: 100 }], ONE_FIRST.waves]),
        progressDeadlineSeconds: pickOf(pick, [90, 180, 600]),
      },
      broken: lasts % 2 === 0 ? [{ endpoint: names[0] ?? '', kind: 'stuck', version: 2 }] : [],
      lists: [
        { kind: 'frozen', fromSecond: pickOf(pick, [0, 0, 4 + (at % 40)]), seconds: 120 + lasts },
      ],
      writes: names.flatMap((endpoint) =>
        [1, 2].map((nth) => {
          return { operation: 'roll', endpoint, nth, kind: 'mute', seconds: 1 } as const;
        }),
      ),
      people: asksForStops(pick, 60 + at),
    });
  },
  /** The service says that it rolls, and does not. One is broken before the rollout, or before its roll. */
  'rolls that are dropped in silence': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const last = names.at(-1) ?? '';
    const isBroken = pickOf(pick, ['before it', 'before its roll', 'never']);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: { ...ONE_FIRST, ...STOPS_ALL, progressDeadlineSeconds: pickOf(at, [90, 180, 600]) },
      broken: [2, 5].map((version) => {
        return { endpoint: last, kind: 'fail', version, afterReplicas: 0 };
      }),
      writes: names.slice(lasts % 2).flatMap((endpoint) =>
        [1, 2].map((nth) => {
          const kind = pickOf(at + nth, ['ignored', 'ignored', 'lost']);
          return { operation: 'roll', endpoint, nth, kind, seconds: 1 } as const;
        }),
      ),
      guises:
        isBroken === 'before its roll'
          ? [{ endpoint: last, shown: { status: 'ERROR' }, during: readsFrom(3 + (at % 5)) }]
          : [],
      people: [
        ...asksForStops(lasts, 20 + at),
        ...(isBroken === 'before it'
          ? [
              {
                kind: 'move',
                endpoint: last,
                version: pickOf(at, [5, 2]),
                atSecond: 'before',
              } as const,
            ]
          : []),
      ],
    });
  },
  /** Somebody takes an endpoint back that is live, and looks are rare, or nobody can read the list for a while. */
  'taken back to the version before': (drawn, { at, lasts, pick }) => {
    const [first = '', ...others] = namesOf(drawn, 2);
    const from = 8 + (at % 50);
    return quiet(drawn, {
      endpoints: fleetOf([first, ...others]),
      rollSeconds: 5,
      policy: {
        ...ONE_FIRST,
        ...looksEvery(pick),
        progressDeadlineSeconds: 600,
        bakeSeconds: pickOf(at, [0, 120]),
      },
      broken: others.map((endpoint) => ({ endpoint, kind: 'slow', version: 2, rollSeconds: 170 })),
      people: [
        { kind: 'move', endpoint: first, version: 1, atSecond: from },
        // Sometimes whoever took it back thinks better of it.
        ...(lasts % 3 === 0
          ? [{ kind: 'move', endpoint: first, version: 2, atSecond: from + (lasts % 70) } as const]
          : []),
      ],
      lists:
        lasts % 2 === 0
          ? [{ kind: 'UpstreamTimeout', fromSecond: from + 1 + (lasts % 9), seconds: 60 }]
          : [],
      latencyMs: 0,
    });
  },
  /** It turns around before the list has shown any of its rolls. */
  'turned around before the list shows it': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        ...looksEvery(pick),
        progressDeadlineSeconds: pickOf(at, [90, 600]),
        bakeSeconds: 0,
      },
      // An answer that is older than a minute would be believed.
      lists: [{ kind: 'frozen', fromSecond: 0, seconds: 20 + (lasts % 40) }],
      writes: names.map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 2,
        kind: pickOf(lasts + nth, ['mute', 'mute', 'unheard']),
        seconds: 1,
      })),
      people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 4 + (at % 50) }],
      latencyMs: 0,
    });
  },
  /** Of each endpoint something is missing, when it is planned, while it rolls or on its way back. */
  'only half is told': (drawn, { at, lasts, pick }) =>
    quiet(drawn, {
      endpoints: fleetOf(namesOf(drawn, 3)),
      rollSeconds: pickOf(at, [5, 20]),
      policy: { ...ONE_FIRST, maxUnavailable: { percent: 50 }, progressDeadlineSeconds: 180 },
      writes: namesOf(drawn, 3).map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 1 + (at % 2),
        kind: pickOf(pick + nth, ['mute', 'unheard', 'UpstreamConflict']),
        seconds: 1,
      })),
      lists: [
        { kind: 'sparse', fromSecond: pick % 3 === 0 ? 0 : at % 20, seconds: 3 + (lasts % 60) },
        { kind: 'sparse', fromSecond: at + 70, seconds: lasts % 90 },
      ],
      people:
        pick % 2 === 0
          ? [{ kind: 'abort', onFailure: 'roll-back', atSecond: 5 + (lasts % 60) }]
          : [],
      latencyMs: 0,
    }),
} satisfies Situations;

const ONE_FIRST = {
  waves: [{ endpoints: 1 }, { percent: 100 }],
  maxUnavailable: { percent: 100 },
} as const;

const STOPS_ALL = {
  onFailure: 'stop-old',
  ...{ pollSeconds: 5, maxPollSeconds: 15, bakeSeconds: 0, minServing: 0 },
} as const;

function asksForStops(pick: number, atSecond: number): readonly Act[] {
  return pick % 4 === 0 ? [{ kind: 'abort', onFailure: 'stop-old', atSecond }] : [];
}

/** From this read on, for longer than any of these rollouts. */
function readsFrom(nth: number): number[] {
  return Array.from({ length: 200 }, (_, index) => nth + index);
}
