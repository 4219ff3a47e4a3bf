import { RULES } from '../metric-rules.ts';
import type { Ordeal } from '../ordeal.ts';
import { fleetOf, NO_GATES, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** Rolls of many endpoints, which are refused, lost or held up in different ways. */
export const MANY_ROLLS = {
  /** There are more rolls than go at once, and something happens between them. */
  'more than a handful': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 12);
    const isOf = (kind: number) => pick % 5 === kind;
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 20,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        bakeSeconds: 0,
        progressDeadlineSeconds: 180,
      },
      writes: isOf(0)
        ? [
            {
              operation: 'roll',
              endpoint: names[1 + (at % 8)] ?? '',
              nth: 1,
              kind: pickOf(lasts, [
                ...(['UpstreamAuth', 'UpstreamThrottled', 'UpstreamTransient'] as const),
                ...(['UpstreamRejected', 'UpstreamConflict', 'lost'] as const),
              ]),
              seconds: 1 + (lasts % 50),
            },
          ]
        : [],
      word: isOf(1) ? { said: null, at: 'roll', nth: 2 + (at % 9) } : null,
      clock: isOf(2)
        ? { fromSecond: 5 + (at % 20), seconds: 300, offsetMs: pickOf(at, [-3_600_000, -30_000]) }
        : null,
      stall: isOf(3)
        ? {
            ...{ at: 'hear', point: 1 + (at % 3), when: pickOf(at, ['after', 'before']) },
            ...{ seconds: pickOf(lasts, [8, 10, 15, 20, 210]), isRaced: false },
          }
        : null,
      people: isOf(4)
        ? [{ kind: 'move', endpoint: names[11] ?? '', version: 5, atSecond: 5 + (at % 15) }]
        : [],
      latencyMs: pickOf(lasts, [2000, 2000, 8000]),
    });
  },
  /** The service asks for a pause, and the clock may be ahead when it does. */
  'asked for a pause': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: pickOf(at, [34, 100]) },
        pollSeconds: 5,
        progressDeadlineSeconds: 600,
      },
      writes: names.map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 1,
        kind: (pick + nth) % 3 === 0 ? 'mute' : 'UpstreamThrottled',
        seconds: pickOf(lasts + nth, [1, 20, 90, 250, 400]),
      })),
      clock:
        pick % 2 === 0
          ? {
              ...{ fromSecond: 0, seconds: 1 + (at % 30) },
              offsetMs: pickOf(at, [65_000, 30_000, 3_600_000, -30_000]),
            }
          : null,
      latencyMs: 0,
    });
  },
  /** The service accepts a roll twice and does nothing, while others are lost in another way. */
  'accepted twice for nothing': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        failureThreshold: { endpoints: pick % 3 },
        onFailure: pickOf(pick, ['roll-back', 'stop-old', 'hold', 'stop-old']),
        ...{ minServing: 0, progressDeadlineSeconds: 600 },
      },
      broken: at % 2 === 0 ? [] : [{ endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 }],
      writes: names
        .filter((_, nth) => (at + nth) % 3 === 0)
        .flatMap((endpoint) =>
          [1, 2].map((nth) => ({ operation: 'roll', endpoint, nth, kind: 'ignored', seconds: 1 })),
        ),
      cannotStop: pick % 2 === 0,
    });
  },
  /** As many are lost as the threshold allows, or one more, and their metrics say nothing good. */
  'lost within a share': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    const lost = names.slice(0, pick % (names.length + 1));
    const kind = pickOf(at, ['fail', 'crash', 'vanish', 'stuck']);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: pickOf<Ordeal['policy']['waves']>(lasts, [
          [{ percent: 100 }],
          [{ percent: 50 }, { percent: 100 }],
          [{ endpoints: 2 }, { percent: 100 }],
        ]),
        maxUnavailable: { percent: 100 },
        failureThreshold: pickOf<Ordeal['policy']['failureThreshold']>(at, [
          { percent: 50 },
          { percent: 25 },
          { endpoints: 2 },
        ]),
        ...{ bakeSeconds: 0, minServing: 0, progressDeadlineSeconds: 180 },
        verify: { ...NO_GATES, metrics: pick % 2 === 0 ? [RULES[1] ?? RULES[0]] : [] },
      },
      broken: lost.map((endpoint) => ({
        ...{ endpoint, kind, version: 2 },
        ...((kind === 'crash' || kind === 'vanish') && { afterSeconds: 1 }),
      })),
      readings: lost.map((endpoint) => ({
        ...{ gate: 'metric', says: 'bad', endpoint, fromSecond: 0, seconds: 900 },
      })),
    });
  },
} satisfies Situations;
