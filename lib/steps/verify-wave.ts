import { type Position, parsePosition } from '../contract/flow/position.ts';
import { decideAfterBake, hasHeld } from '../domain/decision/after-bake.ts';
import { decideAfterGates, isApprovalAsked } from '../domain/decision/after-gates.ts';
import { asSaid, type Endpoint } from '../domain/endpoint/endpoint.ts';
import { hasConverged } from '../domain/endpoint/observation.ts';
import { type GateReading, rememberGates } from '../domain/rollout/gates.ts';
import type { RolloutPlan } from '../domain/rollout/plan.ts';
import type { Probe } from '../domain/rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../domain/rollout/record.ts';
import { bakeOn } from '../domain/wave/bake.ts';
import { convergedAt, nameOfMetric, questionsAbout } from '../domain/wave/metrics.ts';
import { observeWave } from '../domain/wave/observations.ts';
import { beginWave } from '../domain/wave/progress.ts';
import type { GateAnswer, Gates } from '../ports/gates.ts';
import { handOn } from './frame/hand-on.ts';
import type { StepPayload, VerifyPorts } from './frame/ports.ts';
import { readWave } from './frame/read-wave.ts';
import { takeUp } from './frame/take-up.ts';
import { serviceOf } from './group/group-service.ts';

export function handleVerifyWave({ position }: StepPayload, context: VerifyPorts) {
  const at = parsePosition(position);
  return verifyWave(at, { ...context, service: serviceOf(at, context) });
}

/**
 * Looks at a wave during its bake and after it. The next wave starts only when this one has baked, is still
 * converged, and every gate says yes.
 *
 * @throws `LeaseLost`, and errors of the list that waiting does not mend, such as `UpstreamRejected`.
 */
export async function verifyWave(position: Position, ports: VerifyPorts): Promise<Position> {
  const { ledger, gates } = ports;
  const taken = await takeUp(ports, position);
  const { lease, record, plan } = taken;
  const read = await readWave('bake', position, taken, ports);
  const { before } = read;
  const at = { record, plan, progress: before, lease, execution: position.execution };
  if ('decision' in read) return handOn(read.decision, at, ports);
  const { endpoints, clock } = read;
  const { policy } = record.request;
  const observations = observeWave(record, plan, before, read);
  const progress: WaveProgress = {
    ...before,
    ...bakeOn(plan, before, policy, {
      passedMs: clock.watched - before.clock.watched,
      waitSeconds: position.waitSeconds,
      isAsked: isApprovalAsked(record, before),
    }),
    clock,
    observations,
    readAt: clock.at,
    stalledMs: 0,
    unreadableMs: null,
    looks: before.looks + 1,
  };
  const afterBake = decideAfterBake(record, plan, before, progress);
  const readings =
    afterBake === undefined ? await askGates(record, plan, progress, endpoints, gates) : [];
  const decision = afterBake ?? decideAfterGates(record, plan, progress, readings, endpoints);
  const isSilent = readings.some(({ verdict }) => verdict === 'unknown');
  const isSure = hasHeld(record, plan, progress) && !isSilent;
  const after: WaveProgress = {
    ...progress,
    doubtMs: isSure || decision.next === 'wait' ? null : progress.doubtMs,
    ...(decision.next === 'wait' && { isCheckedAgain: true as const }),
    ...(readings.length > 0 && { gates: rememberGates(progress.wave + 1, clock.at, readings) }),
  };
  await ledger.saveProgress(lease, after);
  if (decision.next === 'roll') {
    await ledger.saveProgress(lease, beginWave(plan, decision.wave, clock, progress));
  }
  return handOn(decision, { ...at, progress: after }, ports);
}

/** How many probes run at once: 10,000 probes of a second each take less than three minutes. */
const CONCURRENT_PROBES = 64;

/** Asks every gate of the wave: probes its endpoints, and reads the alarms and the metrics. */
export async function askGates(
  record: Pick<RolloutRecord, 'request'>,
  plan: RolloutPlan,
  progress: WaveProgress,
  endpoints: readonly Endpoint[],
  gates: Gates,
): Promise<GateReading[]> {
  const { probe, alarms } = record.request.policy.verify;
  const ofWave = endpointsOfWave(plan, progress, endpoints);
  const askAlarm = async (name: string): Promise<GateReading> => {
    return { kind: 'alarm', name, ...(await gates.alarm(name)) };
  };
  const probed = probe === null ? [] : ofWave.toReversed();
  const probeReadings: GateReading[] = [];
  const work = async () => {
    for (
      let endpoint = probed.pop();
      endpoint && !isRefuted(probeReadings);
      endpoint = probed.pop()
    ) {
      const answer = await probeEndpoint(endpoint, probe as Probe, gates);
      probeReadings.push({ kind: 'probe', name: nameOf(endpoint), ...answer });
    }
  };
  const [metricReadings, alarmReadings] = await Promise.all([
    askMetrics(record, progress, ofWave, gates),
    Promise.all(alarms.map(askAlarm)),
    ...Array.from({ length: CONCURRENT_PROBES }, work),
  ]);
  return [...probeReadings, ...alarmReadings, ...metricReadings];
}

/** One failed probe is enough: to probe the rest of a broken fleet would only take time. */
function isRefuted(readings: readonly GateReading[]): boolean {
  return readings.some(({ verdict }) => verdict === 'fail');
}

async function askMetrics(
  record: Pick<RolloutRecord, 'request'>,
  progress: WaveProgress,
  endpoints: readonly Endpoint[],
  gates: Gates,
): Promise<GateReading[]> {
  const { metrics } = record.request.policy.verify;
  const since = convergedAt(progress);
  // A metric is asked for under the name that the service said, and told under the one that is shown.
  const names = endpoints.map((endpoint) => asSaid(endpoint).name ?? endpoint.id);
  const shown = new Map(endpoints.map((endpoint, index) => [names[index], nameOf(endpoint)]));
  const questions = metrics.flatMap((rule) =>
    questionsAbout(rule, record.request, names, since, progress.readAt),
  );
  const due = questions.filter(({ from, to }) => to > from);
  const answers = due.length === 0 ? [] : await gates.metrics(due);
  const answerTo = new Map(due.map((question, index) => [question, answers[index]]));
  return questions.map((question) => {
    const answer = answerTo.get(question) ?? NOT_YET;
    const endpoint = question.endpoint && (shown.get(question.endpoint) ?? question.endpoint);
    return { kind: 'metric', name: nameOfMetric({ ...question, endpoint }), ...answer };
  });
}

const NOT_YET: GateAnswer = { verdict: 'unknown', detail: 'its first whole period is not in yet' };

function nameOf({ name, id }: Endpoint): string {
  return name ?? id;
}

/** The endpoints of the wave, without those that are lost within the failure threshold. */
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
  return endpoints.filter(({ id }) => ids.has(id));
}

async function probeEndpoint(endpoint: Endpoint, probe: Probe, gates: Gates): Promise<GateAnswer> {
  const { url } = asSaid(endpoint);
  if (!url) return { verdict: 'unknown', detail: 'the service shows no URL' };
  let answer = await gates.probe(url, probe);
  for (let tries = 1; tries < probe.tries && answer.verdict === 'fail'; tries += 1) {
    answer = await gates.probe(url, probe);
  }
  // A sentence about the host must not tell what is hidden in it.
  const isHidden = answer.verdict === 'unknown' && url !== endpoint.url;
  return isHidden ? { ...answer, detail: 'its URL could not be asked' } : answer;
}
