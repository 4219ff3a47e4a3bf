import * as z from 'zod';
import { entryOf } from '../../domain/keyed.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { FAILURE_POLICIES, mayStop, type RolloutPolicy } from '../../domain/rollout/policy.ts';
import { recordOf } from '../../domain/stored.ts';
import { askedGates } from '../../gates/gates.ts';
import { checkAlways, nameSchema, runtimeIdSchema } from '../input/checks.ts';
import { suggest } from '../input/suggest.ts';
import { allowHttpSchema, faultOfPlainHttp } from '../service/endpoint-url.ts';
import {
  type AgentCoreResource,
  SERVICE_KINDS,
  SERVICES,
  type ServiceKind,
} from '../service/services.ts';
import { type Groups, policyOfGroup } from './groups.ts';
import { completePolicy, type PartialPolicy, partialPolicySchema, policySchema } from './policy.ts';
import { POLICY_OF_ALL } from './policy-name.ts';
import { runtimeAttributes } from './where.ts';

/** How rollouts are done. It is kept as it was written, without defaults. */
export interface Policies {
  /** By name. What `default` says holds for all of them. */
  readonly policies: Readonly<Record<string, PartialPolicy>>;
  readonly runtimes: Readonly<Record<string, z.output<typeof runtimeSchema>>>;
  /** Those of earlier configurations, for runtimes that no trigger rolls any more. @default - none */
  readonly retired?: readonly Pick<Policies, 'policies' | 'runtimes'>[] | undefined;
  readonly groups?: Groups | undefined;
  /** The service that has the runtimes. @default - one with a base URL */
  readonly service?: { readonly kind: ServiceKind; readonly of?: AgentCoreResource } | undefined;
  /** Hosts that may be called over plain http. @default - none */
  readonly allowHttp?: readonly string[] | undefined;
}

/**
 * The policy that the runtime names wins, then the policy `default`, then the defaults for the service. A group has a
 * policy of its own.
 */
export function policyOfRuntime(config: Policies, runtimeId: string): RolloutPolicy {
  const group = groupNameOf(runtimeId);
  if (group !== null) return policyOfGroup(config.groups, group, policyOfAll(config));
  const { name, within } = namedBy(config, runtimeId);
  return withAllowHttp(policyNamed(within, name), config);
}

/** Where the configuration says a field of the policy of a runtime or a group, or would say it. */
export function placeOfField(
  config: Policies,
  runtimeId: string,
  field: string,
): readonly string[] {
  const group = groupNameOf(runtimeId);
  if (group !== null) return ['groups', group, 'policy'];
  const { name, within } = namedBy(config, runtimeId);
  const isOwn = Object.hasOwn(entryOf(within.policies, name) ?? {}, field);
  return ['policies', isOwn ? name : POLICY_OF_ALL];
}

/** The policy that a runtime names, and the configuration that has it: of a runtime that is gone, an earlier one. */
function namedBy(config: Policies, runtimeId: string) {
  const { retired = [], service, allowHttp } = config;
  const all = [config, ...retired.map((earlier) => ({ ...earlier, service, allowHttp }))];
  const within = all.find(({ runtimes }) => entryOf(runtimes, runtimeId) !== undefined) ?? config;
  return { name: entryOf(within.runtimes, runtimeId)?.policy ?? POLICY_OF_ALL, within };
}

function policyNamed({ policies, service }: Policies, name: string): RolloutPolicy {
  const ofAll = completePolicy(policyOfAll({ policies }), serviceOf(service).policy);
  return name === POLICY_OF_ALL ? ofAll : completePolicy(entryOf(policies, name) ?? {}, ofAll);
}

/** As it was written. */
function policyOfAll({ policies }: Pick<Policies, 'policies'>): PartialPolicy {
  return entryOf(policies, POLICY_OF_ALL) ?? {};
}

/** The policies of this configuration that no runtime names. What they ask holds for nothing. */
export function unnamedPolicies({
  policies,
  runtimes,
}: {
  readonly policies: Policies['policies'];
  readonly runtimes: Readonly<Record<string, { readonly policy?: string | undefined }>>;
}): readonly string[] {
  const named = new Set(Object.values(runtimes).map(({ policy }) => policy));
  return Object.keys(policies).filter((name) => name !== POLICY_OF_ALL && !named.has(name));
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

const runtimeSchema = z.strictObject({
  policy: z
    .string({ error: 'use the name of one of policies, and write there what it says' })
    .optional()
    .describe('Name of one of policies. Default: default.'),
  attributes: runtimeAttributes.optional(),
});
/** As it is written. */
export type WrittenRuntime = z.input<typeof runtimeSchema>;

export const policiesShape = {
  policies: recordOf(nameSchema, partialPolicySchema)
    .prefault({})
    .describe(
      'How rollouts are done, by name. What default says holds for every runtime; another policy adds to it or replaces it, field by field, for the runtimes that name it. A key that is left out has its default.',
    ),
  runtimes: recordOf(runtimeIdSchema, runtimeSchema)
    .prefault({})
    .describe('The runtimes, by their ids: the policy of each, and its attributes.'),
};

/** Checks that each runtime names a policy that there is, in the earlier configurations too. */
export const checkPolicyNames = checkAlways<object>((config, report) => {
  const { retired } = config as { readonly retired?: unknown };
  const earlier = (Array.isArray(retired) ? retired : []).map((of, index) => {
    return { path: ['retired', index], of: Object(of) as object };
  });
  for (const { path, of } of [{ path: [], of: config }, ...earlier]) {
    const { policies, runtimes } = of as {
      readonly policies?: unknown;
      readonly runtimes?: unknown;
    };
    const names = [...new Set([POLICY_OF_ALL, ...Object.keys(Object(policies))])];
    for (const [id, runtime] of Object.entries(Object(runtimes))) {
      const { policy } = Object(runtime) as { readonly policy?: unknown };
      if (typeof policy !== 'string' || names.includes(policy)) continue;
      const message = `use the name of one of policies: ${names.join(', ')}${suggest(policy, names)}`;
      report([...path, 'runtimes', id, 'policy'], policy, message);
    }
  }
});

/** Checks for every policy that its parts fit together, and reports mistakes where they were written. */
export function checkPolicies({ value, issues }: z.core.ParsePayload<Policies>): void {
  const { service, allowHttp } = value;
  const places = [
    { path: ['policies'], names: [POLICY_OF_ALL, ...Object.keys(value.policies)], of: value },
    ...(value.retired ?? []).map((of, index) => ({
      path: ['retired', index, 'policies'],
      // Of an earlier one only what holds for a runtime that is gone.
      names: Object.entries(of.runtimes)
        .filter(([id]) => !Object.hasOwn(value.runtimes, id))
        .map(([, { policy = POLICY_OF_ALL }]) => policy),
      of: { ...of, service, allowHttp },
    })),
  ].flatMap(({ path, names, of }) =>
    [...new Set(names)].map((name) => ({ path: [...path, name], policy: policyNamed(of, name) })),
  );
  // A field that is wrong by itself was reported already.
  const reported = new Set(issues.map(({ path }) => JSON.stringify(path)));
  const seen = new Set<string>();
  for (const { path, policy } of places) {
    for (const issue of issuesIn(policy, value)) {
      // A mistake in the policy of all is a mistake in each, and is reported once.
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
  .check(checkPolicies, checkPolicyNames);

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
