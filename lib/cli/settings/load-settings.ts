import { readConfigFile } from '../../adapters/machine/config-file.ts';
import type { Environment } from '../../adapters/machine/environment.ts';
import { pathSeenFrom } from '../../adapters/machine/files.ts';
import { readProfileFile } from '../../adapters/machine/profile-file.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { suggest } from '../../contract/input/suggest.ts';
import type { ServiceKind } from '../../contract/service/services.ts';
import { errorMessageOf } from '../../domain/errors.ts';
import type { Given } from '../invocation/invocation.ts';
import { chooseCredentials, mistakeOfCertificate } from './credentials.ts';
import {
  type ConfigFile,
  checkSource,
  type FileMistake,
  mergeSettings,
  type Profile,
  type ProfileFile,
  profileSchema,
  type Settings,
  type SettingsFile,
  type Sources,
  serviceOf,
} from './settings.ts';

const NO_CONFIG: OpenConfig = { policies: {}, runtimes: {} };

/** The settings that are known without the configuration. No configuration says the engine or the stack. */
export function settingsBeforeConfig(given: Given, environment: Environment): Settings {
  const typed = { given, environment: environment.settings };
  const profile = loadProfile(mergeSettings(typed), environment.profilesFile, []);
  return mergeSettings({ ...typed, files: profile ? [profile] : [] });
}

/**
 * Reads the profile and the configuration that are named, and merges all settings. A configuration that nobody named
 * is not read, because somebody else may have written the file in the current folder.
 */
export async function loadSettings(given: Given, environment: Environment) {
  const mistakes: FileMistake[] = [];
  const typed = { given, environment: environment.settings };
  const profile = loadProfile(mergeSettings(typed), environment.profilesFile, mistakes);
  const named = mergeSettings({ ...typed, files: profile ? [profile] : [] });
  const config = await loadConfig(named, profile, mistakes);
  const files = inOrder(profile, config, typed);
  const settings = mergeSettings({ ...typed, files });
  const { credentials, mistake } = chooseCredentials(environment.hasToken, files, settings);
  const { kind, of } = serviceOf(settings);
  if (config !== undefined) mistakes.push(...(await mistakesFor(kind, config)));
  return {
    settings,
    credentials,
    // With the kind of service that all settings together name.
    config: {
      ...(config?.values ?? NO_CONFIG),
      service: { kind, ...(of !== undefined && { of }) },
    },
    mistakes,
    // Why the credentials may not be sent to the service, or the client certificate not be shown to it.
    credentialsMistakes: [mistake, mistakeOfCertificate(files, settings)].flatMap((text) =>
      text === null ? [] : [{ text, key: null }],
    ),
  };
}

/**
 * The order of profile and configuration: the one that was named more directly goes first. The most direct way is an
 * option, then a variable, then nobody (the profile `default`), then the profile. If both were named in the same way,
 * the profile goes first.
 */
function inOrder(
  profile: ProfileFile | undefined,
  config: ConfigFile | undefined,
  typed: Sources,
): SettingsFile[] {
  const isConfigNearer = distanceOf('config', typed) < distanceOf('profile', typed);
  const files = isConfigNearer ? [config, profile] : [profile, config];
  return files.filter((file) => file !== undefined);
}

function distanceOf(file: 'profile' | 'config', { given, environment }: Sources): number {
  if (given[`--${file}`] !== undefined) return 0;
  return environment[`STEPROLL_${file.toUpperCase()}`] !== undefined ? 1 : 2;
}

/** Mistakes that the configuration has only because another place names a service of another kind. */
async function mistakesFor(
  kind: ServiceKind,
  { name, values }: ConfigFile,
): Promise<readonly FileMistake[]> {
  if (kind === (values.service?.kind ?? 'rest')) return [];
  const { policiesSchema } = await import('../../contract/config/policies.ts');
  const { policies, runtimes } = values;
  return checkSource(policiesSchema, { policies, runtimes, service: { kind } }, name).mistakes;
}

function loadProfile(
  settings: Settings,
  file: string | null,
  mistakes: FileMistake[],
): ProfileFile | undefined {
  const asked = settings.get('--profile');
  // An empty name is a mistake of the option, and names no profile.
  if (asked?.value === '') return undefined;
  if (file === null) {
    const text = `${asked?.from}: there is no home folder, so name the file with STEPROLL_PROFILES_FILE`;
    if (asked !== undefined) mistakes.push({ text, key: null });
    return undefined;
  }
  const profileName = String(asked?.value ?? 'default');
  try {
    const sections = readProfileFile(file);
    const section = sections.get(profileName);
    if (section !== undefined) {
      const name = `profile ${JSON.stringify(profileName)} in ${file}`;
      const { values, mistakes: found } = checkSource(profileSchema, section, name);
      mistakes.push(...found);
      const how = { isNamed: asked !== undefined, isTyped: asked?.from === '--profile' };
      return values && { kind: 'profile', name, ...how, values: withPaths(values, file) };
    }
    if (asked !== undefined) {
      const text = `${asked.from}: ${noProfile(profileName, [...sections.keys()], file)}`;
      mistakes.push({ text, key: null });
    }
  } catch (error) {
    mistakes.push({ text: errorMessageOf(error), key: null });
  }
  return undefined;
}

function noProfile(name: string, names: readonly string[], file: string): string {
  const there = names.length === 0 ? 'it has none' : `it has ${names.join(', ')}`;
  return `there is no profile ${JSON.stringify(name)} in ${file}${suggest(name, names)}; ${there}`;
}

function withPaths(profile: Profile, file: string): Profile {
  const { config, token_file } = profile;
  return {
    ...profile,
    ...(config !== undefined && { config: pathSeenFrom(file, config) }),
    ...(token_file !== undefined && { token_file: pathSeenFrom(file, token_file) }),
  };
}

async function loadConfig(
  settings: Settings,
  profile: ProfileFile | undefined,
  mistakes: FileMistake[],
): Promise<ConfigFile | undefined> {
  const asked = settings.get('--config');
  // An empty name is a mistake of the option, and names no file.
  if (asked === undefined || asked.value === '') return undefined;
  const isOfProfile = profile !== undefined && asked.from.startsWith(profile.name);
  const isTyped = asked.from === '--config' || (isOfProfile && profile.isTyped);
  const name = String(asked.value);
  // Most commands have no configuration, and its schema takes as long to load as all others.
  const { openConfigSchema } = await import('../../contract/config/config.ts');
  try {
    const { value, mistakes: repeated } = readConfigFile(name);
    mistakes.push(...repeated.map(({ text, key }) => ({ text: `${name}, ${text}`, key })));
    const { values, mistakes: found } = checkSource(openConfigSchema, value, name);
    mistakes.push(...found);
    return (
      values && {
        kind: 'config',
        name,
        isNamed: true,
        isTyped,
        values: withSecretPaths(values, name),
      }
    );
  } catch (error) {
    mistakes.push({ text: `${asked.from}: ${errorMessageOf(error)}`, key: null });
    return undefined;
  }
}

/** The files of secrets are seen from the folder of the configuration. No other object in it has only a `file`. */
function withSecretPaths<T>(value: T, config: string): T;
function withSecretPaths(value: unknown, config: string): unknown {
  if (Array.isArray(value)) return value.map((one) => withSecretPaths(one, config));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value);
  const [[field, path] = []] = fields;
  if (fields.length === 1 && field === 'file' && typeof path === 'string') {
    return { file: pathSeenFrom(config, path) };
  }
  return Object.fromEntries(fields.map(([key, one]) => [key, withSecretPaths(one, config)]));
}
