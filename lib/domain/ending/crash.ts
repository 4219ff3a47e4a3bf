import type { WaveProgress } from '../rollout/record.ts';

type LostBatches = NonNullable<WaveProgress['lost']>;

/** The errors of lost batches, after those of before. `undefined`: none was lost. */
export function addLost(
  before: LostBatches | undefined,
  errors: readonly string[],
): LostBatches | undefined {
  const error = errors.at(-1);
  return error === undefined ? before : { error, times: (before?.times ?? 0) + errors.length };
}

/** `The function roll failed 4 times, the last time with Runtime.ExitError.` */
export function describeLost(name: string, { error, times }: LostBatches): string {
  const how = times === 1 ? `with ${error}` : `${times} times, the last time with ${error}`;
  return `The function ${name} failed ${how}.`;
}
