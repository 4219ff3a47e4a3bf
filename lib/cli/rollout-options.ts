import * as z from 'zod';
import { durationSchema } from '../contract/duration.ts';
import { parseInput } from '../contract/parse-input.ts';
import {
  completePolicy,
  type PartialPolicy,
  policyFields,
  policySchema,
} from '../contract/policy.ts';
import { waveSizeSchema, waveSizesSchema } from '../contract/wave-sizes.ts';
import { DEFAULT_POLICY } from '../domain/defaults.ts';
import { FAILURE_POLICIES, type RolloutPolicy } from '../domain/policy.ts';
import { globalShape } from './global-options.ts';
import { idField } from './id-field.ts';
import { wholeNumber } from './whole-number.ts';

/** A list is read at most once a second: `--poll 0` is as often as that. */
const SHORTEST_POLL_SECONDS = 1;

const failurePolicy = z.enum(FAILURE_POLICIES, {
  error: ({ input }) =>
    input === 'roll-back' ? 'it is not there yet, use "stop-old" or "hold"' : undefined,
});

/** What `rollout start` takes, by the names that people type. */
export const rolloutOptionsSchema = z.strictObject({
  ...globalShape,
  'runtime-id': idField('use the id of a runtime'),
  '--version': wholeNumber,
  '--waves': waveSizesSchema.pipe(policyFields.waves).optional(),
  '--max-unavailable': waveSizeSchema.pipe(policyFields.maxUnavailable).optional(),
  '--bake': durationSchema.pipe(policyFields.bakeSeconds).optional(),
  '--progress-deadline': durationSchema.pipe(policyFields.progressDeadlineSeconds).optional(),
  '--poll': durationSchema
    .transform((seconds) => Math.max(seconds, SHORTEST_POLL_SECONDS))
    .pipe(policyFields.pollSeconds)
    .optional(),
  '--on-failure': failurePolicy.optional(),
  '--yes': z.boolean().default(false),
});

export type RolloutOptions = z.output<typeof rolloutOptionsSchema>;

/**
 * Options override single fields of the configured policy, which overrides the defaults.
 *
 * @throws `InvalidInput` when the parts do not fit together.
 */
export function policyOf(options: RolloutOptions, configured: PartialPolicy): RolloutPolicy {
  const given = {
    waves: options['--waves'],
    maxUnavailable: options['--max-unavailable'],
    bakeSeconds: options['--bake'],
    progressDeadlineSeconds: options['--progress-deadline'],
    pollSeconds: options['--poll'],
    onFailure: options['--on-failure'],
  };
  const policy = completePolicy(given, completePolicy(configured, DEFAULT_POLICY));
  return parseInput(policySchema, policy, 'rollout policy');
}
