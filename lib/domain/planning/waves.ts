import { asSaid, type PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { PlannedWave, RolloutPlan } from '../rollout/plan.ts';
import type { RolloutPolicy, Wave, WaveSize } from '../rollout/policy.ts';
import { matchesName } from './selection.ts';

/**
 * Splits endpoints into waves, in which they keep their order. Sizes are cumulative: `1, 25 %, 100 %` of 12 endpoints is 1, then 2 more, then 9 more.
 * A wave of names takes the remaining endpoints with these names. An entry that adds no endpoint makes no wave. The
 * last wave is 100 % and takes all that is left.
 *
 * The bake time of an entry that adds no endpoint is not lost. The wave before the entry takes it over, if it is longer
 * than the wave's own. When there is no wave before, the first wave takes it over in the same way. Its windows are lost.
 */
export function splitWaves(
  endpoints: readonly PlannedEndpoint[],
  policy: Pick<RolloutPolicy, 'waves' | 'bakeSeconds'>,
): Pick<RolloutPlan, 'endpoints' | 'waves'> {
  const ordered: PlannedEndpoint[] = [];
  const waves: PlannedWave[] = [];
  let rest = endpoints;
  let handedOn = 0;
  for (const wave of policy.waves) {
    const taken = takeWave(wave, rest, ordered.length);
    const bakeSeconds = Math.max(wave.bakeSeconds ?? policy.bakeSeconds, handedOn);
    handedOn = 0;
    if (taken.length === 0) {
      const before = waves.pop();
      if (before === undefined) handedOn = bakeSeconds;
      else waves.push({ ...before, bakeSeconds: Math.max(before.bakeSeconds, bakeSeconds) });
      continue;
    }
    const from = ordered.length;
    ordered.push(...taken);
    waves.push({
      ...{ from, to: ordered.length, bakeSeconds },
      ...(wave.windows && {
        windows: wave.windows.map(({ days, ...one }) => ({ ...one, days: [...days] })),
      }),
    });
    const isTaken = new Set(taken);
    rest = rest.filter((endpoint) => !isTaken.has(endpoint));
  }
  return { endpoints: ordered, waves };
}

function takeWave(
  wave: Wave,
  rest: readonly PlannedEndpoint[],
  before: number,
): readonly PlannedEndpoint[] {
  if ('names' in wave) {
    return rest.filter((planned) => {
      return matchesName({ id: planned.endpointId, name: asSaid(planned).name }, wave.names);
    });
  }
  return rest.slice(0, Math.max(0, endpointsOf(wave, before + rest.length) - before));
}

/** A size as a number of endpoints: rounded down, but at least 1 and at most `total`. */
export function endpointsOf(size: WaveSize, total: number): number {
  const wanted = 'endpoints' in size ? size.endpoints : shareOf(size.percent, total);
  return Math.min(total, Math.max(1, wanted));
}

/** Writes a size as the command line takes it: `1`, `25%`, `name:canary-*`. */
export function describeSize(size: Wave): string {
  if ('names' in size) return size.names.map((name) => `name:${name}`).join('+');
  return 'endpoints' in size ? `${size.endpoints}` : `${size.percent}%`;
}

/** 2.3 % of 3,000 is 69, although binary fractions come out slightly lower. */
function shareOf(percent: number, total: number): number {
  return Math.floor((percent * total) / 100 + 1e-9);
}
