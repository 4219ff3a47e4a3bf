import * as z from 'zod';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { STARTER_KINDS, type StartedBy } from '../../domain/rollout/request.ts';
import { type LockedField, refuseLocked } from '../config/locked.ts';
import {
  completePolicy,
  partialPolicySchema,
  policyFields,
  policySchema,
} from '../config/policy.ts';
import { askedVersionSchema, runtimeIdSchema, versionsSchema } from '../input/checks.ts';
import { parseInput } from '../input/parse-input.ts';

const startedBySchema: z.ZodType<StartedBy, StartedBy> = z.strictObject({
  kind: z.enum(STARTER_KINDS),
  // The ARN of a user has a path of up to 512 characters.
  name: z.string().max(1_024),
  at: z.int().min(0),
  reason: z.string().max(1_000).exactOptional(),
});

const { names, ids, exclude, where } = policyFields.selection.shape;

/**
 * The parts of a policy that a person overrides. A person who narrows down the selection keeps what the policy
 * excludes. Only a retry of a group says how many runtimes may be at risk: as many as before.
 */
const policyOverridesSchema = partialPolicySchema.omit({ locked: true }).extend({
  maxAtRisk: z.int().min(1).optional(),
  selection: z
    .strictObject({ names: names.unwrap(), ids: ids.unwrap(), exclude: exclude.unwrap(), where })
    .partial()
    .optional(),
});
export type PolicyOverrides = z.infer<typeof policyOverridesSchema>;

/** Pins that one rollout may pass. */
const MOST_UNPINNED = 100;

export const FINGERPRINT = /^[0-9a-f]{16}$/;

/** Names of executions have 1 to 80 characters, and a rollout has the name of its first execution. */
export const rolloutIdSchema = z.string().min(1).max(80);

/** The input of an execution of the workflow. What is not explained here means the same in `askedRequest`. */
const rolloutInputSchema = z
  .strictObject({
    schemaVersion: z.literal(1),
    /** Base URL of the service that the rollout is meant for. At another service it is refused. */
    endpointUrl: z.string().max(2048).exactOptional(),
    runtimeId: runtimeIdSchema,
    version: askedVersionSchema.optional(),
    versionFrom: z.strictObject({ endpoint: z.string().min(1).max(256) }).optional(),
    versions: versionsSchema.exactOptional(),
    revert: rolloutIdSchema.exactOptional(),
    /** Fingerprint of the plan that somebody agreed to. Any other plan is refused. */
    plan: z.string().regex(FINGERPRINT, 'use the fingerprint of a plan').optional(),
    again: z.literal(true).exactOptional(),
    takeOver: z.literal(true).exactOptional(),
    unpin: z.array(z.string().min(1).max(64)).min(1).max(MOST_UNPINNED).exactOptional(),
    parent: rolloutIdSchema.exactOptional(),
    group: z.string().min(1).max(64).exactOptional(),
    /** @default - an unknown person, at the time when the execution starts */
    startedBy: startedBySchema.optional(),
    /** Overrides of the deployed policy. Only people and pipelines start executions with it, events never do. */
    policy: policyOverridesSchema.optional(),
  })
  .check(({ value, issues }) => {
    const { version, versionFrom, versions, revert, runtimeId } = value;
    const given = [version, versionFrom, versions, revert].filter((one) => one !== undefined);
    if (given.length !== 1) {
      const message = 'use exactly one of version, versionFrom, versions and revert';
      issues.push({ code: 'custom', message, input: version, path: ['version'] });
    }
    if (versions === undefined || groupNameOf(runtimeId) !== null) return;
    const message = 'use version: only a group has a version for each of its runtimes';
    issues.push({ code: 'custom', message, input: versions, path: ['versions'] });
  });
export type RolloutInput = z.infer<typeof rolloutInputSchema>;

/** @throws `InvalidInput` that lists every mistake. */
export function parseRolloutInput(input: unknown): RolloutInput {
  return parseInput(rolloutInputSchema, input, 'rollout');
}

/** Whether somebody asks for other times at which a rollout may start, or perhaps for waves without their windows. */
export function asksForTime({ windows, freezes, waves, preset }: PolicyOverrides = {}): boolean {
  return [windows, freezes, waves, preset].some((one) => one !== undefined);
}

/** The runtime that an input names which may be wrong in any way. `''`: it names none. */
export function runtimeNamedIn(input: unknown): string {
  return z.object({ runtimeId: runtimeIdSchema }).safeParse(input).data?.runtimeId ?? '';
}

/**
 * Completes a policy from the configured one.
 *
 * @param unlocked Fields that may be overridden in any way. What undoes a rollout is never locked.
 * @throws `InvalidInput` that lists every mistake, `PolicyLocked`.
 */
export function parsePolicy(
  { selection, ...given }: PolicyOverrides = {},
  configured: RolloutPolicy,
  unlocked: readonly LockedField[] = [],
): RolloutPolicy {
  const policy = completePolicy(given, configured);
  const said = parseInput(
    policySchema,
    { ...policy, selection: { ...policy.selection, ...selection } },
    'policy',
  );
  refuseLocked(said, configured, unlocked);
  return said;
}

const executionSchema = z.object({
  rolloutId: rolloutIdSchema,
  /** Step Functions writes it in UTC with milliseconds; an emulator may write it in another way. */
  startTime: z.iso.datetime({ offset: true }).transform((text) => Date.parse(text)),
});

const calledBySchema = z.object({ stateMachineArn: z.string().min(1) });

/** The ARN of the state machine that calls a function. @throws `InvalidInput` */
export function parseStateMachine(payload: unknown): string {
  return parseInput(calledBySchema, payload, 'batch').stateMachineArn;
}

export type ExecutionStart = z.output<typeof executionSchema>;

/** `startTime` becomes milliseconds since the Unix epoch. @throws `InvalidInput` */
export function parseExecution(payload: unknown): ExecutionStart {
  return parseInput(executionSchema, payload, 'execution');
}
