import type { Endpoint } from '../domain/endpoint.ts';
import { hasConverged } from '../domain/judge/endpoint-verdict.ts';
import type { GateReading } from '../domain/judge/gate-reading.ts';
import type { WaveProgress } from '../domain/observation.ts';
import type { Probe, Verification } from '../domain/policy.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';
import type { GateAnswer, Gates } from '../ports/gates.ts';

/** Probes that are under way at once: 10,000 of a second each take under three minutes. */
const CONCURRENT_PROBES = 64;

/** Asks every gate of the wave: the endpoints of the wave themselves, and the alarms. */
export async function askGates(
  { probe, alarms }: Verification,
  plan: RolloutPlan,
  progress: WaveProgress,
  endpoints: readonly Endpoint[],
  gates: Gates,
): Promise<GateReading[]> {
  const alarmReadings = alarms.map(async (name): Promise<GateReading> => {
    return { kind: 'alarm', name, ...(await gates.alarm(name)) };
  });
  const probed = probe === null ? [] : endpointsOfWave(plan, progress, endpoints);
  const probeReadings: GateReading[] = [];
  const work = async () => {
    // One that fails is enough: the rest of a broken fleet would only cost time.
    const hasFailed = () => probeReadings.some(({ verdict }) => verdict === 'fail');
    for (let endpoint = probed.pop(); endpoint && !hasFailed(); endpoint = probed.pop()) {
      const name = endpoint.name ?? endpoint.id;
      const answer = await probeEndpoint(endpoint, probe as Probe, gates);
      probeReadings.push({ kind: 'probe', name, ...answer });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_PROBES }, work));
  return [...probeReadings, ...(await Promise.all(alarmReadings))];
}

/** Endpoints that are lost within the failure threshold are not asked. */
function endpointsOfWave(
  plan: RolloutPlan,
  { wave, observations }: WaveProgress,
  endpoints: readonly Endpoint[],
): Endpoint[] {
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const ids = new Set(
    plan.endpoints.slice(from, to).flatMap(({ endpointId }, index) => {
      const observation = observations[from + index];
      return observation !== undefined && hasConverged(observation) ? [endpointId] : [];
    }),
  );
  return endpoints.filter(({ id }) => ids.has(id)).reverse();
}

async function probeEndpoint({ url }: Endpoint, probe: Probe, gates: Gates): Promise<GateAnswer> {
  if (url === null) return { verdict: 'unknown', detail: 'the service shows no URL' };
  let answer = await gates.probe(url, probe);
  for (let tries = 1; tries < probe.tries && answer.verdict === 'fail'; tries += 1) {
    answer = await gates.probe(url, probe);
  }
  return answer;
}
