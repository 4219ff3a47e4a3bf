import * as z from 'zod';
import { durationSchema } from '../contract/duration.ts';
import { parseInput } from '../contract/parse-input.ts';
import { completePolicy, policyFields, policySchema } from '../contract/policy.ts';
import { runtimeIdSchema } from '../contract/rollout-input.ts';
import { waveSizeSchema, waveSizesSchema } from '../contract/wave-sizes.ts';
import { FAILURE_POLICIES, type RolloutPolicy } from '../domain/policy.ts';
import { commonOptions, type Output, parseOptions, wholeNumber } from './common-options.ts';

/** What `rollout start` was asked for, checked. */
export interface RolloutOptions {
  readonly runtimeId: string;
  readonly version: number;
  readonly policy: RolloutPolicy;
  readonly output: Output;
  /** Do not ask for confirmation. */
  readonly yes: boolean;
  /** As `parseEndpointUrl` answers it. */
  readonly endpointUrl: string;
  readonly debug: boolean;
}

/** A list is read at most once a second: `--poll 0` is as often as that. */
const SHORTEST_POLL_SECONDS = 1;

const failurePolicy = z.enum(FAILURE_POLICIES, {
  error: ({ input }) =>
    input === 'roll-back' ? 'it is not there yet, use "stop-old" or "hold"' : undefined,
});

const optionsSchema = z.strictObject({
  ...commonOptions,
  'runtime-id': runtimeIdSchema,
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

/**
 * Checks the arguments and options, given by their names on the command line.
 *
 * @throws `InvalidInput` that lists every mistake.
 */
export function parseRolloutOptions(given: Readonly<Record<string, unknown>>): RolloutOptions {
  const options = parseOptions(optionsSchema, given);
  const policy = completePolicy({
    waves: options['--waves'],
    maxUnavailable: options['--max-unavailable'],
    bakeSeconds: options['--bake'],
    progressDeadlineSeconds: options['--progress-deadline'],
    pollSeconds: options['--poll'],
    onFailure: options['--on-failure'],
  });
  return {
    runtimeId: options['runtime-id'],
    version: options['--version'],
    policy: parseInput(policySchema, policy, 'rollout policy'),
    output: options['--output'],
    yes: options['--yes'],
    endpointUrl: options['--endpoint-url'],
    debug: options['--debug'],
  };
}
