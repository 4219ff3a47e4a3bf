import type { Engine } from '../engine/engine.ts';
import { whoIsHere } from '../rollout/signal.ts';

/**
 * Whose hold it is: on AWS the ARN of whoever calls, and the name of the user of this machine elsewhere, or where AWS does
 * not say. It is not proved, so a hold never fails for it.
 */
export async function ownerHere({ callerArn }: Pick<Engine, 'callerArn'>): Promise<string> {
  const arn = await callerArn?.().catch(() => '');
  return arn || whoIsHere();
}
