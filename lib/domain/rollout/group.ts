import { type FailureKind, type FailurePolicy, type OnFailure, policyAfter } from './policy.ts';
import type { AskedRequest } from './request.ts';

// A group is runtimes that are released together. Its rollout has its runtimes where another rollout has endpoints,
// and it starts a rollout of its own for each of them: its child.

/** The runtime id of a group's rollouts begins with it. No configured runtime may have such an id. */
export const GROUP_PREFIX = 'group:';

/** The id that the rollouts of a group have where others have the id of their runtime: `group:prod`. */
export function groupIdOf(name: string): string {
  return `${GROUP_PREFIX}${name}`;
}

/** `null`: it is the id of a runtime. */
export function groupNameOf(runtimeId: string): string | null {
  return runtimeId.startsWith(GROUP_PREFIX) ? runtimeId.slice(GROUP_PREFIX.length) : null;
}

/** The group that a rollout is of, or whose rollout has started it. `null`: neither. */
export function groupOf({
  runtimeId,
  group,
}: Pick<AskedRequest, 'runtimeId' | 'group'>): string | null {
  return group ?? groupNameOf(runtimeId);
}

export function nounOf(runtimeId: string): 'endpoint' | 'runtime' {
  return groupNameOf(runtimeId) === null ? 'endpoint' : 'runtime';
}

/** What may happen to the runtimes that a group has rolled. None can be stopped: its own policy stops its endpoints. */
export const GROUP_FAILURE_POLICIES = ['hold', 'roll-back'] as const satisfies FailurePolicy[];

/** Whether a rollout may be told to do this with what it has rolled. */
export function mayContain(runtimeId: string, policy: FailurePolicy): boolean {
  const ofGroups: readonly FailurePolicy[] = GROUP_FAILURE_POLICIES;
  return groupNameOf(runtimeId) === null || ofGroups.includes(policy);
}

/** What follows a failure of a group, when the policy of all rollouts says this and its own says nothing. */
export function inheritedByGroup(onFailure: OnFailure): OnFailure {
  const ofGroup = (kind: FailureKind) => {
    const policy = policyAfter(kind, onFailure);
    return policy === 'stop-old' ? 'hold' : policy;
  };
  return { stuck: ofGroup('stuck'), bad: ofGroup('bad') };
}

/** The status words of a runtime in its group. They are among the words of `DEFAULT_POLICY.statuses`. */
export const RUNTIME_STATUS = {
  /** Nothing is under way. */
  ready: 'READY',
  /** Its rollout is under way. */
  rolling: 'ROLLING',
  /** Its rollout has ended, and not as Succeeded. */
  failed: 'FAILED',
  /** It has no endpoint that its policy lets a rollout touch; on the way back, another rollout has it. */
  stopped: 'STOPPED',
} as const;

/** The id of the runtime that is named, or that of the rollouts of a group. */
export function namedRuntime({
  group,
  runtimeId = '',
}: {
  readonly runtimeId?: string | undefined;
  readonly group?: string | undefined;
}): string {
  return group === undefined ? runtimeId : groupIdOf(group);
}
