import * as z from 'zod';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { recordOf } from '../../domain/stored.ts';
import { GATE_SCHEMAS } from '../../gates/gates.ts';
import { checkAlways, runtimeIdSchema } from '../input/checks.ts';
import { secretSourceSchema } from '../input/secret-source.ts';
import { partialPolicySchema } from './policy.ts';
import { faultOfResourceId } from './service.ts';

/** Gates may be asked with rights of their own. A probe needs none. */
const { probe: _, ...gates } = GATE_SCHEMAS;

/**
 * What a configuration no longer has, and what rollouts under way still need. It keeps its rights, and nothing starts
 * with it by itself.
 */
export const retiredSchema = z.strictObject({
  runtimes: recordOf(runtimeIdSchema, z.strictObject({ policy: partialPolicySchema }))
    .default({})
    .describe(
      'Entries that were taken out of runtimes, as they were. No trigger and no group rolls them. Default: none.',
    ),
  verify: z
    .strictObject(gates)
    .prefault({})
    .describe(
      'What was taken out of verify in any policy, but for its probe, as it was. Default: none.',
    ),
  secrets: z
    .array(secretSourceSchema)
    .max(20)
    .default([])
    .describe('Secrets that were taken out of auth and tls.'),
});
export type RetiredInput = z.input<typeof retiredSchema>;

/** Checks that no runtime has two policies, and that each could be one of the service. */
export const checkRetired = checkAlways<object>((config, report) => {
  const { retired, runtimes, service } = config as Readonly<Record<string, unknown>>;
  for (const id of Object.keys(Object(Object(retired).runtimes))) {
    const path = ['retired', 'runtimes', id];
    if (Object.hasOwn(Object(runtimes), id))
      report(path, id, 'it is in runtimes, too: take it out of one of them');
    if (groupNameOf(id) !== null) report(path, id, 'use the id of a runtime, and not of a group');
    const fault = service === undefined ? null : faultOfResourceId(id, service);
    if (fault !== null) report(path, id, fault);
  }
});
