import type { GateAnswer } from '../gates/gate.ts';
import type { GatePorts } from '../gates/gates.ts';
import type { GateFault } from './faults.ts';
import type { Random } from './random.ts';
import { isNow } from './service-faults.ts';
import type { VirtualTime } from './virtual-time.ts';

/** What there is to say of a gate. Times are seconds since the start of the rollout. */
interface Asked {
  /** The name of the endpoint that the gate is about. `null`: it is about all of them. */
  readonly endpoint: string | null;
  readonly atSecond: number;
  /** Since when a no is the truth. `null`: a yes is. */
  readonly badSince: number | null;
  /** When the gates were first asked while this fault lasted. @default - not yet */
  readonly firstAsked?: (fault: GateFault) => number | undefined;
}

/** What a gate says at a time, given everything that is wrong with the gates. */
export function verdictAt(
  faults: readonly GateFault[],
  { endpoint, atSecond, badSince, firstAsked = () => undefined }: Asked,
): GateAnswer['verdict'] {
  const time = { seconds: () => atSecond };
  const met = faults.filter(
    (fault) => (fault.endpoint ?? endpoint) === endpoint && isNow(fault, time),
  );
  if (met.some(({ kind }) => kind === 'silent')) return 'unknown';
  if (met.some(({ kind }) => kind === 'red')) return 'fail';
  const lateBy = Math.max(
    0,
    ...met.map(({ kind, bySeconds }) => (kind === 'late' ? bySeconds : 0)),
  );
  const isBad = badSince !== null && badSince + lateBy <= atSecond;
  const isTurned = met.some((fault) => {
    const { kind, fromSecond, bySeconds } = fault;
    if (kind === 'flapping') return Math.floor((atSecond - fromSecond) / bySeconds) % 2 === 0;
    return kind === 'wrong-once' && isSameLook(atSecond, firstAsked(fault));
  });
  return isBad === isTurned ? 'pass' : 'fail';
}

/** A probe that fails is repeated at once, and the answer of one look is wrong as a whole. */
function isSameLook(atSecond: number, firstAsked: number | undefined): boolean {
  return firstAsked !== undefined && atSecond - firstAsked < 1;
}

/**
 * The first second in which a gate of the endpoint says no. `null`: none up to now.
 *
 * @param badSince From when on a no is the truth.
 * @param nowSecond The last second that is looked at.
 */
export function firstNo(
  faults: readonly GateFault[],
  endpoint: string,
  badSince: number,
  nowSecond: number,
): number | null {
  for (let atSecond = badSince; atSecond <= nowSecond; atSecond += 1) {
    if (verdictAt(faults, { endpoint, atSecond, badSince }) === 'fail') return atSecond;
  }
  return null;
}

interface GateStage {
  readonly time: Pick<VirtualTime, 'seconds' | 'sleep'>;
  /** The name of the endpoint that has this URL. */
  nameOfUrl(url: string): string | null;
  /** Seconds since which a gate says no in truth. @param endpoint `null`: since the first endpoint makes it say so. */
  badSince(endpoint: string | null): number | null;
}

/** The same gates, with everything that is wrong with them. */
export function faultyGates(
  gates: GatePorts,
  faults: readonly GateFault[],
  stage: GateStage,
): GatePorts {
  if (faults.length === 0) return gates;
  const { time, badSince, nameOfUrl } = stage;
  const asked = new Map<GateFault, number>();
  const firstAsked = (fault: GateFault) => asked.get(fault);
  const isMet = (fault: GateFault) => isNow(fault, time);
  const slownessOf = (endpoint: string | null) =>
    Math.max(
      0,
      ...faults
        .filter((one) => one.kind === 'slow' && (one.endpoint ?? endpoint) === endpoint)
        .filter(isMet)
        .map(({ bySeconds }) => bySeconds),
    );
  const turn = (endpoint: string | null, truth: GateAnswer): GateAnswer => {
    const atSecond = time.seconds();
    for (const fault of faults) {
      if (isMet(fault) && !asked.has(fault)) asked.set(fault, atSecond);
    }
    const isBad = truth.verdict === 'fail';
    const since = isBad ? (badSince(endpoint) ?? 0) : null;
    const verdict = verdictAt(faults, { endpoint, atSecond, badSince: since, firstAsked });
    return verdict === truth.verdict ? truth : { verdict, detail: DETAILS[verdict] };
  };
  return {
    ...gates,
    async probe(url, probe) {
      const endpoint = nameOfUrl(url);
      const slowness = slownessOf(endpoint);
      if (slowness > 0) await time.sleep(Math.min(slowness, probe.timeoutSeconds) * 1000);
      if (slowness > probe.timeoutSeconds) {
        return { verdict: 'fail', detail: `no answer in ${probe.timeoutSeconds} s` };
      }
      return turn(endpoint, await gates.probe(url, probe));
    },
    async alarm(name) {
      await time.sleep(slownessOf(null) * 1000);
      return turn(null, await gates.alarm(name));
    },
    async check(check, question) {
      await time.sleep(slownessOf(null) * 1000);
      return turn(null, await gates.check(check, question));
    },
    async prometheus(rule, query, endpoint) {
      await time.sleep(slownessOf(endpoint) * 1000);
      const said = await gates.prometheus(rule, query, endpoint);
      return 'json' in said ? said : turn(endpoint, said);
    },
    async metrics(questions) {
      await time.sleep(Math.max(...questions.map(({ endpoint }) => slownessOf(endpoint))) * 1000);
      const answers = await gates.metrics(questions);
      return answers.map((answer, index) => turn(questions[index]?.endpoint ?? null, answer));
    },
  };
}

const DETAILS: Readonly<Record<GateAnswer['verdict'], string>> = {
  pass: 'well',
  fail: 'not well',
  unknown: 'no answer',
};

/** Where faults of gates are drawn. */
interface GateDrawing {
  readonly horizonSeconds: number;
  /** The names of the endpoints that a gate may be about. Empty: all gates are about all of them. */
  readonly endpoints: readonly string[];
}

/** Draws what is wrong with the gates: half of the time with those of one endpoint, where gates are about one. */
export function drawGateFault(
  { horizonSeconds, endpoints }: GateDrawing,
  random: Random,
): GateFault {
  const lasts = Math.ceil(horizonSeconds);
  const endpoint = endpoints.length > 0 && random.chance(0.5) ? random.pick(endpoints) : null;
  const fromSecond = random.integer(0, lasts);
  const seconds = random.integer(10, 900);
  const common = { endpoint: endpoint ?? null, fromSecond, seconds, bySeconds: 0 };
  const kind = random.pick(GATE_FAULTS);
  switch (kind) {
    case 'slow':
      return { ...common, kind, bySeconds: random.integer(1, 20) };
    case 'red-before':
      return { ...common, kind: 'red', fromSecond: 0, seconds: random.integer(10, lasts) };
    case 'flapping':
      return { ...common, kind, bySeconds: random.integer(5, 120) };
    case 'late':
      return { ...common, kind, fromSecond: 0, seconds: FOR_EVER, bySeconds: seconds };
    case 'wrong-once':
      return { ...common, kind, seconds: FOR_EVER };
    default:
      return { ...common, kind };
  }
}

const GATE_FAULTS = [
  'silent',
  'slow',
  'red',
  'red-before',
  'flapping',
  'late',
  'wrong-once',
] as const;

/** Seconds: longer than any rehearsal. */
const FOR_EVER = 1e9;
