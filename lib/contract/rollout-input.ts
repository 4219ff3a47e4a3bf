import * as z from 'zod';
import type { RolloutPolicy } from '../domain/policy.ts';
import { parseInput } from './parse-input.ts';
import { completePolicy, type PartialPolicy, partialPolicySchema, policySchema } from './policy.ts';

export const runtimeIdSchema = z.string({ error: 'use the id of a runtime' }).min(1).max(256);
export const versionSchema = z.int().min(1);

/** The input of an execution of the workflow. */
export const rolloutInputSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    runtimeId: runtimeIdSchema,
    version: versionSchema.optional(),
    /** Instead of a version: the one that is live on this endpoint of the runtime, by name or id. */
    versionFrom: z.strictObject({ endpoint: z.string().min(1).max(256) }).optional(),
    /** Fingerprint of the plan that somebody agreed to: any other plan is refused. */
    plan: z.string().min(1).max(64).optional(),
    /** Overrides of the deployed policy. Only people and pipelines start executions with it, never events. */
    policy: partialPolicySchema.optional(),
  })
  .check(({ value, issues }) => {
    if ((value.version === undefined) !== (value.versionFrom === undefined)) return;
    const message = 'use either version or versionFrom';
    issues.push({ code: 'custom', message, input: value.version, path: ['version'] });
  });
export type RolloutInput = z.infer<typeof rolloutInputSchema>;

/** @throws `InvalidInput` that lists every mistake. */
export function parseRolloutInput(input: unknown): RolloutInput {
  return parseInput(rolloutInputSchema, input, 'rollout');
}

/** Fills a policy in from the configured one. @throws `InvalidInput` that lists every mistake. */
export function parsePolicy(
  given: PartialPolicy | undefined,
  configured: RolloutPolicy,
): RolloutPolicy {
  return parseInput(policySchema, completePolicy(given ?? {}, configured), 'policy');
}

/** Step Functions names executions with 1 to 80 characters, and a rollout is named after its own. */
export const rolloutIdSchema = z.string().min(1).max(80);

/** @throws `InvalidInput` */
export function parseRolloutId(value: unknown): string {
  return parseInput(rolloutIdSchema, value, 'rollout id');
}
