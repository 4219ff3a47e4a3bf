import type { RolloutPolicy, Wave } from '../policy.ts';
import type { PlannedEndpoint, PlannedWave } from '../rollout-plan.ts';
import { matchesName } from './select-endpoints.ts';
import { endpointsOf } from './wave-size.ts';

export interface Waves {
  /** In the order of the waves, and within a wave in the order that they came in. */
  readonly endpoints: readonly PlannedEndpoint[];
  readonly waves: readonly PlannedWave[];
}

/**
 * Splits endpoints into waves. Sizes are cumulative: `1, 25 %, 100 %` of 12 endpoints is 1, then 2
 * more, then 9 more. A wave of names takes those of the rest that have them. What adds nothing makes no
 * wave; the last one takes all that is left.
 *
 * The bake of what adds nothing is not lost: the wave before it, or the first one that there is, bakes as long
 * as the longest of them.
 */
export function splitWaves(
  endpoints: readonly PlannedEndpoint[],
  policy: Pick<RolloutPolicy, 'waves' | 'bakeSeconds'>,
): Waves {
  const ordered: PlannedEndpoint[] = [];
  const waves: PlannedWave[] = [];
  let rest = endpoints;
  let handedOn = 0;
  policy.waves.forEach((wave, index) => {
    const isLast = index === policy.waves.length - 1;
    const taken = isLast ? rest : takeWave(wave, rest, ordered.length);
    const bakeSeconds = Math.max(wave.bakeSeconds ?? policy.bakeSeconds, handedOn);
    handedOn = 0;
    if (taken.length === 0) {
      const before = waves.pop();
      if (before === undefined) handedOn = bakeSeconds;
      else waves.push({ ...before, bakeSeconds: Math.max(before.bakeSeconds, bakeSeconds) });
      return;
    }
    const from = ordered.length;
    ordered.push(...taken);
    waves.push({ from, to: ordered.length, bakeSeconds });
    const isTaken = new Set(taken);
    rest = rest.filter((endpoint) => !isTaken.has(endpoint));
  });
  return { endpoints: ordered, waves };
}

function takeWave(
  wave: Wave,
  rest: readonly PlannedEndpoint[],
  before: number,
): readonly PlannedEndpoint[] {
  if ('names' in wave) {
    return rest.filter(({ endpointId: id, name }) => matchesName({ id, name }, wave.names));
  }
  return rest.slice(0, Math.max(0, endpointsOf(wave, before + rest.length) - before));
}
