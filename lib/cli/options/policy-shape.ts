import * as z from 'zod';
import { type Policies, policyOfRuntime } from '../../contract/config/policies.ts';
import { policyFields } from '../../contract/config/policy.ts';
import { type PolicyOverrides, parsePolicy } from '../../contract/flow/rollout-input.ts';
import { ID_PREFIX } from '../../domain/endpoint/named.ts';
import { PRESET_NAMES } from '../../domain/rollout/default-policy.ts';
import {
  CONFLICT_POLICIES,
  FAILURE_POLICIES,
  type RolloutPolicy,
} from '../../domain/rollout/policy.ts';
import { durationField, durationSchema } from './durations.ts';
import { wholeNumber } from './fields.ts';
import { toleranceSchema, waveSizeSchema, wavesSchema } from './wave-sizes.ts';

const words = z
  .string()
  .min(1)
  .transform((text) => text.split(',').map((word) => word.trim()))
  .pipe(z.array(z.string().min(1)));

/** The options that say how a rollout is done, by the names that people type. */
export const policyShape = {
  '--preset': z.enum(PRESET_NAMES).optional(),
  '--select': words.optional(),
  '--exclude': words.optional(),
  '--waves': wavesSchema.pipe(policyFields.waves).optional(),
  '--max-unavailable': waveSizeSchema.pipe(policyFields.maxUnavailable).optional(),
  '--failure-threshold': toleranceSchema.pipe(policyFields.failureThreshold).optional(),
  '--bake': durationSchema.pipe(policyFields.bakeSeconds).optional(),
  '--progress-deadline': durationSchema.pipe(policyFields.progressDeadlineSeconds).optional(),
  '--poll': durationField('use whole seconds of at least 1, or 5m, 12h or 1d')
    .pipe(policyFields.maxPollSeconds)
    .optional(),
  '--on-failure': z.enum(FAILURE_POLICIES).optional(),
  '--allow-downgrade': z.boolean().optional(),
  '--max-version-step': wholeNumber.pipe(policyFields.maxVersionStep).optional(),
  '--any-time': z.boolean().optional(),
  '--on-conflict': z.enum(CONFLICT_POLICIES).optional(),
};

export type PolicyOptions = z.output<z.ZodObject<typeof policyShape>>;

/**
 * The policy of a command line: options override single fields of the configured policy, which overrides the
 * defaults.
 *
 * @throws `InvalidInput` when the parts do not fit together.
 */
export function policyOf(
  options: PolicyOptions,
  configured: Policies,
  runtimeId: string,
): RolloutPolicy {
  return parsePolicy(overridesOf(options), policyOfRuntime(configured, runtimeId));
}

/** The fields that the options override, whatever policy is configured; without any, `{}`. */
export function overridesOf(options: PolicyOptions): PolicyOverrides {
  const selection = selectionOf(options);
  const said = {
    preset: options['--preset'],
    waves: options['--waves'],
    maxUnavailable: options['--max-unavailable'],
    failureThreshold: options['--failure-threshold'],
    bakeSeconds: options['--bake'],
    progressDeadlineSeconds: options['--progress-deadline'],
    pollSeconds: options['--poll'],
    // With this option the time between two reads does not grow.
    maxPollSeconds: options['--poll'],
    onFailure: options['--on-failure'],
    allowDowngrade: options['--allow-downgrade'],
    maxVersionStep: options['--max-version-step'],
    ...(options['--any-time'] && { windows: [], freezes: [] }),
    onConflict: options['--on-conflict'],
    selection: Object.keys(selection).length > 0 ? selection : undefined,
  };
  const entries = Object.entries(said).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

/** `--select` and `--exclude` are independent: each leaves the other as it is configured. */
function selectionOf({ '--select': select, '--exclude': exclude }: PolicyOptions) {
  return {
    ...(select && {
      names: select.filter((word) => !word.startsWith(ID_PREFIX)),
      ids: select.filter((word) => word.startsWith(ID_PREFIX)).map(withoutPrefix),
    }),
    ...(exclude && { exclude: exclude.map(withoutPrefix) }),
  };
}

function withoutPrefix(word: string): string {
  return word.startsWith(ID_PREFIX) ? word.slice(ID_PREFIX.length) : word;
}
