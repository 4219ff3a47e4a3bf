import { originToProbe } from '../../contract/service/endpoint-url.ts';
import {
  asSaid,
  type Endpoint,
  isFailed,
  isStopped,
  type PlannedEndpoint,
} from '../../domain/endpoint/endpoint.ts';
import { listNames } from '../../domain/endpoint/named.ts';
import { ErrorName, errorMessageOf, SteprollError } from '../../domain/errors.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy, Verification } from '../../domain/rollout/policy.ts';
import type { RolloutRequest } from '../../domain/rollout/request.ts';
import { nameOfMetric, questionsAbout } from '../../domain/wave/metrics.ts';
import type { GateAnswer, Gates } from '../../ports/gates.ts';

// A gate that nobody can answer is asked until the progress deadline. Here it is found before anything is rolled.

/**
 * Why the endpoints of a plan can never be probed, in a sentence for each reason. Nothing is asked: the URLs in the
 * list tell it. An endpoint without a URL counts only when no endpoint of the list has one although some may serve,
 * because some services show the URL of an endpoint only while it serves.
 *
 * @param endpoints The whole list that the plan was made from.
 */
export function unanswerableProbes(
  { endpoints: planned }: { readonly endpoints: readonly Pick<PlannedEndpoint, 'endpointId'>[] },
  endpoints: readonly Endpoint[],
  { verify: { probe }, statuses }: Pick<RolloutPolicy, 'verify' | 'statuses'>,
): string[] {
  if (probe === null || planned.length === 0) return [];
  // An endpoint that does not serve may get its URL with the new version.
  const mayServe = (one: Endpoint) =>
    one.replicas !== 0 && !isFailed(one, statuses) && !isStopped(one, statuses);
  const isUrlless = endpoints.every(({ url }) => !url);
  if (isUrlless && endpoints.some(mayServe)) return [`verify.probe: ${NO_URL}.`];
  const ids = new Set(planned.map(({ endpointId }) => endpointId));
  const faulty = endpoints.flatMap((endpoint) => {
    const { id, name } = endpoint;
    const { url } = asSaid(endpoint);
    const found = ids.has(id) && url ? faultOfUrl(url, probe.hosts) : null;
    // A sentence about the host must not tell what is hidden in it.
    const isHidden = found !== null && url !== endpoint.url;
    const fault = isHidden ? 'its URL may not be asked' : found;
    return fault === null ? [] : [{ name: name ?? id, fault }];
  });
  return describeFaulty(faulty);
}

/** A sentence for each reason, with the names of all endpoints that it is about. */
function describeFaulty(
  faulty: readonly { readonly name: string; readonly fault: string }[],
): string[] {
  const found = new Map<string, { readonly faults: Set<string>; readonly names: string[] }>();
  for (const { name, fault: said } of faulty) {
    const fault = said.replace(/^endpoint URL: /, '');
    const kind = fault.replace(HOST, '');
    const { faults, names } = found.get(kind) ?? { faults: new Set(), names: [] };
    found.set(kind, { faults: faults.add(fault), names: [...names, name] });
  }
  const reasons = [...found.values()];
  const rest = reasons.slice(MOST).reduce((sum, { names }) => sum + names.length, 0);
  return [
    ...reasons
      .slice(0, MOST)
      .map(({ faults, names }) => `verify.probe of ${listNames(names)}: ${oneFor(faults)}.`),
    ...(rest > 0 ? [`verify.probe: and ${rest} more endpoints for such reasons.`] : []),
  ];
}

/** How many reasons are named. */
const MOST = 3;

const HOST = /^the host (\S+) is/;

/** Each endpoint may have a host of its own. Then one of them stands for all. */
function oneFor(faults: ReadonlySet<string>): string {
  const [first = ''] = faults;
  return faults.size === 1 ? first : first.replace(HOST, 'their hosts, such as $1, are');
}

const NO_URL = 'the service shows no URL of any endpoint, which wire.endpoint.url may mend';

function faultOfUrl(url: string, hosts: readonly string[]): string | null {
  try {
    originToProbe(url, hosts);
    return null;
  } catch (error) {
    return errorMessageOf(error);
  }
}

/** Why alarms of a policy can never be read, in a sentence for each reason. Each alarm is read once. */
export async function unanswerableAlarms(
  { alarms }: Pick<Verification, 'alarms'>,
  gates: Pick<Gates, 'alarm'>,
): Promise<string[]> {
  const answers = await Promise.all(alarms.map((name) => gates.alarm(name)));
  return whatToMend('verify.alarms', alarms, answers);
}

/**
 * Why metrics of a plan can never be read, in a sentence for each reason. Each metric is read once, for the first
 * endpoint of the plan.
 *
 * @param now Milliseconds since the Unix epoch.
 */
export async function unanswerableMetrics(
  { plan, policy, ...subject }: PlanOfVersion,
  gates: Pick<Gates, 'metrics'>,
  now: number,
): Promise<string[]> {
  const names = plan.endpoints.slice(0, 1).map(({ name, endpointId }) => name ?? endpointId);
  const questions = policy.verify.metrics.flatMap((rule) =>
    questionsAbout(rule, subject, names, now - LATELY_MS, now),
  );
  if (questions.length === 0) return [];
  return whatToMend('verify.metrics', questions.map(nameOfMetric), await gates.metrics(questions));
}

interface PlanOfVersion extends Pick<RolloutRequest, 'runtimeId' | 'desiredVersion' | 'policy'> {
  readonly plan: RolloutPlan;
}

/** A metric that exists has had data in this time, unless nobody uses the endpoint. */
export const LATELY_MS = 24 * 3_600_000;

/** What a person has to do before gates of a kind can be answered, in a sentence for each reason. */
export function whatToMend(
  field: string,
  names: readonly string[],
  answers: readonly GateAnswer[],
): string[] {
  const namesOf = new Map<string, string[]>();
  for (const [index, { detail, mend }] of answers.entries()) {
    if (mend === undefined) continue;
    const fault = `${detail}. ${mend}`;
    namesOf.set(fault, [...(namesOf.get(fault) ?? []), names[index] ?? '']);
  }
  return [...namesOf].map(([fault, concerned]) => `${field}, ${listNames(concerned)}: ${fault}`);
}

/** @throws `GateUnanswerable` when there is a reason. */
export function refuseUnanswerable(reasons: readonly string[]): void {
  const [first, ...more] = reasons;
  if (first === undefined) return;
  const words = more.length === 0 ? ` ${first}` : reasons.map((reason) => `\n  ${reason}`).join('');
  const message = `Nobody can answer a gate, so nothing is rolled:${words}`;
  throw new SteprollError(ErrorName.GateUnanswerable, message);
}
