import type { Ordeal } from '../ordeal.ts';
import { fleetOf, looksEvery, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** Rolls of which nobody knows what became, and that may be made once more. */
export const DOUBTS = {
  /** Rolls end in doubt, again and again, at a service that repeats them. */
  'in doubt where rolls are repeated': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: pickOf(pick, [50, 100]) },
        onFailure: pickOf(lasts, ['roll-back', 'hold']),
        progressDeadlineSeconds: pickOf(at, [45, 90, 600]),
      },
      writes: names.flatMap((endpoint, nth) =>
        Array.from({ length: 1 + ((at + nth) % 5) }, (_, time) => ({
          operation: 'roll' as const,
          endpoint,
          nth: 1 + time,
          kind: pickOf(pick + nth + time * (lasts % 5), DOUBTFUL),
          seconds: 1 + (lasts % 20),
        })),
      ),
      lists: pick % 3 === 0 ? [{ kind: 'frozen', fromSecond: 1, seconds: 20 + (lasts % 90) }] : [],
      cannotStop: true,
      latencyMs: 0,
    });
  },
  /** A step dies when some of its rolls are answered and others are in doubt, and runs again. */
  'died around its rolls': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: pickOf(at, [5, 20]),
      policy: {
        waves: pickOf(pick, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        maxUnavailable: { percent: 100 },
        onFailure: pickOf(lasts, ['roll-back', 'hold']),
        progressDeadlineSeconds: pickOf(lasts, [45, 90, 180]),
      },
      writes: names.map((endpoint, nth) => ({
        operation: 'roll',
        endpoint,
        nth: 1,
        kind: pickOf(lasts + nth, DOUBTFUL),
        seconds: 1 + (at % 20),
      })),
      death: {
        error: pickOf(at, ['Lambda.ServiceException', 'Runtime.ExitError', 'Killed']),
        when: pick % 2 === 0 ? 'before' : 'after',
        point: 1 + (lasts % 10),
        since: pickOf(at, ['wave-started', 'started', 'wave-converged']),
      },
      resumesAfter: at,
      cannotStop: pick % 3 === 0,
      latencyMs: 0,
    });
  },
  /** Nobody hears of any roll, and then all of it is to go back. */
  'unheard and turned around': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: [{ percent: 100 }],
        maxUnavailable: { percent: pickOf(pick, [50, 100]) },
        ...looksEvery(pick),
        progressDeadlineSeconds: 600,
      },
      writes: names.map((endpoint) => ({
        operation: 'roll',
        endpoint,
        nth: 1,
        kind: pickOf(at, ['unheard', 'unheard', 'late']),
        seconds: 1 + (lasts % 50),
      })),
      people: [{ kind: 'abort', onFailure: 'roll-back', atSecond: 10 + (lasts % 120) }],
      latencyMs: 0,
    });
  },
  /** The first rolls are refused, again and again. */
  'refused again and again': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    const refused = pick % 2 === 0 ? names.slice(0, 1) : names.slice(-2);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: 5,
      policy: {
        waves: pickOf(lasts, [[{ percent: 100 }], [{ endpoints: 1 }, { percent: 100 }]]),
        maxUnavailable: { percent: 100 },
        onFailure: pickOf(lasts, ['roll-back', 'hold', 'stop-old']),
        progressDeadlineSeconds: 600,
      },
      broken: [
        ...refused.map((endpoint) => ({
          endpoint,
          kind: 'refuse',
          version: 2,
          httpStatus: pickOf(at, [409, 429, 404, 400]),
          times: 1 + (lasts % 8),
        })),
        ...names.map((endpoint) => ({ endpoint, kind: 'slow', version: 2, rollSeconds: 90 })),
      ],
      latencyMs: 0,
    });
  },
  /** What is lost takes room, where the policy says how many may be in mid-roll or lost together. */
  'little may be at risk': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 5);
    return quiet(drawn, {
      endpoints: fleetOf(names),
      rollSeconds: pickOf(at, [5, 20]),
      policy: {
        waves: pickOf(lasts, [[{ percent: 100 }], [{ percent: 50 }, { percent: 100 }]]),
        maxUnavailable: { percent: 100 },
        maxAtRisk: 1 + (pick % 3),
        failureThreshold: { endpoints: lasts % 3 },
        onFailure: pickOf(pick, ['roll-back', 'hold', 'stop-old']),
        progressDeadlineSeconds: 180,
      },
      broken: names
        .filter((_, nth) => nth % 3 === pick % 3)
        .map((endpoint, nth) => ({
          endpoint,
          version: 2,
          ...pickOf(at + nth, LOSSES),
        })),
      people: names
        .filter((_, nth) => nth % 4 === at % 4)
        .map((endpoint) => ({ atSecond: 'before', kind: 'move', endpoint, version: 5 })),
      latencyMs: 0,
    });
  },
} satisfies Situations;

const DOUBTFUL = [
  'lost',
  'unheard',
  'UpstreamConflict',
  'mute',
  'UpstreamTimeout',
  'forgotten',
  'UpstreamRejected',
  'lost',
  'ignored',
] as const;

type Loss = Pick<Ordeal['broken'][number], 'kind' | 'rollSeconds' | 'afterSeconds'>;

const LOSSES: readonly [Loss, ...Loss[]] = [
  { kind: 'fail' },
  { kind: 'vanish', afterSeconds: 3 },
  { kind: 'slow', rollSeconds: 60 },
];
