import { readEnvironment } from '../../adapters/machine/environment.ts';
import type { Invocation } from '../invocation/invocation.ts';
import { DEFAULT_STACK } from '../options/global-options.ts';
import { loadSettings } from '../settings/load-settings.ts';
import type { EngineOptions } from './open-engine.ts';

/** The engine from the options, a variable or a profile. It is not checked. */
export async function engineOf({ given }: Invocation): Promise<EngineOptions> {
  const { settings } = await loadSettings(given, readEnvironment());
  return {
    '--engine': settings.get('--engine')?.value === 'aws' ? 'aws' : 'embedded',
    '--stack': String(settings.get('--stack')?.value ?? DEFAULT_STACK),
  };
}

/** Whether the engine is AWS. Some commands take other options there. */
export async function isOnAws(invocation: Invocation): Promise<boolean> {
  return (await engineOf(invocation))['--engine'] === 'aws';
}
