import type { Invocation } from './invocation.ts';
import { isOnAws } from './is-on-aws.ts';
import { overridesOf, policyOf } from './policy-options.ts';
import { prepare } from './prepare.ts';
import { inputOf, startHereSchema, startOnAwsSchema } from './rollout-options.ts';
import { withSomebodyToAsk } from './somebody-to-ask.ts';
import { startHere } from './start-here.ts';
import { startOnAws } from './start-on-aws.ts';

/** `steproll rollout start`: starts a rollout, and answers its exit code where it is watched. */
export async function rolloutStart(invocation: Invocation): Promise<number> {
  const asking = withSomebodyToAsk(invocation);
  if (isOnAws(invocation)) {
    const { options } = await prepare(startOnAwsSchema, asking);
    return startOnAws({ ...inputOf(options), policy: overridesOf(options) }, options);
  }
  const prepared = await prepare(startHereSchema, asking);
  const { options, config } = prepared;
  const policy = policyOf(options, config, options['runtime-id']);
  return startHere(inputOf(options), policy, prepared);
}
