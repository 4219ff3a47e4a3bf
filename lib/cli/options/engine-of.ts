import { readEnvironment } from '../../adapters/environment.ts';
import type { EngineOptions } from '../engine/with-engine.ts';
import type { Invocation } from '../invocation.ts';
import { loadSettings } from '../settings/load-settings.ts';
import { DEFAULT_STACK } from './global-options.ts';

/** The engine that a command line names, or a variable or a profile for it. Nothing of it is checked. */
export function engineOf({ given }: Invocation): EngineOptions {
  const { settings } = loadSettings(given, readEnvironment());
  return {
    '--engine': settings.get('--engine')?.value === 'aws' ? 'aws' : 'embedded',
    '--stack': String(settings.get('--stack')?.value ?? DEFAULT_STACK),
  };
}
