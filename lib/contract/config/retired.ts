import * as z from 'zod';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { GATE_SCHEMAS } from '../../gates/gates.ts';
import { checkAlways, runtimeIdSchema } from '../parsing/checks.ts';
import { secretSourceSchema } from '../parsing/secret-source.ts';
import { agentRuntimeIdSchema } from '../service/agentcore.ts';
import { partialPolicySchema } from './policy.ts';

/** The gates that are asked with rights of their own. A probe needs none. */
const { alarms, metrics, prometheus, checks } = GATE_SCHEMAS;

/**
 * What a configuration no longer has, and what rollouts under way still need. It keeps its rights, and nothing starts
 * with it by itself.
 */
export const retiredSchema = z.strictObject({
  runtimes: z
    .record(runtimeIdSchema, z.strictObject({ policy: partialPolicySchema }))
    .default({})
    .describe(
      'Entries that were taken out of runtimes, as they were. No trigger and no group rolls them. Default: none.',
    ),
  verify: z
    .strictObject({ alarms, metrics, prometheus, checks })
    .prefault({})
    .describe(
      'alarms, metrics, prometheus and checks that were taken out of verify in any policy, as they were. Default: none.',
    ),
  secrets: z
    .array(secretSourceSchema)
    .max(20)
    .default([])
    .describe('Secrets that were taken out of auth and tls.'),
});
export type RetiredInput = z.input<typeof retiredSchema>;

/** Checks that nothing is both configured and retired, and that a runtime could be one of the service. */
export const checkRetired = checkAlways<object>((config, report) => {
  const { retired, runtimes, service, auth, tls } = config as Readonly<Record<string, unknown>>;
  const { runtimes: old, verify, secrets } = Object(retired) as Readonly<Record<string, unknown>>;
  for (const id of Object.keys(Object(old))) {
    const path = ['retired', 'runtimes', id];
    if (Object.hasOwn(Object(runtimes), id)) report(path, id, `it is in runtimes, too: ${CUT}`);
    if (groupNameOf(id) !== null) report(path, id, 'use the id of a runtime, and not of a group');
    const { error } = agentRuntimeIdSchema.safeParse(id);
    if (service !== undefined && error) report(path, id, error.issues[0]?.message ?? '');
  }
  const asked = verificationsOf(config);
  for (const [field, items] of Object.entries(Object(verify))) {
    if (!Array.isArray(items)) continue;
    items.forEach((item, index) => {
      const same = asked.find((one) => hasItem(one.said[field], item));
      if (same === undefined) return;
      const place = `${same.place}.verify.${field}`;
      report(['retired', 'verify', field, index], item, `it is in ${place}, too: ${CUT}`);
    });
  }
  const used = Object.entries({ auth: Object(auth).secret, ...Object(tls) });
  (Array.isArray(secrets) ? secrets : []).forEach((secret, index) => {
    const [name] = used.find(([, one]) => hasItem([arnOf(one)], arnOf(secret))) ?? [];
    if (name === undefined) return;
    const place = name === 'auth' ? 'auth.secret' : `tls.${name}`;
    report(['retired', 'secrets', index], secret, `it is in ${place}, too: ${CUT}`);
  });
});

const CUT = 'take it out of one of them';

function arnOf(source: unknown): unknown {
  return Object(source).awsSecret;
}

function hasItem(items: unknown, wanted: unknown): boolean {
  const text = JSON.stringify(wanted);
  return (
    text !== undefined && Array.isArray(items) && items.some((one) => JSON.stringify(one) === text)
  );
}

/** What each policy verifies, and where the policy is. */
function verificationsOf(config: object) {
  const { policy, runtimes, groups } = config as Readonly<Record<string, unknown>>;
  const places = [
    ['policy', policy] as const,
    ...Object.entries({ runtimes, groups }).flatMap(([kind, all]) =>
      Object.entries(Object(all)).map(
        ([name, one]) => [`${kind}.${name}.policy`, Object(one).policy] as const,
      ),
    ),
  ];
  return places.map(([place, own]) => ({ place, said: Object(Object(own).verify) }));
}
