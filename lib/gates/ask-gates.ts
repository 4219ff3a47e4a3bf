import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import type { AskedReading } from '../domain/rollout/gates.ts';
import type { Verification } from '../domain/rollout/policy.ts';
import type { AskedWave, GateAnswer, NamedAnswer } from './gate.ts';
import { askedGates, type GatePorts } from './gates.ts';

/** Asks every gate of a policy about a wave: all at once, but of the endpoints only some at a time. */
export async function askGates(
  verify: Verification,
  wave: AskedWave,
  ports: GatePorts,
): Promise<AskedReading[]> {
  const readings = askedGates(verify).map(async ({ gate, said }) => {
    const answers =
      gate.of === 'endpoint'
        ? await askEach(wave.endpoints, (endpoint) => gate.ask(said, endpoint, ports))
        : await gate.ask(said, wave, ports);
    return answers.map(({ mend: _, ...said }) => ({ kind: gate.kind, ...said }));
  });
  return (await Promise.all(readings)).flat();
}

/** How many endpoints are asked at once: 10,000 probes of a second each take less than three minutes. */
const CONCURRENT_ENDPOINTS = 64;

async function askEach(
  endpoints: readonly Endpoint[],
  ask: (endpoint: Endpoint) => Promise<GateAnswer>,
): Promise<NamedAnswer[]> {
  const left = endpoints.toReversed();
  const answers: NamedAnswer[] = [];
  const work = async () => {
    for (let endpoint = left.pop(); endpoint && !isRefuted(answers); endpoint = left.pop()) {
      const answer = await ask(endpoint);
      answers.push({ name: endpoint.name ?? endpoint.id, endpointId: endpoint.id, ...answer });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_ENDPOINTS }, work));
  return answers;
}

/** One no is enough: to ask the rest of a broken fleet would only take time. */
function isRefuted(answers: readonly NamedAnswer[]): boolean {
  return answers.some(({ verdict }) => verdict === 'fail');
}
