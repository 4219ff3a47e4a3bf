import { type Endpoint, listNames } from '../domain/endpoint/endpoint.ts';
import { inParallel } from '../domain/in-parallel.ts';
import { type AskedReading, listReadings } from '../domain/rollout/gates.ts';
import type { Verification } from '../domain/rollout/policy.ts';
import type { NamedAnswer, Question, TrialQuestion, Tried } from './gate.ts';
import { type AskedGate, type GatePorts, partAt, partsOf } from './gates.ts';

/** Asks every gate of a policy that is asked then: all at once, but of the endpoints only some at a time. */
export async function askGates(
  verify: Partial<Verification>,
  question: Question,
  ports: GatePorts,
): Promise<AskedReading[]> {
  const parts = [true, false].flatMap((isEnforced) =>
    partsOf({ ...verify }, isEnforced)
      .flatMap((part) => partAt(part, [question.when]))
      .map((part) => ({ ...part, isEnforced })),
  );
  const readings = parts.map(async (part) =>
    toReadings(part, await askPart(part, question, ports)),
  );
  return (await Promise.all(readings)).flat();
}

function askPart(
  { gate, said }: AskedGate,
  question: Question,
  ports: GatePorts,
): Promise<readonly NamedAnswer[]> {
  if (gate.of !== 'endpoint' || !('settled' in question)) return gate.ask(said, question, ports);
  return askEach(question.endpoints, (endpoint) =>
    gate.ask(said, { ...question, endpoints: [endpoint] }, ports),
  );
}

function toReadings(
  { gate, isEnforced }: AskedGate & { readonly isEnforced: boolean },
  answers: readonly NamedAnswer[],
): AskedReading[] {
  return answers.map(({ mend: _, mayPass: __, gate: one, ...said }) => {
    const watches = gate.of === 'endpoint' ? gate.kind : `${gate.kind} ${one ?? said.name}`;
    const called = one !== undefined && { gate: one };
    return { kind: gate.kind, ...said, ...called, ...(!isEnforced && { watches }) };
  });
}

/** Asks a gate before anything is rolled, to find out whether it can be answered. `undefined`: it is not tried. */
export async function tryGate(
  asked: AskedGate,
  question: TrialQuestion,
  ports: GatePorts,
): Promise<Tried | undefined> {
  const [part] = partAt(asked, ['trial']);
  if (part === undefined) return undefined;
  const answers = await part.gate.ask(part.said, question, ports);
  const told = answers.filter(({ mend }) => mend === undefined);
  const tell = (isFound: boolean) => {
    const those = told.filter(({ verdict }) => (verdict === 'pass') === isFound);
    return listReadings(those.map((one) => ({ kind: part.gate.kind, ...one }))) || undefined;
  };
  return {
    faults: whatToMend(part.name, answers),
    ...(answers.some(({ mayPass }) => mayPass) && { mayPass: true }),
    silent: tell(false),
    found: tell(true),
  };
}

/** What a person has to do before a gate can be answered, in a sentence for each reason. */
function whatToMend(field: string, answers: readonly NamedAnswer[]): string[] {
  const alike = Map.groupBy(
    answers.filter(({ mend }) => mend !== undefined),
    ({ detail, mend }) => `${detail}. ${mend}`,
  );
  return [...alike].map(
    ([fault, concerned]) =>
      `verify.${field}, ${listNames(concerned.map(({ name }) => name))}: ${fault}`,
  );
}

/** How many endpoints are asked at once: 10,000 probes of a second each take less than three minutes. */
const CONCURRENT_ENDPOINTS = 64;

async function askEach(
  endpoints: readonly Endpoint[],
  ask: (endpoint: Endpoint) => Promise<readonly NamedAnswer[]>,
): Promise<NamedAnswer[]> {
  const answers: NamedAnswer[] = [];
  const askOne = async (endpoint: Endpoint) => {
    answers.push(...(await ask(endpoint)));
  };
  await inParallel(endpoints, CONCURRENT_ENDPOINTS, askOne, () => isRefuted(answers));
  return answers;
}

/** One no is enough: to ask the rest of a broken fleet would only take time. */
function isRefuted(answers: readonly NamedAnswer[]): boolean {
  return answers.some(({ verdict }) => verdict === 'fail');
}
