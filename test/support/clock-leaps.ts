/** The clock of the steps went forward by more than the time that a read took. */
export interface ClockLeap {
  /** When the read was answered, in milliseconds since the Unix epoch. */
  readonly at: number;
  /** By how much too far, in milliseconds. */
  readonly ms: number;
}

/** A rollout takes no more than this for the time of a read: docs/explanation/time.md. */
const MOST_COUNTED_MS = 120_000;

/**
 * The same clock, which notes how far it leaps within a read of `latencyMs`. A leap in a wait, which takes longer than any
 * read here, is not noted: a rollout knows how long it has waited.
 */
export function noteLeaps(
  wrong: () => number,
  right: () => number,
  latencyMs: number,
  note: (leap: ClockLeap) => void,
): () => number {
  let last: { readonly wrong: number; readonly right: number } | null = null;
  return () => {
    const next = { wrong: wrong(), right: right() };
    const passedMs = next.right - (last?.right ?? next.right);
    const countedMs = next.wrong - (last?.wrong ?? next.wrong);
    last = next;
    const isInRead = passedMs > 0 && passedMs <= latencyMs;
    if (isInRead && countedMs > passedMs && countedMs <= MOST_COUNTED_MS) {
      note({ at: next.right, ms: countedMs - passedMs });
    }
    return next.wrong;
  };
}
