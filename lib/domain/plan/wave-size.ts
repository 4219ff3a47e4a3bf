import type { WaveSize } from '../policy.ts';

/** A size as a number of endpoints: rounded down, but at least 1 and at most `total`. */
export function endpointsOf(size: WaveSize, total: number): number {
  const wanted = 'endpoints' in size ? size.endpoints : shareOf(size.percent, total);
  return Math.min(total, Math.max(1, wanted));
}

export function describeSize(size: WaveSize): string {
  return 'endpoints' in size ? `${size.endpoints}` : `${size.percent}%`;
}

/** 2.3 % of 3,000 is 69, although binary fractions make a little less of it. */
function shareOf(percent: number, total: number): number {
  return Math.floor((percent * total) / 100 + 1e-9);
}
