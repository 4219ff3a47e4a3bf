import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';

/** What the command line reads from the environment. An empty variable counts as not set. */
export interface Environment {
  /** The variables that set options, by their names. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether STEPROLL_TOKEN is set. The token itself is read only where it is sent. */
  readonly hasToken: boolean;
  /** AWS_REGION. @default - it is not set */
  readonly awsRegion?: string;
  /** STEPROLL_STATE_DIR. @default - `steproll` in XDG_STATE_HOME, else in ~/.local/state */
  readonly stateDirectory: string;
  /** STEPROLL_PROFILES_FILE. @default - `steproll/profiles` in XDG_CONFIG_HOME, else in ~/.config */
  readonly profilesFile: string;
  /** TERM says that the terminal cannot move its cursor. */
  readonly isDumbTerminal: boolean;
}

export const TOKEN_VARIABLE = 'STEPROLL_TOKEN';

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const stateHome = variables.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  const configHome = variables.XDG_CONFIG_HOME || join(homedir(), '.config');
  return {
    settings: settingsIn(variables),
    hasToken: Boolean(variables[TOKEN_VARIABLE]),
    ...(variables.AWS_REGION && { awsRegion: variables.AWS_REGION }),
    stateDirectory: variables.STEPROLL_STATE_DIR || join(stateHome, 'steproll'),
    profilesFile: variables.STEPROLL_PROFILES_FILE || join(configHome, 'steproll', 'profiles'),
    isDumbTerminal: variables.TERM === 'dumb',
  };
}

/** The token is never in here, because these values may be shown. */
function settingsIn(variables: NodeJS.ProcessEnv): Record<string, string> {
  const settings: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) {
    if (name.startsWith('STEPROLL_') && name !== TOKEN_VARIABLE && value) settings[name] = value;
  }
  return settings;
}

/** The name that the operating system has for the person at this machine; `''` when it has none. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container a process may run under a number that belongs to no user.
    return '';
  }
}
