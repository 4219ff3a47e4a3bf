import * as z from 'zod';
import type { RolloutInput } from '../contract/rollout-input.ts';
import { globalShape } from './global-options.ts';
import { idField } from './id-field.ts';
import { policyShape } from './policy-options.ts';
import { wholeNumber } from './whole-number.ts';

const shape = {
  ...globalShape,
  ...policyShape,
  'runtime-id': idField('use the id of a runtime'),
  '--version': wholeNumber.optional(),
  '--version-from': z.string().min(1).max(256).optional(),
};

/** Whatever else is wrong: all mistakes are told at once. */
const ALWAYS = { when: () => true };

/** What `rollout plan` takes, by the names that people type. */
export const planOptionsSchema = z.strictObject(shape).superRefine(checkVersion, ALWAYS);
export type PlanOptions = z.output<typeof planOptionsSchema>;

/** What `rollout start` takes. */
export const startOptionsSchema = z
  .strictObject({
    ...shape,
    '--plan': z.string().min(1).max(64).optional(),
    '--yes': z.boolean().default(false),
  })
  .superRefine(checkVersion, ALWAYS);

/** What the workflow is asked for. */
export function inputOf(options: PlanOptions & { readonly '--plan'?: string | undefined }) {
  const { 'runtime-id': runtimeId, '--version': version, '--version-from': endpoint } = options;
  const input: RolloutInput = { schemaVersion: 1, runtimeId };
  return {
    ...input,
    ...(version !== undefined && { version }),
    ...(endpoint !== undefined && { versionFrom: { endpoint } }),
    ...(options['--plan'] !== undefined && { plan: options['--plan'] }),
  };
}

/** A value that is wrong was given all the same: its key is there. */
function checkVersion(value: object, context: z.RefinementCtx): void {
  if ('--version' in value !== '--version-from' in value) return;
  const input = '--version' in value ? value['--version'] : undefined;
  const message = 'use a whole number of at least 1, or --version-from, and not both';
  context.addIssue({ code: 'custom', message, input, path: ['--version'] });
}
