import { withSomebodyToAsk } from '../ask/somebody-to-ask.ts';
import type { Invocation } from '../invocation.ts';
import { isOnAws } from '../options/is-on-aws.ts';
import { overridesOf, policyOf } from '../options/policy-options.ts';
import { inputOf, startHereSchema, startOnAwsSchema } from '../options/rollout-options.ts';
import { prepare } from '../settings/prepare.ts';
import { startHere } from './start-here.ts';
import { startOnAws } from './start-on-aws.ts';
import { watchedOrLeft } from './watched-or-left.ts';

/** `steproll rollout start`: starts a rollout, and answers its exit code where it is watched. */
export async function rolloutStart(invocation: Invocation): Promise<number> {
  const asking = withSomebodyToAsk(invocation);
  if (isOnAws(invocation)) {
    const { options } = await prepare(startOnAwsSchema, watchedOrLeft(asking));
    return startOnAws({ ...inputOf(options), policy: overridesOf(options) }, options);
  }
  const prepared = await prepare(startHereSchema, asking);
  const { options, config } = prepared;
  const policy = policyOf(options, config, options['runtime-id']);
  return startHere(inputOf(options), policy, prepared);
}
