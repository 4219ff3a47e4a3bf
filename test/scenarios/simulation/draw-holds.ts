import fc from 'fast-check';
import { gatesIn } from '../../support/gates-in.ts';
import type { DrawnHold, Held, Ordeal, Promotion } from './ordeal.ts';
import { ownStream } from './own-stream.ts';
import { QUIET } from './quiet.ts';

// What people hold, and what they promote, beside a rollout that is drawn without them.

const second = fc.oneof(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 0, max: 400 }));

const seconds = fc.constantFrom(7, 30, 90, 400, 1500, 5400);

function holdOf(
  kinds: DrawnHold['kind'][],
  on: DrawnHold['on'][],
  from: fc.Arbitrary<DrawnHold['from']>,
): fc.Arbitrary<DrawnHold> {
  return fc.record({
    kind: fc.constantFrom(...kinds),
    on: fc.constantFrom(...on),
    from,
    seconds,
    liftedAfter: fc.oneof(fc.constant(null), fc.constantFrom(3, 20, 61, 300, 1200)),
  });
}

type From = Exclude<DrawnHold['from'], number>;

function moments(...names: From[]): fc.Arbitrary<From> {
  return fc.constantFrom(...names);
}

const hold: fc.Arbitrary<DrawnHold> = fc.oneof(
  {
    arbitrary: holdOf(
      ['pause'],
      ['everything', 'group', 'runtime', 'rollout', 'parent'],
      fc.oneof(
        second,
        second,
        moments('before', 'opened', 'refused', 'refused', 'wave-converged', 'failing', 'ended'),
      ),
    ),
    weight: 5,
  },
  {
    arbitrary: holdOf(
      ['freeze'],
      ['everything', 'group', 'runtime'],
      fc.oneof(second, moments('before', 'before', 'opened', 'wave-converged', 'ended')),
    ),
    weight: 3,
  },
  {
    arbitrary: holdOf(
      ['quarantine'],
      ['version', 'version', 'version before'],
      fc.oneof(second, second, moments('before', 'opened', 'wave-converged', 'ended')),
    ),
    weight: 2,
  },
  {
    arbitrary: fc.oneof(
      holdOf(
        ['pause', 'freeze'],
        ['another group', 'another runtime', 'another rollout'],
        fc.oneof(second, moments('before')),
      ),
      holdOf(['quarantine'], ['another version'], fc.oneof(second, moments('before'))),
    ),
    weight: 1,
  },
);

interface HeldDraw extends Held {
  /** Nothing goes wrong beside it but the version, lists, writes and gates. */
  readonly isQuiet: boolean;
  /** The latest version is asked for, and is in quarantine before. */
  readonly asksForLatest: boolean;
  /** A newer rollout wants the runtime under a pause. */
  readonly hasRival: boolean;
}

const rarelySo = fc.constantFrom(false, false, false, false, false, false, false, true);

const held: fc.Arbitrary<HeldDraw> = fc.record({
  holds: fc.array(hold, { minLength: 1, maxLength: 3 }),
  isOfGroup: fc.constantFrom(false, false, true),
  refuses: fc.constantFrom(false, false, false, true),
  isAgain: fc.constantFrom(false, false, false, true),
  listens: fc.boolean(),
  isQuiet: fc.boolean(),
  asksForLatest: rarelySo,
  hasRival: rarelySo,
});

interface PromotionDraw {
  readonly promotions: readonly Promotion[];
  readonly bakeSeconds: number;
  /** What the alarm says from so many seconds after the start. `null`: there is none. */
  readonly alarm: { readonly verdict: 'fail' | 'unknown'; readonly fromSecond: number } | null;
  readonly seconds: number;
  readonly isQuiet: boolean;
}

const promoted: fc.Arbitrary<PromotionDraw> = fc.record({
  promotions: fc.array(
    fc.record({
      wave: fc.constantFrom(0, 0, 0, 1, 2),
      afterSeconds: fc.constantFrom(0, 1, 31, 60, 200, 700),
      isFull: fc.boolean(),
    }),
    { minLength: 1, maxLength: 2 },
  ),
  bakeSeconds: fc.constantFrom(120, 600, 1800),
  alarm: fc.oneof(
    fc.constant(null),
    fc.record({
      verdict: fc.constantFrom('fail', 'unknown'),
      fromSecond: fc.integer({ min: 0, max: 300 }),
    }),
  ),
  seconds: fc.constantFrom(30, 200, 3000),
  isQuiet: fc.constantFrom(true, true, false),
});

/** One of eight. */
export function seldom<T>(draw: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant(null), weight: 7 },
    { arbitrary: draw, weight: 1 },
  );
}

/** Each has a stream of its own, so that the rollouts of a seed stay what they were without it. */
export const heldBeside = ownStream(1, seldom(held));
export const promotedBeside = ownStream(2, seldom(promoted));

