import type { Endpoint } from '../domain/endpoint/endpoint.ts';
import { inParallel } from '../domain/in-parallel.ts';
import type { AskedReading } from '../domain/rollout/gates.ts';
import type { Verification } from '../domain/rollout/policy.ts';
import { nameOf } from '../domain/sentences.ts';
import type { AskedWave, GateAnswer, NamedAnswer, TrialSubject, WaveAhead } from './gate.ts';
import { type AskedGate, askedBefore, type GatePorts, partsOf } from './gates.ts';

/** Asks every gate of a policy about a wave: all at once, but of the endpoints only some at a time. */
export function askGates(
  verify: Verification,
  wave: AskedWave,
  ports: GatePorts,
): Promise<AskedReading[]> {
  return askParts(verify, ({ gate, said }) =>
    gate.of === 'endpoint'
      ? askEach(wave.endpoints, (endpoint) => gate.ask(said, endpoint, ports))
      : gate.ask(said, wave, ports),
  );
}

/** Asks everything of a policy that a wave waits for before it begins, all at once. */
export function askAhead(
  verify: Verification,
  wave: WaveAhead,
  ports: GatePorts,
): Promise<AskedReading[]> {
  return askParts(verify, async ({ gate, said }) => gate.ahead?.ask(said, wave, ports) ?? []);
}

interface Part extends AskedGate {
  readonly isEnforced: boolean;
}

async function askParts(
  verify: Verification,
  ask: (part: Part) => Promise<readonly NamedAnswer[]>,
): Promise<AskedReading[]> {
  const parts = [true, false].flatMap((isEnforced): Part[] =>
    partsOf(verify, isEnforced).map((part) => ({ ...part, isEnforced })),
  );
  const readings = parts.map(async (part) => toReadings(part, await ask(part)));
  return (await Promise.all(readings)).flat();
}

function toReadings({ gate, isEnforced }: Part, answers: readonly NamedAnswer[]): AskedReading[] {
  return answers.map(({ mend: _, mayPass: __, gate: one, ...said }) => {
    const watches = gate.of === 'endpoint' ? gate.kind : `${gate.kind} ${one ?? said.name}`;
    const called = one !== undefined && { gate: one };
    return { kind: gate.kind, ...said, ...called, ...(!isEnforced && { watches }) };
  });
}

/** Asks everything of a policy that can be asked before anything is rolled. */
export async function askBefore(
  verify: Readonly<Record<string, unknown>>,
  subject: Omit<TrialSubject, 'endpoints'>,
  ports: GatePorts,
): Promise<AskedReading[]> {
  const readings = askedBefore(verify).map(async ({ gate: { kind, before }, said }) => {
    const answers = await before?.ask(said, subject, ports);
    return (answers ?? []).map(({ name, verdict, detail }) => ({ kind, name, verdict, detail }));
  });
  return (await Promise.all(readings)).flat();
}

/** How many endpoints are asked at once: 10,000 probes of a second each take less than three minutes. */
const CONCURRENT_ENDPOINTS = 64;

async function askEach(
  endpoints: readonly Endpoint[],
  ask: (endpoint: Endpoint) => Promise<GateAnswer>,
): Promise<NamedAnswer[]> {
  const answers: NamedAnswer[] = [];
  const askOne = async (endpoint: Endpoint) => {
    const answer = await ask(endpoint);
    answers.push({ name: nameOf(endpoint), endpointId: endpoint.id, ...answer });
  };
  await inParallel(endpoints, CONCURRENT_ENDPOINTS, askOne, () => isRefuted(answers));
  return answers;
}

/** One no is enough: to ask the rest of a broken fleet would only take time. */
function isRefuted(answers: readonly NamedAnswer[]): boolean {
  return answers.some(({ verdict }) => verdict === 'fail');
}
