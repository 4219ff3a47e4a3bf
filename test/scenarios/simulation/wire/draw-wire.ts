import fc from 'fast-check';
import type { Exchange, Ordeal, Wire } from '../ordeal.ts';

const plain = fc.constant<Exchange>({ kind: 'plain', seconds: 0, retryAfter: 'none' });

/** More than the client waits for an answer, or less. */
const anySeconds = fc.oneof(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 11, max: 40 }));

function kinds(...all: readonly Exchange['kind'][]): fc.Arbitrary<Exchange> {
  return fc.record({
    kind: fc.constantFrom(...all),
    seconds: anySeconds,
    retryAfter: fc.constant('none' as const),
  });
}

const asksToWait: fc.Arbitrary<Exchange> = fc.record({
  kind: fc.constantFrom('throttled', 'unavailable'),
  seconds: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.constantFrom(20, 60, 900)),
  retryAfter: fc.constantFrom('seconds', 'date', 'nonsense', 'none'),
});

/** One after the other. What lets no rollout begin comes seldom, or nothing else would be found out. */
function exchanges(plainOnes: number): fc.Arbitrary<readonly Exchange[]> {
  const one = fc.oneof(
    { withCrossShrink: true },
    { arbitrary: plain, weight: plainOnes },
    { arbitrary: kinds('refused', 'waits', 'dropped', 'unheard', 'slow', 'late'), weight: 10 },
    { arbitrary: asksToWait, weight: 5 },
    { arbitrary: kinds('expired', 'expired', 'expired', 'page', 'envelope', 'empty'), weight: 3 },
    { arbitrary: kinds('forbidden'), weight: 1 },
  );
  return fc.oneof(
    { withCrossShrink: true },
    { arbitrary: fc.constant([]), weight: 1 },
    { arbitrary: fc.array(one, { minLength: 1, maxLength: 40, size: 'max' }), weight: 4 },
  );
}

const wire: fc.Arbitrary<Wire> = fc
  .record<Wire>({
    auth: fc.constantFrom('client-credentials', 'client-credentials', 'bearer', 'none'),
    tokenSeconds: fc.constantFrom(20, 120, 3600),
    reads: exchanges(150),
    writes: exchanges(15),
    tokens: exchanges(40),
  })
  .map((one) => (one.auth === 'client-credentials' ? one : { ...one, tokens: [] }));

/** One in twenty of all, and some more, because not every rollout can have it. */
export const maybeWire: fc.Arbitrary<Wire | null> = fc.oneof(
  { withCrossShrink: true },
  { arbitrary: fc.constant(null), weight: 18 },
  { arbitrary: wire, weight: 1 },
);

/**
 * Puts the client under a rollout. What goes wrong with its lists and its writes goes wrong on the wire then. The
 * client is that of a service which can stop endpoints, lists no versions, and
 * answers before the client gives up.
 */
export function withWire(drawn: Ordeal, wire: Wire | null): Ordeal {
  const { cannotStop, asked, latencyMs, policy } = drawn;
  const isOther =
    cannotStop ||
    latencyMs > MOST_LATENCY_MS ||
    policy.bakeSeconds > LONGEST_BAKE_SECONDS ||
    asked?.kind === 'listed' ||
    asked?.kind === 'highest';
  return wire === null || isOther
    ? { ...drawn, wire: null }
    : { ...drawn, lists: [], writes: [], wire };
}

/** In a longer bake, a list that cannot be read costs another look an hour later. */
const LONGEST_BAKE_SECONDS = 3_600;

const MOST_LATENCY_MS = 2_000;
