import { userName } from '../../adapters/machine/environment.ts';
import type { Engine } from './engine.ts';

/**
 * Whose word it is: on AWS the ARN of whoever calls, and elsewhere, or where AWS does not say, the name of the user of
 * this machine. It is not proved, so nothing fails for it.
 */
export async function ownerHere({ callerArn }: Pick<Engine, 'callerArn'>): Promise<string> {
  const arn = await callerArn?.().catch(() => '');
  return arn || userName() || 'an unnamed user';
}
