import * as z from 'zod';
import { durationSchema } from '../contract/duration.ts';
import { parseInput } from '../contract/parse-input.ts';
import { completePolicy, policySchema } from '../contract/policy.ts';
import { runtimeIdSchema, versionSchema } from '../contract/rollout-input.ts';
import { waveSizeSchema, waveSizesSchema } from '../contract/wave-sizes.ts';
import { FAILURE_POLICIES, type RolloutPolicy } from '../domain/policy.ts';

/** What `rollout start` was asked for, checked. */
export interface RolloutOptions {
  readonly runtimeId: string;
  readonly version: number;
  readonly policy: RolloutPolicy;
  readonly output: Output;
  /** Do not ask for confirmation. */
  readonly yes: boolean;
  readonly endpointUrl: string | undefined;
}

export const OUTPUTS = ['table', 'json', 'id'] as const;
export type Output = (typeof OUTPUTS)[number];

const wholeNumber = z
  .string()
  .regex(/^\d{1,16}$/, 'use a whole number of at least 1')
  .transform(Number)
  .pipe(versionSchema);

const failurePolicy = z.enum(FAILURE_POLICIES, {
  error: ({ input }) =>
    input === 'roll-back'
      ? 'roll-back is not there yet, use "stop-old" or "hold"'
      : `use one of ${FAILURE_POLICIES.map((name) => `"${name}"`).join(', ')}`,
});

const optionsSchema = z.strictObject({
  'runtime-id': runtimeIdSchema,
  '--version': wholeNumber,
  '--waves': waveSizesSchema.optional(),
  '--max-unavailable': waveSizeSchema.optional(),
  '--bake': durationSchema.optional(),
  '--progress-deadline': durationSchema.optional(),
  '--poll': durationSchema.optional(),
  '--on-failure': failurePolicy.optional(),
  '--output': z.enum(OUTPUTS),
  '--yes': z.boolean().default(false),
  '--endpoint-url': z.string().optional(),
});

/** A list is read at most once a second: `--poll 0` is as often as that. */
const SHORTEST_POLL_SECONDS = 1;

/**
 * Checks the arguments and options, given by their names on the command line.
 *
 * @throws `InvalidInput` that lists every mistake.
 */
export function parseRolloutOptions(given: Readonly<Record<string, unknown>>): RolloutOptions {
  const options = parseInput(optionsSchema, given, 'arguments');
  const poll = options['--poll'];
  const policy = completePolicy({
    waves: options['--waves'],
    maxUnavailable: options['--max-unavailable'],
    bakeSeconds: options['--bake'],
    progressDeadlineSeconds: options['--progress-deadline'],
    pollSeconds: poll === undefined ? undefined : Math.max(poll, SHORTEST_POLL_SECONDS),
    onFailure: options['--on-failure'],
  });
  return {
    runtimeId: options['runtime-id'],
    version: options['--version'],
    policy: parseInput(policySchema, policy, 'rollout policy'),
    output: options['--output'],
    yes: options['--yes'],
    endpointUrl: options['--endpoint-url'],
  };
}
