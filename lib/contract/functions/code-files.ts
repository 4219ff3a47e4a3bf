import * as z from 'zod';
import type { Attributes } from '../../domain/endpoint/attributes.ts';
import { entryOf } from '../../domain/keyed.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { recordOf, type Stored } from '../../domain/stored.ts';
import { groupsSchema, runtimesOfGroup } from '../config/groups.ts';
import { LOCKED_ON_AWS } from '../config/locked.ts';
import { type Policies, policiesSchema, policyOfRuntime } from '../config/policies.ts';
import { POLICY_OF_ALL } from '../config/policy-name.ts';
import { releaseMappingSchema } from '../config/releases.ts';
import type { ServiceSettings } from '../config/service.ts';
import { runtimeAttributes } from '../config/where.ts';
import { parseInput } from '../input/parse-input.ts';
import { allowHttpSchema } from '../service/endpoint-url.ts';

// What grows with the runtimes is in a file beside the code of the function that needs it, because an environment
// holds 4 KB. A published version of a function keeps its file, as it keeps its code.

/** Beside the code of the function `openRollout`. */
export const POLICIES_FILE = 'policies.json';

/** Used by the deployment, whose configuration was checked as a whole. */
export function policiesIn(config: Omit<Policies, 'service'>) {
  const { policies, runtimes, groups, allowHttp, retired } = config;
  return {
    policies,
    runtimes,
    groups,
    allowHttp,
    retired: retired?.map(({ policies, runtimes }) => ({ policies, runtimes })),
  };
}

const namedShape = {
  policies: recordOf(z.string(), z.unknown()),
  runtimes: recordOf(z.string(), z.unknown()),
};

const policiesFileSchema = z.strictObject({
  ...namedShape,
  groups: recordOf(z.string(), z.unknown()).default({}),
  retired: z.array(z.object(namedShape)).default([]),
  allowHttp: allowHttpSchema.optional(),
});

/**
 * Answers the policies and the groups in the file. Each is checked when it is asked for, because to check a thousand
 * doubles the time until a cold start can answer (`npm run bench`).
 *
 * @throws `InvalidInput`, also when a policy or a group is asked for.
 */
export function readPolicies(json: unknown, service: ServiceSettings) {
  const file = parseInput(policiesFileSchema, json, POLICIES_FILE);
  const { policies, runtimes, allowHttp, retired } = file;
  /** The newest configuration that names a runtime. */
  const namedIn = (runtimeId: string) =>
    [file, ...retired].find((one) => Object.hasOwn(one.runtimes, runtimeId));
  const groupsWith = (name: string) =>
    parseInput(groupsSchema, only(file.groups, name), POLICIES_FILE);
  return {
    policyOf(runtimeId: string): RolloutPolicy {
      const within = namedIn(runtimeId) ?? { policies, runtimes };
      const own = only(within.runtimes, runtimeId);
      const { policy = POLICY_OF_ALL } = Object(entryOf(own, runtimeId)) as { policy?: string };
      const those = only(within.policies, POLICY_OF_ALL, policy);
      const known = { policies: those, runtimes: own, service, allowHttp };
      const checked = parseInput(policiesSchema, known, POLICIES_FILE);
      const group = groupNameOf(runtimeId);
      const groups = group === null ? {} : groupsWith(group);
      const ofAll = entryOf(checked.policies, POLICY_OF_ALL);
      const locked = [...(ofAll?.locked ?? LOCKED_ON_AWS)];
      const withLocked = { ...checked.policies, [POLICY_OF_ALL]: { ...ofAll, locked } };
      return policyOfRuntime({ ...checked, policies: withLocked, groups }, runtimeId);
    },
    /** Whether the configuration names a runtime, or an earlier one that it has retired. */
    isNamed: (runtimeId: string) => namedIn(runtimeId) !== undefined,
    attributesOf(runtimeId: string): Attributes {
      const of = z.object({ attributes: runtimeAttributes.optional() });
      const own = parseInput(recordOf(z.string(), of), only(runtimes, runtimeId), POLICIES_FILE);
      return entryOf(own, runtimeId)?.attributes ?? {};
    },
    /** The runtimes of a group. `null`: there is no such group. */
    runtimesOf: (group: string) => runtimesOfGroup({ runtimes, groups: groupsWith(group) }, group),
  };
}

function only(
  all: Readonly<Record<string, unknown>>,
  ...keys: readonly string[]
): Record<string, unknown> {
  const there = [...new Set(keys)].filter((key) => Object.hasOwn(all, key));
  return Object.fromEntries(there.map((key) => [key, all[key]]));
}

/** Beside the code of the function `start`. */
export const TRIGGERS_FILE = 'triggers.json';

export function writeTriggers({ rules, releases }: KnownTriggers): string {
  const mappings = releases.map((release) => releaseMappingSchema.parse(release));
  return JSON.stringify({ rules, releases: mappings });
}

const triggersFileSchema = z.strictObject({
  rules: z.strictObject({
    runtimes: z.array(z.string()),
    groups: z.array(z.string()),
    maxAgeSeconds: z.int(),
    once: z.literal('releaseId').optional(),
  }),
  releases: z.array(releaseMappingSchema),
});
/** What the function `start` checks triggers against. It never contains a policy, nor where the service is. */
export type KnownTriggers = Stored<typeof triggersFileSchema>;

/** @throws `InvalidInput` that lists every mistake. */
export function readTriggers(json: unknown): KnownTriggers {
  return parseInput(triggersFileSchema, json, TRIGGERS_FILE);
}
