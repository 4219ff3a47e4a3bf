import type { WaveSize } from '../policy.ts';
import type { PlanRange } from '../rollout.ts';
import { endpointsOf } from './wave-size.ts';

/**
 * Splits `total` endpoints into waves. The sizes are cumulative: `1, 25 %, 100 %` of 12 endpoints is
 * 1, then 2 more, then 9 more. A size that adds nothing makes no wave; the last one takes all that
 * is left.
 */
export function splitWaves(total: number, sizes: readonly WaveSize[]): PlanRange[] {
  const waves: PlanRange[] = [];
  let from = 0;
  sizes.forEach((size, index) => {
    const to = index === sizes.length - 1 ? total : endpointsOf(size, total);
    if (to > from) {
      waves.push({ from, to });
      from = to;
    }
  });
  return waves;
}
