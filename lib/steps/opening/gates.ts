import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { partsOf } from '../../gates/gates.ts';

// A gate that nobody can answer is asked until the progress deadline. Here it is found before anything is rolled.

/** Why gates can never be answered, by the list alone. @param endpoints The whole list that the plan was made from. */
export function unanswerableByList(
  { endpoints: planned }: Pick<RolloutPlan, 'endpoints'>,
  endpoints: readonly Endpoint[],
  { verify, statuses }: Pick<RolloutPolicy, 'verify' | 'statuses'>,
): string[] {
  const list = { planned, endpoints, statuses };
  return partsOf(verify, true).flatMap(
    ({ gate, said }) => gate.readList?.(said, list).faults ?? [],
  );
}

/** @throws `GateUnanswerable` when there is a reason. */
export function refuseUnanswerable(reasons: readonly string[]): void {
  const [first, ...more] = reasons;
  if (first === undefined) return;
  const words = more.length === 0 ? ` ${first}` : reasons.map((reason) => `\n  ${reason}`).join('');
  const message = `Nobody can answer a gate, so nothing is rolled:${words}`;
  throw new SteprollError(ErrorName.GateUnanswerable, message);
}
