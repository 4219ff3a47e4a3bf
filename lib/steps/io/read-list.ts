import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import { progressOn } from '../../domain/rollout/record.ts';
import type { StepPorts } from './ports.ts';
import { readWithin } from './read-within.ts';
import type { TakenUp } from './take-up.ts';

/** A list proves nothing if it has less than this share of the endpoints in the plan. */
const LEAST_SHARE = 1 / 2;

/**
 * Why a complete list proves nothing, in a sentence; `undefined` if it may be believed. Single endpoints may be
 * deleted: they count as vanished after some reads. But when most of a fleet is gone during a rollout, the service
 * has more likely answered with a wrong list. An empty list is never believed.
 *
 * @param plan The plan forward: it names every endpoint that the runtime had when the plan was made.
 */
export function faultOfList(
  endpoints: readonly Endpoint[],
  plan: Pick<RolloutPlan, 'endpoints' | 'leftOut'>,
): string | undefined {
  const listed = new Set(endpoints.map(({ id }) => id));
  const known = [...plan.endpoints, ...plan.leftOut];
  const there = known.filter(({ endpointId }) => listed.has(endpointId)).length;
  if (there >= known.length * LEAST_SHARE) return undefined;
  return `The list holds ${there} of the ${known.length} endpoints that there were when the rollout was planned: without most of them it proves nothing.`;
}

/**
 * Reads the list for a decision of a rollout under way. A list without most of the fleet is treated like one that
 * cannot be read. All of its pages together have as long as a list may stay unreadable, and one call more.
 *
 * @throws `ListUnstable` for such a list, and the errors of a list that cannot be read.
 */
export async function readList(
  { record, plan: leg, now }: Pick<TakenUp, 'record' | 'plan' | 'now'>,
  { service, clock }: Pick<StepPorts, 'service' | 'clock'>,
): Promise<readonly Endpoint[]> {
  const { request, plan } = record;
  const silentMs = progressOn(record, leg)?.silentMs ?? 0;
  const leftMs = request.policy.progressDeadlineSeconds * 1000 - silentMs;
  const read = (signal: AbortSignal) => service.list(request.runtimeId, signal, record);
  const endpoints = await readWithin(leftMs, read, clock, now);
  const fault = plan === null ? undefined : faultOfList(endpoints, plan);
  if (fault !== undefined) throw new SteprollError(ErrorName.ListUnstable, fault);
  return endpoints;
}
