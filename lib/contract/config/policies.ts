import * as z from 'zod';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { runtimeIdSchema } from '../parsing/checks.ts';
import { completePolicy, type PartialPolicy, partialPolicySchema, policySchema } from './policy.ts';

/**
 * How rollouts are done, all of them and those of single runtimes. It is kept as it was written, without defaults.
 */
export interface Policies {
  readonly policy: PartialPolicy;
  readonly runtimes: Readonly<Record<string, { readonly policy: PartialPolicy }>>;
}

/** The policy of the runtime wins, then the policy for all, then the defaults. */
export function policyOfRuntime({ policy, runtimes }: Policies, runtimeId: string): RolloutPolicy {
  const own = Object.hasOwn(runtimes, runtimeId) ? runtimes[runtimeId] : undefined;
  return completePolicy(own?.policy ?? {}, completePolicy(policy));
}

export const policiesShape = {
  policy: partialPolicySchema
    .prefault({})
    .describe('How rollouts are done. A key that is left out has its default.'),
  runtimes: z
    .record(runtimeIdSchema, z.strictObject({ policy: partialPolicySchema }))
    .prefault({})
    .describe('Exceptions for single runtimes, by their ids.'),
};

/**
 * Checks for every runtime that the parts of its policy fit together, and reports mistakes where they were written.
 */
export function checkPolicies({ value, issues }: z.core.ParsePayload<Policies>): void {
  const places = [
    { path: ['policy'], policy: completePolicy(value.policy) },
    ...Object.keys(value.runtimes).map((id) => ({
      path: ['runtimes', id, 'policy'],
      policy: policyOfRuntime(value, id),
    })),
  ];
  // A field that is wrong by itself was reported already.
  const reported = new Set(issues.map(({ path }) => JSON.stringify(path)));
  const seen = new Set<string>();
  for (const { path, policy } of places) {
    for (const issue of policySchema.safeParse(policy, { reportInput: true }).error?.issues ?? []) {
      // A mistake in the policy for all is a mistake in each, and is reported once.
      const text = JSON.stringify([issue.path, issue.message]);
      if (seen.has(text)) continue;
      seen.add(text);
      const place = [...path, ...issue.path];
      if (reported.has(JSON.stringify(place))) continue;
      issues.push({ ...issue, input: issue.input, path: place } as never);
    }
  }
}
