import type { Invocation } from '../invocation.ts';
import { engineOf } from './engine-of.ts';

/** Whether the engine is AWS: what some commands take depends on where rollouts run. */
export function isOnAws(invocation: Invocation): boolean {
  return engineOf(invocation)['--engine'] === 'aws';
}
