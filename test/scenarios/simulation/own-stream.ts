import fc from 'fast-check';

/**
 * Draws from a stream of random numbers of its own, which begins far beyond what a rollout draws. So a draw that is added
 * changes no other one, and the same seed still means the same rollout in everything else. It has to stand before all
 * draws that share the common stream.
 *
 * @param nth Which stream, from 1. No two draws may have the same one.
 */
export function ownStream<T>(nth: number, draw: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return new OwnStream(nth, draw);
}

/** More random numbers than any draw takes. */
const LENGTH = 5_000;

class OwnStream<T> extends fc.Arbitrary<T> {
  readonly #nth: number;
  readonly #draw: fc.Arbitrary<T>;

  constructor(nth: number, draw: fc.Arbitrary<T>) {
    super();
    this.#nth = nth;
    this.#draw = draw;
  }

  generate(common: fc.Random, biasFactor: number | undefined): fc.Value<T> {
    const own = common.clone();
    for (let skipped = 0; skipped < this.#nth * LENGTH; skipped += 1) own.nextInt();
    return this.#draw.generate(own, biasFactor);
  }

  canShrinkWithoutContext(value: unknown): value is T {
    return this.#draw.canShrinkWithoutContext(value);
  }

  shrink(value: T, context: unknown): fc.Stream<fc.Value<T>> {
    return this.#draw.shrink(value, context);
  }
}
