import fc from 'fast-check';
import type { Where } from '../../../lib/domain/endpoint/attributes.ts';
import type { RolloutPolicy, Wave } from '../../../lib/domain/rollout/policy.ts';
import { seldom } from './draw-holds.ts';
import type { Ordeal } from './ordeal.ts';
import { ownStream } from './own-stream.ts';

// Waves and protection that mean endpoints by attributes, which some have and some lack.

interface Rings {
  /** One for each endpoint, from the first one again when there are more endpoints. `null`: nobody has said it. */
  readonly tiers: readonly (string | null)[];
  readonly waves: readonly Wave[];
  readonly protect: RolloutPolicy['protect'];
}

const tier = (...of: string[]): { where: Where } => ({ where: { tier: of } });

/** Than the bake of the other waves: a warm-up that fits into that one fits into this one. */
const LONGER = 90;

const ring = fc.constantFrom<Wave>(
  ...[tier('internal'), tier('free', 'pro'), tier('nobody'), tier('*')],
  ...[
    { ...tier('free'), percent: 50 },
    { ...tier('free', 'internal'), endpoints: 1 },
  ],
  ...[{ names: ['*-02'] }, { endpoints: 2 }, { ...tier('pro'), bakeSeconds: LONGER }],
);

const rings: fc.Arbitrary<Rings> = fc.record({
  tiers: fc.array(fc.constantFrom('internal', 'free', 'pro', null), { minLength: 1, maxLength: 5 }),
  // Sizes of a ring would have to rise.
  waves: fc.uniqueArray(ring, {
    minLength: 1,
    maxLength: 3,
    selector: (wave) => JSON.stringify('where' in wave ? wave.where : wave),
  }),
  protect: fc.constantFrom<Rings['protect']>([], [], [tier('internal')], [tier('pro', 'fr*')]),
});

export const ringsBeside = ownStream(7, seldom(rings));

/** The real client would have to be told which fields are attributes. */
export function withRings(ordeal: Ordeal, drawn: Rings | null): Ordeal {
  const { policy, endpoints, wire } = ordeal;
  if (drawn === null || wire !== null) return ordeal;
  const { tiers, protect } = drawn;
  const waves = drawn.waves.map(({ bakeSeconds, ...wave }): Wave => {
    return bakeSeconds === undefined
      ? wave
      : { ...wave, bakeSeconds: policy.bakeSeconds + bakeSeconds };
  });
  return {
    ...ordeal,
    endpoints: endpoints.map((one, index) => {
      const own = tiers[index % tiers.length];
      return own == null ? one : { ...one, attributes: { tier: own } };
    }),
    policy: {
      ...policy,
      waves: [...waves, { percent: 100 }],
      protect: [...policy.protect, ...protect],
    },
  };
}
