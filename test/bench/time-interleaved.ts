import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

/** Something to time, by name. */
export type Contenders = Readonly<Record<string, () => Promise<unknown>>>;

/** Milliseconds of every round, by name. */
export type Times = Readonly<Record<string, readonly number[]>>;

const WARM_UP_ROUNDS = 3;

/**
 * Times every contender once a round, each round from another one on, so that a machine that is busy
 * for a while is busy for all of them. Each pays for its own garbage alone.
 */
export async function timeInterleaved(contenders: Contenders, rounds: number): Promise<Times> {
  const names = Object.keys(contenders);
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]]));
  for (let round = -WARM_UP_ROUNDS; round < rounds; round += 1) {
    const first = (round + WARM_UP_ROUNDS) % names.length;
    for (const name of [...names.slice(first), ...names.slice(0, first)]) {
      collectGarbage();
      const startedAt = performance.now();
      await contenders[name]?.();
      if (round >= 0) {
        times[name]?.push(performance.now() - startedAt);
      }
    }
  }
  return times;
}

/** How long `name` takes for each second that `base` takes: the median of the rounds. */
export function medianRatio(times: Times, name: string, base: string): number {
  const ratios = (times[name] ?? []).map((time, round) => time / (times[base]?.[round] ?? 0));
  return ratios.toSorted((one, other) => one - other)[ratios.length >> 1] ?? Number.NaN;
}
