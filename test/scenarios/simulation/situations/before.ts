import type { Ordeal } from '../ordeal.ts';
import { fleetOf, looksEvery, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** Endpoints that were not well before the rollout. */
export const BEFORE = {
  /** Some had failed before, and the rollout may turn around. */
  'some had failed before': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const ill = names.filter((_, nth) => nth % 2 === pick % 2);
    const version = pickOf(at, [2, 5, 5]);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: pickOf(lasts, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        maxUnavailable: { percent: pickOf(pick, [25, 50, 100]) },
        onFailure: 'roll-back',
        progressDeadlineSeconds: pickOf(lasts, [90, 180]),
        minServing: 0,
      },
      people: ill.map((endpoint) => ({ atSecond: 'before', kind: 'move', endpoint, version })),
      broken: [
        ...ill.map((endpoint, nth) =>
          (lasts + nth) % 2 === 0
            ? { endpoint, kind: 'crash', version, afterSeconds: 1 }
            : { endpoint, kind: 'fail', version, afterReplicas: nth % 2 },
        ),
        ...(pick % 4 < 3 ? [{ endpoint: names.at(-1) ?? '', kind: 'fail', version: 2 }] : []),
        ...(at % 2 === 0
          ? [{ endpoint: names[0] ?? '', kind: 'crash', version: 1, afterSeconds: 1 + (at % 20) }]
          : []),
      ],
      writes: names.map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 1 + (lasts % 2),
        kind: pickOf(at + nth, ['mute', 'queued', 'lost', 'UpstreamConflict', 'unheard']),
        seconds: 1 + (lasts % 30),
      })),
      // By then they have failed.
      opensAfter: 900,
      latencyMs: 0,
    });
  },
  /** Some are on their way elsewhere, and the service rolls them only when they have come to rest. */
  'some are on their way elsewhere': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const moved = names.filter((_, nth) => nth % 3 !== pick % 3);
    const there = { version: 5, ...pickOf(at, WAYS_ELSEWHERE) };
    return quiet(drawn, {
      endpoints: names.map((name, nth) => ({ name, version: nth % 4 === lasts % 4 ? 2 : 1 })),
      rollSeconds: 5,
      policy: {
        waves: pickOf(lasts, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        maxUnavailable: { percent: pickOf(pick, [25, 50, 100]) },
        ...looksEvery(at),
        progressDeadlineSeconds: 600,
        minServing: 0,
      },
      people: [
        ...moved.map(
          (endpoint) => ({ atSecond: 'before', kind: 'move', endpoint, version: 5 }) as const,
        ),
        ...(pick % 2 === 0
          ? [{ kind: 'abort', onFailure: 'roll-back', atSecond: 10 + (lasts % 90) } as const]
          : []),
      ],
      broken: moved.map((endpoint) => ({ endpoint, ...there })),
      writes: moved.flatMap((endpoint, nth) =>
        [1, 2, 3].map((time) => ({
          operation: 'roll' as const,
          endpoint,
          nth: time,
          kind: pickOf(pick + nth + time * (lasts % 2), REFUSALS),
          seconds: 1 + (lasts % 20),
        })),
      ),
      latencyMs: 0,
    });
  },
  /** No endpoint has replicas when it is planned, or on its way back. */
  'none has replicas': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: 100 },
        onFailure: 'roll-back',
        progressDeadlineSeconds: 180,
      },
      broken: pick % 2 === 0 ? [{ endpoint: names[0] ?? '', kind: 'fail', version: 2 }] : [],
      lists: [
        ...(at % 2 === 0 ? [{ kind: 'bare' as const, fromSecond: 0, seconds: 1 }] : []),
        { kind: 'bare', fromSecond: 5 + (at % 60), seconds: lasts % 120 },
      ],
      people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 8 + (lasts % 20) }],
      latencyMs: 0,
    });
  },
} satisfies Situations;

type Way = Pick<Ordeal['broken'][number], 'kind' | 'rollSeconds'>;

const WAYS_ELSEWHERE: readonly [Way, ...Way[]] = [
  { kind: 'slow', rollSeconds: 60 },
  { kind: 'slow', rollSeconds: 170 },
  { kind: 'stuck' },
  { kind: 'fail' },
];

const REFUSALS = [
  'UpstreamConflict',
  'UpstreamConflict',
  'UpstreamNotFound',
  'UpstreamThrottled',
  'lost',
  'unheard',
  'mute',
] as const;
