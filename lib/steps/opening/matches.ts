import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import {
  findMatches,
  type Pattern,
  type PatternMatches,
  patternsOf,
} from '../../domain/planning/patterns.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { askedGates } from '../../gates/gates.ts';

/** What every word of a policy matches that is there to match endpoints, in the whole list of a runtime. */
export function matchesOf(
  policy: RolloutPolicy,
  endpoints: readonly Endpoint[],
): readonly PatternMatches[] {
  const ofGates = askedGates(policy.verify).flatMap(({ name, gate, said }): Pattern[] =>
    (gate.needs?.(said).patterns ?? []).map((pattern) => {
      return { ...pattern, path: ['verify', name, ...pattern.path] };
    }),
  );
  return findMatches([...patternsOf(policy), ...ofGates], endpoints);
}
