/** Numbers that are drawn one after the other. The same seed always gives the same ones, on every machine. */
export interface Random {
  /** A number from 0 up to 1, without 1. */
  next(): number;
  /** A whole number from `from` to `to`, with both. */
  integer(from: number, to: number): number;
  /** Whether something happens that happens in this share of all cases, from 0 to 1. */
  chance(share: number): boolean;
  /** One of the values, each as likely as any other. There has to be one. */
  pick<const T extends readonly unknown[]>(values: T): T[number];
}

/** @param seed A whole number. */
export function createRandom(seed: number): Random {
  const next = sfc32(seed);
  const integer = (from: number, to: number) => from + Math.floor(next() * (to - from + 1));
  return {
    next,
    integer,
    chance: (share) => next() < share,
    pick: (values) => values[integer(0, values.length - 1)] as (typeof values)[number],
  };
}

/**
 * Chris Doty-Humphrey's "small fast counter", a well-tested generator (https://pracrand.sourceforge.net). Its first
 * numbers still resemble those of the next seed, so they are thrown away.
 */
function sfc32(seed: number): () => number {
  let a = seed | 0;
  let b = Math.floor(seed / 2 ** 32) | 0;
  let c = 0x9e37_79b9;
  let count = 1;
  const next = () => {
    const sum = (a + b + count) | 0;
    count = (count + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = ((c << 21) | (c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };
  for (let discarded = 0; discarded < 15; discarded += 1) next();
  return next;
}
