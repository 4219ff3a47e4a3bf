import { userName } from '../../adapters/machine/environment.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Engine } from './engine.ts';

/**
 * Whose word it is: on AWS the ARN of whoever calls, and elsewhere, or where AWS does not say, the name of the user of
 * this machine. It is not proved, so nothing fails for it.
 */
export async function ownerHere({ caller }: Pick<Engine, 'caller'>): Promise<string> {
  const called = await caller?.().catch(() => undefined);
  return called?.arn || userName() || 'an unnamed user';
}

/**
 * The key of a person's answers: on AWS the `aws:userid` of whoever calls, the only one under which a role may write that is
 * narrowed to it. `undefined`: nothing proves who asks, and the name has to do.
 *
 * @throws `AwsUnavailable` where AWS does not say it.
 */
export async function keyHere({ caller }: Pick<Engine, 'caller'>): Promise<string | undefined> {
  const called = await caller?.();
  if (called?.userId !== '') return called?.userId;
  throw new SteprollError(
    ErrorName.AwsUnavailable,
    'AWS does not say whose credentials these are.',
  );
}
