import { readEnvironment } from '../../adapters/environment.ts';
import type { Invocation } from '../invocation.ts';
import { loadSettings } from '../settings/load-settings.ts';

/** Whether the engine is AWS: what some commands take depends on where rollouts run. */
export function isOnAws({ given }: Invocation): boolean {
  return loadSettings(given, readEnvironment()).settings.get('--engine')?.value === 'aws';
}
