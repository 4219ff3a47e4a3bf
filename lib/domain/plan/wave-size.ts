import type { WaveSize } from '../policy.ts';

/** A size as a number of endpoints: rounded down, but at least 1 and at most `total`. */
export function endpointsOf(size: WaveSize, total: number): number {
  const wanted = 'endpoints' in size ? size.endpoints : Math.floor((size.percent * total) / 100);
  return Math.min(total, Math.max(1, wanted));
}

export function describeSize(size: WaveSize): string {
  return 'endpoints' in size ? `${size.endpoints}` : `${size.percent}%`;
}
