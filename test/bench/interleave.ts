/** What was measured in every round, by name. */
export type Rounds = Readonly<Record<string, readonly number[]>>;

/**
 * Measures every name once a round, each round from another one on, so that a machine that is busy
 * for a while is busy for all of them. Rounds to warm up are not kept.
 */
export async function interleave(
  names: readonly string[],
  { rounds, warmUpRounds }: { readonly rounds: number; readonly warmUpRounds: number },
  measure: (name: string) => Promise<number>,
): Promise<Rounds> {
  const measured = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    const first = round % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      const value = await measure(name);
      if (round >= warmUpRounds) measured[name]?.push(value);
    }
  }
  return measured;
}

/** How much `name` takes for each one that `base` takes: the median of the rounds. */
export function medianRatio(measured: Rounds, name: string, base: string): number {
  const ratios = (measured[name] ?? []).map(
    (value, round) => value / (measured[base]?.[round] ?? 0),
  );
  return ratios.toSorted((one, other) => one - other)[ratios.length >> 1] ?? Number.NaN;
}
