import * as z from 'zod';
import { groupNameOf } from '../../domain/rollout/group.ts';
import { recordOf } from '../../domain/stored.ts';
import { checkAlways, runtimeIdSchema } from '../input/checks.ts';
import { authSchema } from './auth.ts';
import { networkShape } from './network.ts';
import { policiesShape } from './policies.ts';
import { partialPolicySchema } from './policy.ts';
import { faultOfResourceId } from './service.ts';

/** Of an earlier configuration: what rollouts under way may still need of it. */
const earlierSchema = z.object({
  policies: policiesShape.policies,
  runtimes: recordOf(runtimeIdSchema, z.object({ policy: z.string().optional() })).prefault({}),
  groups: recordOf(z.string(), z.object({ policy: partialPolicySchema.prefault({}) })).prefault({}),
  auth: authSchema.optional(),
  tls: networkShape.tls,
});

/**
 * Earlier configurations, the newest first, each as it was. Rollouts that began with them keep their permissions, and the
 * policies of runtimes that are gone; nothing starts with them by itself. A file names files, and the props of a construct
 * have objects.
 */
export const retiredSchema = z.array(earlierSchema).max(5);

/** What is read of an earlier configuration. */
export const READ_OF_EARLIER: readonly string[] = Object.keys(earlierSchema.shape);

/** Checks that each runtime could be one of the service. */
export const checkRetired = checkAlways<object>((config, report) => {
  const { retired, service } = config as Readonly<Record<string, unknown>>;
  for (const [index, earlier] of (Array.isArray(retired) ? retired : []).entries()) {
    for (const id of Object.keys(Object(Object(earlier).runtimes))) {
      const path = ['retired', index, 'runtimes', id];
      if (groupNameOf(id) !== null) report(path, id, 'use the id of a runtime, and not of a group');
      const fault = service === undefined ? null : faultOfResourceId(id, service);
      if (fault !== null) report(path, id, fault);
    }
  }
});

/** In the schema of a file, which names the files of earlier configurations. */
export function asNameOfFile({
  zodSchema,
  jsonSchema,
}: {
  readonly zodSchema: unknown;
  readonly jsonSchema: object;
}): void {
  if (zodSchema !== earlierSchema) return;
  for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key);
  Object.assign(jsonSchema, { type: 'string' });
}
