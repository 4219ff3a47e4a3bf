import type { GateReading } from '../rollout/gates.ts';

// A gate may be red before a rollout has written anything, and the policy says to ignore that: perhaps the rollout is
// the fix. Then nobody can say of a no in the bake whether the version is to blame, until the gate was green once.

/** What gates are called in `redAtStart`: `alarm shop-5xx`. */
export function nameOfGate({ kind, name }: Pick<GateReading, 'kind' | 'name'>): string {
  return `${kind} ${name}`;
}

export function stillRed(
  red: readonly string[],
  readings: readonly GateReading[],
): readonly string[] {
  const green = new Set(readings.filter(({ verdict }) => verdict === 'pass').map(nameOfGate));
  return red.filter((name) => !green.has(name));
}

/** The answers that count: at the end of the bake all of them. @param red What `stillRed` says of this look. */
export function thatCount<Reading extends GateReading>(
  readings: readonly Reading[],
  red: readonly string[],
  isBakeOver: boolean,
): readonly Reading[] {
  if (isBakeOver || red.length === 0) return readings;
  return readings.filter(
    (reading) => reading.verdict !== 'fail' || !red.includes(nameOfGate(reading)),
  );
}
