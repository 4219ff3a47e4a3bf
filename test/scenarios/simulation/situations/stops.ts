import type { Ordeal } from '../ordeal.ts';
import { fleetOf, namesOf, pickOf, quiet, type Situations } from './situation.ts';

/** What comes between the stops of a rollout that has failed: everything that it rolled got stuck. */
export const STOPS = {
  /** Somebody says in the midst of stops what is to be done instead, and not all of that can be done. */
  'called back while it stops': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      ...stuck(names),
      broken: [
        ...stuck(names).broken,
        {
          endpoint: names.at(-1) ?? '',
          kind: pickOf(lasts, ['stuck', 'fail']),
          version: 1,
        },
      ],
      policy: TO_STOP,
      writes: [
        {
          operation: 'stop',
          endpoint: names[at % 2] ?? '',
          nth: 1,
          kind: pickOf(at, ['UpstreamRejected', 'lost', 'unheard', 'none', 'none']),
          seconds: 5,
        },
      ].filter(({ kind }) => kind !== 'none') as Ordeal['writes'],
      word: {
        said: pickOf(pick, ['roll-back', 'roll-back', 'roll-back', 'hold', 'stop-old', null]),
        at: 'stop',
        nth: 1 + (lasts % 3),
      },
      latencyMs: 300,
    });
  },
  /** A newer rollout wants the runtime in the midst of stops. */
  'asked to give way while it stops': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 4);
    return quiet(drawn, {
      ...stuck(names),
      policy: { ...TO_STOP, onConflict: 'latest' },
      people: [{ kind: pickOf(pick, ['rival', 'rival', 'twin']), atSecond: 85 + (at % 60) }],
      latencyMs: pickOf(lasts, [2000, 2000, 300]),
    });
  },
  /** Stops get no answer, once or until no other may be sent. */
  'stopped without an answer': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      ...stuck(names),
      policy: TO_STOP,
      writes: names.flatMap((endpoint, nth) =>
        Array.from({ length: (at + nth) % 4 }, (_, before) => ({
          operation: 'stop' as const,
          endpoint,
          nth: 1 + before,
          kind: pickOf(pick + nth, ['lost', 'unheard', 'late', 'UpstreamTimeout']),
          seconds: 1 + (lasts % 30),
        })),
      ),
      latencyMs: pickOf(lasts, [0, 2000]),
    });
  },
  /** A step dies in the midst of stops, and is run again if that is safe. */
  'died while it stops': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 3);
    return quiet(drawn, {
      ...stuck(names),
      policy: TO_STOP,
      writes: names
        .filter((_, nth) => (at + nth) % 4 === 0)
        .flatMap((endpoint) =>
          Array.from({ length: 1 + (lasts % 6) }, (_, before) => {
            const kind = pickOf(pick, ['unheard', 'lost']);
            return { operation: 'stop', endpoint, nth: 1 + before, kind, seconds: 1 };
          }),
        ),
      death: {
        error: pickOf(pick, ['Lambda.ServiceException', 'LedgerUnavailable', 'Lambda.Unknown']),
        when: pickOf(lasts, ['after', 'before']),
        point: 4 + (at % 25),
        since: 'failing',
      },
      people: at % 5 === 0 ? [{ kind: 'abort', onFailure: 'hold', atSecond: 90 + (at % 30) }] : [],
    });
  },
  /** A newer release comes in the midst of slow stops. */
  'a newer release comes while it stops': (drawn, { at, pick }) => {
    const names = namesOf(drawn, 6);
    return quiet(drawn, {
      ...stuck(names),
      policy: { ...TO_STOP, onConflict: 'latest' },
      people: [{ kind: pickOf(pick, ['rival', 'rival', 'twin']), atSecond: 98 + (at % 50) }],
      latencyMs: 2000,
    });
  },
  /** The process stands still in the midst of stops. */
  'stands still while it stops': (drawn, { at, lasts, pick }) => {
    const names = namesOf(drawn, 2);
    return quiet(drawn, {
      ...stuck(names),
      policy: TO_STOP,
      broken: names.map((endpoint, nth) =>
        nth === 0
          ? { endpoint, kind: 'slow', version: 2, rollSeconds: 95 + (at % 25) }
          : { endpoint, kind: 'stuck', version: 2 },
      ),
      stall: {
        // The rolls have added to the journal two or four times before.
        at: pickOf(pick, ['append', 'hear']),
        point: 3 + (at % 4),
        when: pickOf(at, ['before', 'after']),
        seconds: pickOf(lasts, [9, 10, 11, 60]),
        isRaced: false,
      },
      latencyMs: 0,
    });
  },
} satisfies Situations;

const TO_STOP: Partial<Ordeal['policy']> = {
  waves: [{ percent: 100 }],
  maxUnavailable: { percent: 100 },
  onFailure: 'stop-old',
  minServing: 0,
  progressDeadlineSeconds: 90,
};

function stuck(names: readonly string[]): Pick<Ordeal, 'endpoints' | 'rollSeconds' | 'broken'> {
  return {
    endpoints: fleetOf(names),
    rollSeconds: 5,
    broken: names.map((endpoint) => ({ endpoint, kind: 'stuck', version: 2 })),
  };
}
