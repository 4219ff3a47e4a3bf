import type { Instant } from '../../domain/clock.ts';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { RolloutRequest } from '../../domain/rollout/request.ts';
import { nameOf } from '../../domain/sentences.ts';
import { type GatePorts, partsOf } from '../../gates/gates.ts';

// A gate that nobody can answer is asked until the progress deadline. Here it is found before anything is rolled.

type Asked = Pick<RolloutRequest, 'runtimeId' | 'desiredVersion'> & {
  readonly policy: Pick<RolloutPolicy, 'verify' | 'statuses'>;
};

/** Where gates can be tried as the rollout would ask them. */
export interface Trial {
  readonly gates: GatePorts;
  readonly now: Instant;
}

/**
 * Why gates can never be answered, in sentences. Each is tried for the first endpoint of the plan.
 *
 * @param endpoints The whole list that the plan was made from.
 * @param trial `null`: nobody here can ask as the rollout would, so only the list tells it.
 */
export async function findUnanswerable(
  { runtimeId, desiredVersion, policy }: Asked,
  { endpoints: planned }: Pick<RolloutPlan, 'endpoints'>,
  endpoints: readonly Endpoint[],
  trial: Trial | null,
): Promise<string[]> {
  if (planned.length === 0) return [];
  const { verify, statuses } = policy;
  const list = { planned, endpoints, statuses };
  const first = planned.slice(0, 1).map(nameOf);
  const subject = { runtimeId, desiredVersion, endpoints: first };
  const found = partsOf(verify, true).flatMap(({ gate, said }) => [
    gate.readList?.(said, list),
    trial && gate.tryOut?.(said, { ...subject, now: trial.now }, trial.gates),
  ]);
  return (await Promise.all(found)).flatMap((one) => one?.faults ?? []);
}

/** @throws `GateUnanswerable` when there is a reason. */
export function refuseUnanswerable(reasons: readonly string[]): void {
  const [first, ...more] = reasons;
  if (first === undefined) return;
  const words = more.length === 0 ? ` ${first}` : reasons.map((reason) => `\n  ${reason}`).join('');
  const message = `Nobody can answer a gate, so nothing is rolled:${words}`;
  throw new SteprollError(ErrorName.GateUnanswerable, message);
}
