import { resolve } from 'node:path';
import { inHome, readEnvironment } from '../../adapters/machine/environment.ts';
import type { Given } from '../../cli/invocation/invocation.ts';
import { GLOBAL_OPTIONS, variableOf } from '../../cli/options/global-options.ts';
import { quoted } from '../../domain/command.ts';

/** Commands name the engine themselves, and how a result is printed is up to whoever types. */
const LEFT_OUT: readonly string[] = [
  'STEPROLL_ENGINE',
  'STEPROLL_STACK',
  'STEPROLL_OUTPUT',
  'STEPROLL_QUERY',
  'STEPROLL_INTERACTIVE',
  'STEPROLL_DEBUG',
  'STEPROLL_DEBUG_ANSWERS',
];
const PATHS: readonly string[] = [
  'STEPROLL_CONFIG',
  'STEPROLL_STATE_DIR',
  'STEPROLL_PROFILES_FILE',
];

/**
 * What a command begins with, so that it does in any shell of this user on this machine what it would do where the
 * console was started: `STEPROLL_CONFIG=/etc/steproll.json `. No secret is in it.
 *
 * @param given The options of the console.
 */
export function shellOf(given: Given, isOnAws: boolean): string {
  const environment = readEnvironment();
  const settings: Record<string, string> = { ...environment.settings };
  for (const { option } of GLOBAL_OPTIONS) {
    const value = given[option];
    if (typeof value === 'string') settings[variableOf(option)] = value;
  }
  const { awsRegion, awsProfile } = environment;
  if (isOnAws && awsRegion !== undefined) settings.AWS_REGION = awsRegion;
  if (isOnAws && awsProfile !== undefined) settings.AWS_PROFILE = awsProfile;
  if (!isOnAws && environment.stateDirectory !== inHome('.local', 'state', 'steproll')) {
    settings.STEPROLL_STATE_DIR = environment.stateDirectory;
  }
  return Object.entries(settings)
    .filter(([name]) => !LEFT_OUT.includes(name))
    .map(([name, value]) => `${name}=${quoted(PATHS.includes(name) ? resolve(value) : value)} `)
    .join('');
}
