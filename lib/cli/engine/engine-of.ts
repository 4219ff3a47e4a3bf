import { readEnvironment } from '../../adapters/machine/environment.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { DEFAULT_STACK } from '../options/global-options.ts';
import { settingsBeforeConfig } from '../settings/load-settings.ts';
import type { EngineOptions } from './open-engine.ts';

/** The engine from the options, a variable or a profile. It is not checked. */
export function engineOf({ given }: Invocation): EngineOptions {
  const settings = settingsBeforeConfig(given, readEnvironment());
  return {
    '--engine': settings.get('--engine')?.value === 'aws' ? 'aws' : 'embedded',
    '--stack': String(settings.get('--stack')?.value ?? DEFAULT_STACK),
  };
}

/** Whether the engine is AWS. Some commands take other options there. */
export function isOnAws(invocation: Invocation): boolean {
  return engineOf(invocation)['--engine'] === 'aws';
}
