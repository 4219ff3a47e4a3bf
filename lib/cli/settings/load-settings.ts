import type { Environment } from '../../adapters/environment.ts';
import { readJsonFile } from '../../adapters/json-file.ts';
import { pathInProfile, readProfileFile } from '../../adapters/profile-file.ts';
import { type OpenConfig, openConfigSchema } from '../../contract/config.ts';
import { type Profile, profileSchema } from '../../contract/profile.ts';
import { DEFAULT_WIRE } from '../../contract/wire.ts';
import { errorMessageOf } from '../../domain/errors.ts';
import type { Given } from '../invocation.ts';
import { suggest } from '../suggest.ts';
import { checkSource, type FileMistake } from './check-source.ts';
import { type Credentials, chooseCredentials } from './choose-credentials.ts';
import { guardAuth } from './guard-auth.ts';
import { guardToken } from './guard-token.ts';
import { mergeSettings, type Settings, type Source } from './settings.ts';

const CONFIG_FILE = 'steproll.config.json';
const NO_CONFIG: OpenConfig = { policy: {}, runtimes: {}, wire: DEFAULT_WIRE };

export interface Loaded {
  readonly settings: Settings;
  readonly credentials: Credentials;
  readonly config: OpenConfig;
  /** Of the files. */
  readonly mistakes: readonly FileMistake[];
  /** Why the credentials may not be sent to the service. */
  readonly tokenMistakes: readonly FileMistake[];
}

/** Reads the profile and the configuration that are asked for, and merges what everybody says. */
export function loadSettings(given: Given, environment: Environment): Loaded {
  const mistakes: FileMistake[] = [];
  const typed = { given, environment: environment.settings };
  const profile = loadProfile(mergeSettings(typed), environment.profilesFile, mistakes);
  const named = mergeSettings({ ...typed, profile });
  const config = loadConfig(named, mistakes);
  const own = chooseCredentials(environment.hasToken, profile, undefined);
  const settings = mergeSettings({ ...typed, profile, config });
  const credentials = chooseCredentials(environment.hasToken, profile, config);
  return {
    settings,
    credentials,
    config: config?.values ?? NO_CONFIG,
    mistakes,
    tokenMistakes: [...guardToken(own, named, config), ...guardAuth(credentials, settings, config)],
  };
}

function loadProfile(
  settings: Settings,
  file: string,
  mistakes: FileMistake[],
): Source<Profile> | undefined {
  const asked = settings.get('--profile');
  const profileName = String(asked?.value ?? 'default');
  try {
    const sections = readProfileFile(file);
    const section = sections.get(profileName);
    if (section !== undefined) {
      const name = `profile ${JSON.stringify(profileName)} in ${file}`;
      const { values, mistakes: found } = checkSource(profileSchema, section, name);
      mistakes.push(...found);
      return values && { name, values: withPaths(values, file) };
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
    ...(config !== undefined && { config: pathInProfile(file, config) }),
    ...(token_file !== undefined && { token_file: pathInProfile(file, token_file) }),
  };
}

/** The default file may be missing. One that somebody named must be there. */
function loadConfig(settings: Settings, mistakes: FileMistake[]): Source<OpenConfig> | undefined {
  const asked = settings.get('--config');
  const name = String(asked?.value ?? CONFIG_FILE);
  try {
    const { values, mistakes: found } = checkSource(openConfigSchema, readJsonFile(name), name);
    mistakes.push(...found);
    return values && { name, values };
  } catch (error) {
    if (asked !== undefined || !isNotThere(error)) {
      const place = asked === undefined ? '' : `${asked.from}: `;
      mistakes.push({ text: `${place}${errorMessageOf(error)}`, key: null });
    }
    return undefined;
  }
}

function isNotThere(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
}
