import { userName } from '../../adapters/machine/environment.ts';
import type { Engine } from './engine.ts';

/** Whose word a signal is: the name of the user of this machine, wherever the rollout runs. */
export function whoIsHere(): string {
  return userName() || 'an unnamed user';
}

/**
 * Whose hold it is: on AWS the ARN of whoever calls, and `whoIsHere` elsewhere, or where AWS does not say. It is not
 * proved, so a hold never fails for it.
 */
export async function ownerHere({ callerArn }: Pick<Engine, 'callerArn'>): Promise<string> {
  const arn = await callerArn?.().catch(() => '');
  return arn || whoIsHere();
}
