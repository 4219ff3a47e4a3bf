import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { hasConverged } from '../../domain/endpoint/observation.ts';
import { type AskedReading, rememberGates } from '../../domain/rollout/gates.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../../domain/rollout/record.ts';
import { convergedAt, judgeBake } from '../../domain/wave/bake.ts';
import { accusedOf, areGatesDue, hearGates, nextTurn } from '../../domain/wave/gate-watch.ts';
import { askGates } from '../../gates/ask-gates.ts';
import type { AskedWave } from '../../gates/gate.ts';
import { askedGates, type GatePorts, KINDS_OF_ENDPOINTS } from '../../gates/gates.ts';

/** A look at a wave, and the list that it has read. */
export interface WaveLook {
  readonly record: Pick<RolloutRecord, 'request'>;
  readonly plan: RolloutPlan;
  readonly progress: WaveProgress;
  readonly endpoints: readonly Endpoint[];
}

interface Said {
  /** With what is known of the gates now. */
  readonly progress: WaveProgress;
  /** Empty: nothing was asked. */
  readonly readings: readonly AskedReading[];
}

/**
 * Asks the gates of a wave that has converged and of those before it: when they are due, or at the convergence of a wave
 * and after its bake, in which case no endpoint of the wave waits for its turn.
 */
export async function askWaves(look: WaveLook, isWhole: boolean, ports: GatePorts): Promise<Said> {
  const { record, progress } = look;
  const { policy } = record.request;
  const { wave, watch, bakedMs, clock } = progress;
  const isUnasked = bakedMs === null && wave === 0;
  const isDue = isWhole || areGatesDue(progress);
  if (isUnasked || !isDue || askedGates(policy.verify).length === 0) {
    return { progress, readings: [] };
  }
  const { asked, cursor } = wavesToAsk(look, isWhole);
  const readings = await askGates(policy.verify, asked, ports);
  // After a no not all of the turn was asked.
  const isRefuted = readings.some(({ verdict }) => verdict === 'fail');
  const after = hearGates(progress, readings, policy, isRefuted ? (watch?.cursor ?? 0) : cursor);
  const gates = rememberGates(asked.wave, clock.at, readings, KINDS_OF_ENDPOINTS);
  return { progress: { ...progress, watch: after, gates }, readings };
}

/**
 * What the gates are asked about, and where the next turn begins. Whoever is accused is always asked, and first. Endpoints
 * that are lost within the failure threshold are left out.
 */
export function wavesToAsk(
  { record, plan, progress, endpoints }: WaveLook,
  isWhole: boolean,
): { readonly asked: AskedWave; readonly cursor: number } {
  const { wave, observations, watch, bakedMs, clock, readAt } = progress;
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const idAt = (place: number) => plan.endpoints[place]?.endpointId ?? '';
  const live = observations.flatMap((one, place) =>
    hasConverged(one) && place < (bakedMs === null ? from : to) ? [place] : [],
  );
  const accused = accusedOf(progress);
  const { places, cursor } = nextTurn(live, watch?.cursor ?? 0);
  const whole = isWhole ? live.filter((place) => place >= from) : [];
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const all = new Set([...live.filter((place) => accused.has(idAt(place))), ...whole, ...places]);
  const asked = {
    request: record.request,
    wave: bakedMs === null ? wave : wave + 1,
    endpoints: [...all].flatMap((place) => byId.get(idAt(place)) ?? []),
    previousVersions: new Map(
      plan.endpoints.map(({ endpointId, previousVersion }) => [endpointId, previousVersion]),
    ),
    since: bakedMs === null ? (watch?.since ?? clock.at) : convergedAt(progress),
    now: readAt,
    hasBaked: isWhole && judgeBake(plan, progress) === 'baked',
    bakedMs: bakedMs ?? Number.POSITIVE_INFINITY,
    watched: clock.watched,
    kept: watch?.kept ?? [],
  };
  return { asked, cursor };
}
