import fc from 'fast-check';
import { quieted, seldom } from './draw-holds.ts';
import type { DrawnHold, Held, Ordeal } from './ordeal.ts';
import { ownStream } from './own-stream.ts';
import { QUIET } from './quiet.ts';

// Endpoints that somebody pins, before a rollout and while it is under way.

interface Pinned {
  readonly pins: readonly {
    /** Which of them, by its place. */
    readonly nth: number;
    readonly from: DrawnHold['from'];
    readonly liftedAfter: number | null;
  }[];
  /** A person passes the first one. */
  readonly isPassed: boolean;
  /** Nothing goes wrong beside it. */
  readonly isHale: boolean;
}

const pinned: fc.Arbitrary<Pinned> = fc.record({
  pins: fc.array(
    fc.record({
      nth: fc.integer({ min: 0, max: 11 }),
      from: fc.oneof(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 0, max: 400 }),
        fc.constantFrom('before', 'opened', 'refused', 'wave-converged', 'failing', 'failing'),
      ),
      liftedAfter: fc.constantFrom(null, null, 3, 20, 61, 300),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  isPassed: fc.constantFrom(false, false, false, true),
  isHale: fc.constantFrom(false, false, true),
});

export const pinsBeside = ownStream(9, seldom(pinned));

/** No other rollout comes into its way, and what else is held stays. */
export function withPins(ordeal: Ordeal, drawn: Pinned | null): Ordeal {
  const { asked, wire, check, voters } = ordeal;
  const isSpecial = asked !== null || wire !== null || check !== undefined || voters !== undefined;
  if (drawn === null || isSpecial) return ordeal;
  const { pins, isPassed, isHale } = drawn;
  const { endpoints, held = NOTHING_HELD, ...rest } = quieted(ordeal);
  const names = endpoints.map(({ name }) => name);
  const holds = pins.map(({ nth, from, liftedAfter }, place): DrawnHold => {
    const endpoint = names[nth % names.length] ?? '';
    const isBefore = isPassed && place === 0;
    const when = { from: isBefore ? 'before' : from, seconds: Infinity, liftedAfter } as const;
    return { kind: 'pin', on: 'endpoint', endpoint, ...when, ...(isBefore && { isPassed: true }) };
  });
  if (!isHale && !ordeal.cannotStop && pins.some(({ from }) => from === 'failing')) {
    return withStops(ordeal, { ...held, holds: [...held.holds, ...holds] });
  }
  const nothing = { broken: [], lists: [], writes: [], alarms: [], readings: [], guises: [] };
  return {
    ...{ ...rest, endpoints, people: [], ...(isHale && nothing) },
    held: { ...held, holds: [...held.holds, ...holds] },
  };
}

/** All get stuck, and are stopped one after the other, so slowly that the pins have to be heard before some of the stops. */
function withStops({ endpoints, rollSeconds }: Ordeal, held: Held): Ordeal {
  const onFailure = 'stop-old';
  const waves = [{ percent: 100 }] as const;
  return {
    ...{ ...QUIET, rollSeconds, held, latencyMs: 2000 },
    endpoints: endpoints.map((one) => ({ ...one, version: 1 })),
    broken: endpoints.map(({ name: endpoint }) => ({ endpoint, kind: 'stuck', version: 2 })),
    policy: { ...QUIET.policy, waves, maxUnavailable: { percent: 100 }, onFailure, minServing: 0 },
  };
}

const NOTHING_HELD = {
  ...{ holds: [], isOfGroup: false, refuses: false, isAgain: false, listens: false },
} as const;
