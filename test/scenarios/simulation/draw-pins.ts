import fc from 'fast-check';
import { quieted, seldom } from './draw-holds.ts';
import type { DrawnHold, Ordeal } from './ordeal.ts';
import { ownStream } from './own-stream.ts';

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
  const nothing = { broken: [], lists: [], writes: [], alarms: [], readings: [], guises: [] };
  return {
    ...{ ...rest, endpoints, people: [], ...(isHale && nothing) },
    held: { ...held, holds: [...held.holds, ...holds] },
  };
}

const NOTHING_HELD = {
  ...{ holds: [], isOfGroup: false, refuses: false, isAgain: false, listens: false },
} as const;
