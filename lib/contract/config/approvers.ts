import * as z from 'zod';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { countsPeople, type RolloutPolicy } from '../../domain/rollout/policy.ts';
import { mostApprovalsNeeded } from '../../domain/signals/approval.ts';
import { recordOf } from '../../domain/stored.ts';
import { checkAlways } from '../input/checks.ts';
import { invalidInput } from '../input/parse-input.ts';
import { secretSourceSchema } from '../input/secret-source.ts';
import { runtimesOfGroup } from './groups.ts';
import { type Policies, policyOfRuntime } from './policies.ts';

const nameSchema = z
  .string()
  .regex(/^[\w.@+-]{1,64}$/, 'use 1 to 64 letters, digits, . _ @ + and -');

/** People who answer waves on one machine, where the name of a user proves nobody. */
export const approversSchema = recordOf(nameSchema, secretSourceSchema).describe(
  'On one machine: who may answer waves through steproll listen, by name, and where the token of each is kept. Default: nobody.',
);
export type Approvers = z.output<typeof approversSchema>;

type WithApprovers = Policies & { readonly approvers?: Approvers | undefined };

/** Refuses them where something better proves who answers. */
export const refuseApprovers = checkAlways<object>((config, report) => {
  const { approvers } = config as { readonly approvers?: unknown };
  if (approvers !== undefined) report(['approvers'], approvers, NOT_ON_AWS);
});

const NOT_ON_AWS =
  'approvers are for one machine; on AWS an answer is of the user id that AWS knows (docs/permissions.md, "Who may approve")';

/**
 * Why an approval of rollouts of this runtime, or of this group and its runtimes, can never come on one machine.
 *
 * @param policy What it is rolled by. @default - as the configuration says
 */
export function faultsOfApprovals(
  config: WithApprovers,
  runtimeId: string,
  policy: RolloutPolicy = policyOfRuntime(config, runtimeId),
): readonly string[] {
  const people = Object.keys(config.approvers ?? {}).length;
  const group = groupNameOf(runtimeId);
  const among = group === null ? [] : (runtimesOfGroup(config, group) ?? []);
  return [
    { id: runtimeId, policy },
    ...among.map((id) => ({ id, policy: policyOfRuntime(config, id) })),
  ].flatMap(({ id, policy: { verify } }) => {
    const needed = mostApprovalsNeeded(verify.approval);
    if (!countsPeople(verify.approval) || people >= needed) return [];
    return [
      `verify.approval: of ${id}: ${needed} people may have to approve, and on one machine only the tokens of "approvers" in the configuration prove who does: it has ${people}; name ${needed} or more, or leave out "count" and "notTheStarter"`,
    ];
  });
}

/** @throws `InvalidInput` */
export function refuseUnprovenApprovals(...asked: Parameters<typeof faultsOfApprovals>): void {
  const faults = faultsOfApprovals(...asked);
  if (faults.length > 0) throw invalidInput('policy', faults);
}
