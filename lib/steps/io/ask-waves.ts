import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { hasConverged } from '../../domain/endpoint/observation.ts';
import { rememberGates } from '../../domain/rollout/gates.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutRecord, WaveProgress } from '../../domain/rollout/record.ts';
import { convergedAt, judgeBake } from '../../domain/wave/bake.ts';
import { tellCourses } from '../../domain/wave/gate-courses.ts';
import {
  areGatesDue,
  askedAgain,
  hearGates,
  isDeciding,
  nextTurn,
} from '../../domain/wave/gate-watch.ts';
import { askGates } from '../../gates/ask-gates.ts';
import { type AskedWave, IN_BAKE } from '../../gates/gate.ts';
import { askedAt, type GatePorts, KINDS_OF_ENDPOINTS } from '../../gates/gates.ts';

export interface WaveLook {
  readonly record: Pick<RolloutRecord, 'request'>;
  readonly plan: RolloutPlan;
  readonly progress: WaveProgress;
  readonly endpoints: readonly Endpoint[];
}

/**
 * Asks the gates of everything that has converged so far: when they are due, or at the convergence of a wave and after its
 * bake, in which case no endpoint of the wave waits for its turn. Until the first endpoint has converged there is nothing
 * to ask about. Answers the progress by now, and what gates have answered that decide; nothing: none was asked.
 */
export async function askWaves(look: WaveLook, isWhole: boolean, ports: GatePorts) {
  const { record, progress } = look;
  const { policy } = record.request;
  const { wave, watch, bakedMs, clock, gateCourses = [], news = [] } = progress;
  const isDue = isWhole || areGatesDue(progress);
  const { asked, cursor } = wavesToAsk(look, isWhole);
  const isFirst = bakedMs === null && wave === 0 && watch === undefined;
  const isTooEarly = isFirst && asked.endpoints.length === 0;
  if (isTooEarly || !isDue || askedAt(policy.verify, IN_BAKE).length === 0) {
    return { progress, readings: [] };
  }
  const all = await askGates(policy.verify, asked, ports);
  const readings = all.filter(isDeciding);
  // After a no not all of the turn was asked.
  const isRefuted = readings.some(({ verdict }) => verdict === 'fail');
  const after = hearGates(progress, all, policy, {
    wave: asked.wave,
    cursor: isRefuted ? (watch?.cursor ?? 0) : cursor,
    hasBaked: asked.when === 'bake-end',
  });
  const gates = rememberGates(asked.wave, clock.at, all, KINDS_OF_ENDPOINTS);
  const at = { wave: asked.wave, at: clock.at };
  const told = tellCourses({ gateCourses, news }, all, at, KINDS_OF_ENDPOINTS);
  return { progress: { ...progress, ...after, gates, ...told }, readings };
}

/**
 * What the gates are asked about, and where the next turn begins. Whoever is accused is always asked, and first. Endpoints
 * that are lost within the failure threshold are left out, and so is a wave before its warm-up, which begins when all of it
 * has converged.
 */
export function wavesToAsk(
  { record, plan, progress, endpoints }: WaveLook,
  isWhole: boolean,
): { readonly asked: AskedWave; readonly cursor: number } {
  const { wave, observations, watch, bakedMs, clock, readAt } = progress;
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const idAt = (place: number) => plan.endpoints[place]?.endpointId ?? '';
  const isRolling = bakedMs === null;
  const { warmUpSeconds = 0 } = record.request.policy.verify;
  const end = isRolling && warmUpSeconds > 0 ? from : to;
  const live = observations.flatMap((one, place) =>
    hasConverged(one) && place < end ? [place] : [],
  );
  const accused = askedAgain(progress);
  const { places, cursor } = nextTurn(live, watch?.cursor ?? 0);
  const whole = isWhole ? live.filter((place) => place >= from) : [];
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const all = new Set([...live.filter((place) => accused.has(idAt(place))), ...whole, ...places]);
  const rowsOf = (places: readonly number[]) =>
    places.flatMap((place) => byId.get(idAt(place)) ?? []);
  const hasBaked = isWhole && judgeBake(plan, progress) === 'baked';
  const asked: AskedWave = {
    when: hasBaked ? 'bake-end' : 'bake',
    request: record.request,
    wave: isRolling ? Math.max(1, wave) : wave + 1,
    endpoints: rowsOf([...all]),
    settled: rowsOf([...all].filter((place) => !isRolling || place < from)),
    previousVersions: new Map(
      plan.endpoints.map(({ endpointId, previousVersion }) => [endpointId, previousVersion]),
    ),
    since: isRolling ? (watch?.since ?? clock.at) : convergedAt(progress),
    now: readAt,
    bakedMs: bakedMs ?? Number.POSITIVE_INFINITY,
    watched: clock.watched,
    kept: watch?.kept ?? [],
    noes: [...(watch?.noes ?? []), ...(watch?.watchedNoes ?? [])],
  };
  return { asked, cursor };
}