export function withHolds(ordeal: Ordeal, draw: HeldDraw | null): Ordeal {
  if (draw === null) return ordeal;
  const { isQuiet, asksForLatest, hasRival, ...held } = draw;
  if (hasRival) return withRival(ordeal, held);
  const [first] = held.holds;
  if (first?.kind === 'freeze' && first.from === 'before' && first.liftedAfter !== null) {
    return withThaw(ordeal, held, first);
  }
  if (first?.kind === 'pause' && first.from === 'failing')
    return withLatePause(ordeal, held, first);
  const beside = withRefusal(isQuiet ? quieted(ordeal) : ordeal, held);
  const mayAsk = ordeal.asked === null && ordeal.wire === null && ordeal.hours === null;
  if (!asksForLatest || !mayAsk) return { ...beside, held };
  const holds: DrawnHold[] = [{ ...QUARANTINED, seconds: 5400 }];
  return {
    ...quieted(ordeal),
    // The one below is where everything is, so that nothing is to be done.
    endpoints: ordeal.endpoints.map((one) => ({ ...one, version: 1 })),
    people: [],
    broken: [],
    lists: [],
    guises: [],
    held: { ...held, holds, isAgain: false },
    asked: { kind: 'listed', version: 'latest', state: 'ready', seconds: 0, isNewest: true },
  };
}

/** Of two waves the first one is rolled when everything is paused, and then somebody asks it to give way. */
function withRival(ordeal: Ordeal, held: Held): Ordeal {
  const pause: DrawnHold = { ...PAUSED, from: 15, seconds: held.holds[0]?.seconds ?? 400 };
  return {
    ...quieted(ordeal),
    people: [{ atSecond: 20, kind: 'rival' }],
    policy: { ...ordeal.policy, onConflict: 'latest' },
    held: { ...held, holds: [pause] },
  };
}

/**
 * What waits for nothing but a freeze, which somebody lifts long before its end. The runtime of a group waits although its
 * policy says refuse.
 */
function withThaw(ordeal: Ordeal, held: Held, freeze: DrawnHold): Ordeal {
  const { isOfGroup } = held;
  const on = isOfGroup ? 'runtime' : 'everything';
  return {
    ...quieted(ordeal),
    ...{ people: [], lists: [], hours: null, asked: null, opensAfter: 0 },
    held: { ...held, refuses: isOfGroup, holds: [{ ...freeze, on, seconds: 5400 }] },
  };
}

/** Nothing goes wrong but an endpoint, and a pause that comes then must not hold the way back. */
function withLatePause(ordeal: Ordeal, held: Held, pause: DrawnHold): Ordeal {
  const { endpoints, rollSeconds, policy } = ordeal;
  return {
    ...QUIET,
    endpoints: endpoints.map((one) => ({ ...one, version: 1 })),
    rollSeconds,
    policy: { ...policy, onFailure: 'roll-back', failureThreshold: { endpoints: 0 } },
    broken: [{ endpoint: endpoints.at(-1)?.name ?? '', kind: 'stuck', version: 2 }],
    held: { ...held, listens: false, holds: [pause] },
  };
}

const PAUSED = { kind: 'pause', on: 'everything', liftedAfter: null } as const;

/** The service refuses the first roll for now, and the same batch is to send it once more. */
function withRefusal(ordeal: Ordeal, { holds }: Held): Ordeal {
  const endpoint = ordeal.endpoints[0]?.name ?? '';
  if (ordeal.wire !== null || !holds.some(({ from }) => from === 'refused')) return ordeal;
  const refusal = { operation: 'roll', nth: 1, kind: 'UpstreamThrottled', seconds: 15 } as const;
  // Whoever has the version that is asked for keeps it.
  const source = ordeal.asked?.kind === 'source' ? ordeal.asked.endpoint : null;
  return {
    ...ordeal,
    endpoints: ordeal.endpoints.map((one) => (one.name === source ? one : { ...one, version: 1 })),
    writes: [{ ...refusal, endpoint }, ...ordeal.writes],
  };
}

const QUARANTINED = {
  kind: 'quarantine',
  on: 'version',
  from: 'before',
  liftedAfter: null,
} as const satisfies Partial<DrawnHold>;

export function withPromotions(ordeal: Ordeal, draw: PromotionDraw | null): Ordeal {
  if (draw === null) return ordeal;
  const { promotions, alarm, seconds, isQuiet } = draw;
  const { policy, ...others } = isQuiet ? quieted(ordeal) : ordeal;
  const { alarms, metrics } = gatesIn(policy);
  // What cannot be answered before the deadline is over is no policy.
  const bakeSeconds = Math.max(draw.bakeSeconds, metrics.length > 0 ? policy.bakeSeconds : 0);
  const asked = alarms.includes(ALARM) ? alarms : [...alarms, ALARM];
  return {
    ...others,
    promotions,
    policy: {
      ...policy,
      bakeSeconds,
      waves: policy.waves.map((wave) => ({ ...wave, bakeSeconds })),
      verify: { ...policy.verify, alarms: alarm === null ? policy.verify.alarms : asked },
    },
    alarms: alarm === null ? others.alarms : [{ ...alarm, seconds }],
  };
}

const ALARM = 'errors';

/** Its process, its clock and its ledger are well, and nobody else is there. */
export function quieted(ordeal: Ordeal): Ordeal {
  return {
    ...ordeal,
    people: ordeal.people.filter(({ atSecond }) => atSecond === 'before'),
    word: null,
    clock: null,
    death: null,
    stall: null,
    earlier: null,
    ahead: null,
    badReleases: 0,
  };
}
