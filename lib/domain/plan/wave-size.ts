import type { Wave, WaveSize } from '../policy.ts';

/** A size as a number of endpoints: rounded down, but at least 1 and at most `total`. */
export function endpointsOf(size: WaveSize, total: number): number {
  const wanted = 'endpoints' in size ? size.endpoints : shareOf(size.percent, total);
  return Math.min(total, Math.max(1, wanted));
}

/** As the command line takes it: `1`, `25%`, `name:canary-*`. */
export function describeSize(size: Wave): string {
  if ('names' in size) return size.names.map((name) => `name:${name}`).join('+');
  return 'endpoints' in size ? `${size.endpoints}` : `${size.percent}%`;
}

/** 2.3 % of 3,000 is 69, although binary fractions make a little less of it. */
function shareOf(percent: number, total: number): number {
  return Math.floor((percent * total) / 100 + 1e-9);
}
