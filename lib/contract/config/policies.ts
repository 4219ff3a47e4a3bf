import * as z from 'zod';
import type { Attributes } from '../../domain/endpoint/attributes.ts';
import { entryOf } from '../../domain/keyed.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { FAILURE_POLICIES, mayStop, type RolloutPolicy } from '../../domain/rollout/policy.ts';
import { recordOf } from '../../domain/stored.ts';
import { askedGates } from '../../gates/gates.ts';
import { runtimeIdSchema } from '../input/checks.ts';
import { allowHttpSchema, faultOfPlainHttp } from '../service/endpoint-url.ts';
import {
  type AgentCoreResource,
  SERVICE_KINDS,
  SERVICES,
  type ServiceKind,
} from '../service/services.ts';
import { type Groups, policyOfGroup } from './groups.ts';
import { completePolicy, type PartialPolicy, partialPolicySchema, policySchema } from './policy.ts';
import { runtimeAttributes } from './where.ts';

/** How rollouts are done, all of them and those of single runtimes. It is kept as it was written, without defaults. */
export interface Policies {
  readonly policy: PartialPolicy;
  readonly runtimes: PoliciesOfRuntimes;
  /** Those of earlier configurations, for runtimes that no trigger rolls any more. @default - none */
  readonly retired?: readonly Pick<Policies, 'policy' | 'runtimes'>[] | undefined;
  readonly groups?: Groups | undefined;
  /** The service that has the runtimes. @default - one with a base URL */
  readonly service?: { readonly kind: ServiceKind; readonly of?: AgentCoreResource } | undefined;
  /** Hosts that may be called over plain http. @default - none */
  readonly allowHttp?: readonly string[] | undefined;
}

type PoliciesOfRuntimes = Readonly<
  Record<string, { readonly policy: PartialPolicy; readonly attributes?: Attributes | undefined }>
>;

/**
 * The policy of the runtime wins, then the policy for all, then the defaults for the service. A group has a policy of
 * its own.
 */
export function policyOfRuntime(policies: Policies, runtimeId: string): RolloutPolicy {
  const { policy, groups } = policies;
  const group = groupNameOf(runtimeId);
  if (group !== null) return policyOfGroup(groups, group, policy);
  const { own = {}, within } = ownOf(policies, runtimeId);
  return withAllowHttp(completePolicy(own, policyOfAll(within)), policies);
}

/** Where the configuration says a field of the policy of a runtime or a group, or would say it. */
export function placeOfField(
  policies: Policies,
  runtimeId: string,
  field: string,
): readonly string[] {
  const group = groupNameOf(runtimeId);
  if (group !== null) return ['groups', group, 'policy'];
  const { own } = ownOf(policies, runtimeId);
  const isOwn = own !== undefined && Object.hasOwn(own, field);
  return isOwn ? ['runtimes', runtimeId, 'policy'] : ['policy'];
}

/** The policy that only a runtime has, and the configuration that says it: of a runtime that is gone, an earlier one. */
function ownOf(policies: Policies, runtimeId: string) {
  const { retired = [], service, allowHttp } = policies;
  const all = [policies, ...retired.map((earlier) => ({ ...earlier, service, allowHttp }))];
  const within = all.find(({ runtimes }) => entryOf(runtimes, runtimeId) !== undefined) ?? policies;
  return { own: entryOf(within.runtimes, runtimeId)?.policy, within };
}

function policyOfAll({ policy, service }: Policies): RolloutPolicy {
  return completePolicy(policy, serviceOf(service).policy);
}

/** A rollout keeps with its policy which hosts may be asked over plain http, so that its plan tells them. */
function withAllowHttp(policy: RolloutPolicy, { allowHttp }: Policies): RolloutPolicy {
  if (allowHttp === undefined) return policy;
  const said = askedGates(policy.verify).map(({ name, gate, said }) => [
    name,
    gate.allowHttp?.(said, allowHttp) ?? said,
  ]);
  return { ...policy, verify: { ...policy.verify, ...Object.fromEntries(said) } };
}

function serviceOf({ kind }: Policies['service'] = { kind: 'rest' }) {
  return SERVICES[kind];
}

export const policiesShape = {
  policy: partialPolicySchema
    .prefault({})
    .describe('How rollouts are done. A key that is left out has its default.'),
  runtimes: recordOf(
    runtimeIdSchema,
    z.strictObject({ policy: partialPolicySchema, attributes: runtimeAttributes.optional() }),
  )
    .prefault({})
    .describe('Exceptions for single runtimes, and their attributes, by their ids.'),
};

/** Checks for every runtime that the parts of its policy fit together, and reports mistakes where they were written. */
export function checkPolicies({ value, issues }: z.core.ParsePayload<Policies>): void {
  const places = [
    { path: ['policy'], policy: policyOfAll(value) },
    ...[
      { path: ['runtimes'], ids: Object.keys(value.runtimes) },
      ...(value.retired ?? []).map(({ runtimes }, index) => ({
        path: ['retired', index, 'runtimes'],
        ids: Object.keys(runtimes).filter((id) => !Object.hasOwn(value.runtimes, id)),
      })),
    ].flatMap(({ path, ids }) =>
      ids.map((id) => ({ path: [...path, id, 'policy'], policy: policyOfRuntime(value, id) })),
    ),
  ];
  // A field that is wrong by itself was reported already.
  const reported = new Set(issues.map(({ path }) => JSON.stringify(path)));
  const seen = new Set<string>();
  for (const { path, policy } of places) {
    for (const issue of issuesIn(policy, value)) {
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

/** Policies by themselves, for code that knows which kind of service has the runtimes. */
export const policiesSchema = z
  .strictObject({
    ...policiesShape,
    service: z.object({ kind: z.enum(SERVICE_KINDS) }).optional(),
    allowHttp: allowHttpSchema.optional(),
  })
  .check(checkPolicies);

function issuesIn(
  policy: RolloutPolicy,
  { service, allowHttp }: Policies,
): readonly z.core.$ZodIssue[] {
  const found = policySchema.safeParse(policy, { reportInput: true }).error?.issues ?? [];
  const isBeyond = mayStop(policy.onFailure) && !serviceOf(service).abilities.stops;
  const unmeant = plainHttpIssues(policy, allowHttp);
  return [...found, ...unmeant, ...(isBeyond ? [CANNOT_STOP] : [])];
}

/** A policy alone does not know which hosts may be called over plain http. */
function plainHttpIssues(
  { verify }: Pick<RolloutPolicy, 'verify'>,
  allowHttp: Policies['allowHttp'],
): readonly z.core.$ZodIssue[] {
  const urls = askedGates(verify).flatMap(({ name, gate, said }) =>
    (gate.needs?.(said).urls ?? []).map(({ path, url }) => ({
      path: ['verify', name, ...path],
      url,
    })),
  );
  return urls.flatMap(({ path, url }): z.core.$ZodIssue[] => {
    const message = faultOfPlainHttp(url, allowHttp);
    return message === undefined ? [] : [{ code: 'custom', path, input: url, message }];
  });
}

const CANNOT_STOP = {
  code: 'custom',
  path: ['onFailure'],
  input: 'stop-old',
  message: `use ${FAILURE_POLICIES.filter((one) => one !== 'stop-old')
    .map((one) => JSON.stringify(one))
    .join(' or ')}: this service cannot stop endpoints`,
} as const satisfies z.core.$ZodIssue;
