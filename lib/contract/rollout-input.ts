import * as z from 'zod';
import type { RolloutPolicy } from '../domain/policy.ts';
import type { RolloutRequest } from '../domain/rollout.ts';
import { parseInput } from './parse-input.ts';
import { completePolicy, partialPolicySchema, policySchema } from './policy.ts';

export const runtimeIdSchema = z.string({ error: 'use the id of a runtime' }).min(1).max(256);
export const versionSchema = z.int().min(1);

/** The input of an execution of the workflow. */
export const rolloutInputSchema = z.strictObject({
  schemaVersion: z.literal(1),
  runtimeId: runtimeIdSchema,
  version: versionSchema,
  /** Overrides of the deployed policy. Only people and pipelines start executions with it, never events. */
  policy: partialPolicySchema.optional(),
});
export type RolloutInput = z.infer<typeof rolloutInputSchema>;

/**
 * Turns an execution's input into the request that is recorded.
 *
 * @throws `InvalidInput` that lists every mistake.
 */
export function parseRolloutInput(
  input: unknown,
  rolloutId: string,
  defaults: RolloutPolicy,
): RolloutRequest {
  const { runtimeId, version, policy = {} } = parseInput(rolloutInputSchema, input, 'rollout');
  return {
    rolloutId,
    runtimeId,
    desiredVersion: version,
    policy: parseInput(policySchema, completePolicy(policy, defaults), 'policy'),
  };
}

/** Step Functions names executions with 1 to 80 characters, and a rollout is named after its own. */
const rolloutIdSchema = z.string().min(1).max(80);

/** @throws `InvalidInput` */
export function parseRolloutId(value: unknown): string {
  return parseInput(rolloutIdSchema, value, 'rollout id');
}
