import * as z from 'zod';
import { matchesGlob } from '../../domain/glob.ts';
import { entryOf } from '../../domain/keyed.ts';
import {
  GROUP_FAILURE_POLICIES,
  GROUP_PREFIX,
  groupNameOf,
  inheritedByGroup,
} from '../../domain/rollout/group.ts';
import { DEFAULT_GROUP_POLICY } from '../../domain/rollout/group-policy.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { recordOf } from '../../domain/stored.ts';
import { GROUP_GATE_SCHEMAS } from '../../gates/gates.ts';
import { checkAlways, nameSchema, words } from '../input/checks.ts';
import {
  completePolicy,
  locked,
  onFailureOf,
  type PartialPolicy,
  policyFields,
  policySchema,
  waves,
} from './policy.ts';
import { besideGates } from './verification.ts';

/** How a group, whose endpoints are runtimes, is released. Anything else the policy of each runtime says. */
const groupPolicySchema = z
  .strictObject({
    maxAtRisk: z
      .int()
      .min(1)
      .describe(
        'How many runtimes may be in mid-roll or lost together, in the whole rollout. One more than failureThreshold is always allowed. Default: 1.',
      ),
    maxUnavailable: policyFields.maxUnavailable.describe(
      'How many runtimes may be in mid-roll at once. Default: 33 %.',
    ),
    waves: waves.describe(
      'Cumulative sizes, rising, names of runtimes, or rings of them. Default: 1 runtime, 25 %, 100 %.',
    ),
    selection: policyFields.selection.describe('Which runtimes are rolled. Default: all.'),
    failureThreshold: policyFields.failureThreshold.describe(
      'How many runtimes may fail in the whole rollout while it goes on; never a whole wave. Default: none.',
    ),
    bakeSeconds: policyFields.bakeSeconds.describe(
      'Wait before a wave of runtimes is trusted, after their own bakes. Default: 0.',
    ),
    pollSeconds: policyFields.pollSeconds.describe(
      'Shortest time between two looks at the runtimes. Default: 5.',
    ),
    maxPollSeconds: policyFields.maxPollSeconds.describe(
      'Longest time between two looks at the runtimes. Default: 450.',
    ),
    progressDeadlineSeconds: policyFields.progressDeadlineSeconds.describe(
      'A wave in which no runtime gets further for so many seconds has failed. Default: 604800.',
    ),
    onFailure: onFailureOf(GROUP_FAILURE_POLICIES).describe(
      'What happens to the runtimes that were rolled when it fails: one word, or one for each kind of failure. Default: what onFailure in policies.default says, with hold for stop-old; hold if it says nothing.',
    ),
    verify: z
      .strictObject({ ...GROUP_GATE_SCHEMAS, ...besideGates })
      .describe('What is checked after a wave, before the next one. Default: nothing.'),
    onConflict: policyFields.onConflict,
    windows: policyFields.windows,
    freezes: policyFields.freezes,
    outsideWindow: policyFields.outsideWindow,
    windowsBind: policyFields.windowsBind,
    locked,
  })
  .partial();

const groupSchema = z.strictObject({
  runtimes: words
    .min(1)
    .describe('Ids of entries in runtimes; * stands for any run of characters.'),
  policy: groupPolicySchema.prefault({}).describe('How the group is released.'),
});
export type RuntimeGroup = z.input<typeof groupSchema>;

/** Runtimes that are released together, by the name of the group. It is kept as it was written, without defaults. */
export type Groups = z.output<typeof groupsSchema>;

export const groupsSchema = recordOf(nameSchema, groupSchema).describe(
  'Runtimes that are released together, by the name of the group. Default: none.',
);

type Configured = {
  readonly runtimes: Readonly<Record<string, unknown>>;
  readonly groups?: Groups | undefined;
};

/** The ids of the runtimes of a group, in the order of the configuration. `null`: there is no such group. */
export function runtimesOfGroup(
  { runtimes, groups = {} }: Configured,
  name: string,
): readonly string[] | null {
  const group = entryOf(groups, name);
  if (group === undefined) return null;
  return Object.keys(runtimes).filter((id) =>
    group.runtimes.some((pattern) => matchesGlob(pattern, id)),
  );
}

/** @param ofAll The policy `default`, as it was written. A group has from it only what is locked, and what follows a failure. */
export function policyOfGroup(
  groups: Groups | undefined,
  name: string,
  { onFailure, locked }: Pick<PartialPolicy, 'onFailure' | 'locked'>,
): RolloutPolicy {
  const own = entryOf(groups, name);
  const inherited = onFailure && { onFailure: inheritedByGroup(onFailure) };
  return completePolicy({ ...inherited, locked, ...own?.policy }, DEFAULT_GROUP_POLICY);
}

/** Checks that every pattern of a group matches a runtime, and that the parts of its policy fit together. */
export const checkGroups = checkAlways<object>((config, report) => {
  const { runtimes, groups } = config as { runtimes?: unknown; groups?: unknown };
  const ids = Object.keys(Object(runtimes));
  for (const id of ids.filter((each) => groupNameOf(each) !== null)) {
    report(['runtimes', id], id, `use an id that does not begin with ${GROUP_PREFIX}`);
  }
  for (const [name, group] of Object.entries(Object(groups))) {
    const { runtimes: patterns, policy } = Object(group);
    const listed: readonly unknown[] = Array.isArray(patterns) ? patterns : [];
    listed.forEach((pattern, index) => {
      if (typeof pattern !== 'string' || ids.some((id) => matchesGlob(pattern, id))) return;
      const message = 'use the id of an entry in runtimes, or a pattern that one matches';
      report(['groups', name, 'runtimes', index], pattern, message);
    });
    for (const { path, input, message } of issuesOfPolicy(policy)) {
      report(['groups', name, 'policy', ...path], input, message);
    }
  }
});

/** What does not fit together in a policy. Fields that are wrong by themselves were reported already. */
function issuesOfPolicy(policy: unknown): readonly z.core.$ZodIssue[] {
  const own = groupPolicySchema.safeParse(policy ?? {});
  if (!own.success) return [];
  const whole = completePolicy(own.data, DEFAULT_GROUP_POLICY);
  return policySchema.safeParse(whole, { reportInput: true }).error?.issues ?? [];
}
