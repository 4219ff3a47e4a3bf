import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { ErrorName, SteprollError } from '../../domain/errors.ts';

/** The home that systems give users who have none. */
const NO_HOME = '/nonexistent';

/** A path in the home folder; `null`: there is none, as in a container whose number belongs to no user. */
export function inHome(...path: readonly string[]): string | null {
  try {
    const home = homedir();
    // HOME may be empty, and the path would be one in the current folder.
    return home === '' || home === NO_HOME ? null : join(home, ...path);
  } catch {
    return null;
  }
}

/** The AWS SDK looks for its files in the home folder, and fails when it cannot know where that is. */
export function nameMissingHome(): void {
  if (inHome() === null) process.env.HOME = NO_HOME;
}

/** What the command line reads from the environment. An empty variable counts as not set. */
export interface Environment {
  /** The variables that set options, by their names. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether STEPROLL_TOKEN is set. The token itself is read only where it is sent. */
  readonly hasToken: boolean;
  /** AWS_REGION. @default - it is not set */
  readonly awsRegion?: string;
  /** AWS_PROFILE. @default - it is not set */
  readonly awsProfile?: string;
  /**
   * STEPROLL_STATE_DIR. To read it throws `InvalidInput` when nothing says where the folder is.
   *
   * @default - `steproll` in XDG_STATE_HOME, else in ~/.local/state
   */
  readonly stateDirectory: string;
  /**
   * STEPROLL_PROFILES_FILE. `null`: there is no home folder, and so no such file.
   *
   * @default - `steproll/profiles` in XDG_CONFIG_HOME, else in ~/.config
   */
  readonly profilesFile: string | null;
  /** TERM says that the terminal cannot move its cursor. */
  readonly isDumbTerminal: boolean;
}

export const TOKEN_VARIABLE = 'STEPROLL_TOKEN';

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const configHome = variables.XDG_CONFIG_HOME || inHome('.config');
  return {
    settings: settingsIn(variables),
    hasToken: Boolean(variables[TOKEN_VARIABLE]),
    ...(variables.AWS_REGION && { awsRegion: variables.AWS_REGION }),
    ...(variables.AWS_PROFILE && { awsProfile: variables.AWS_PROFILE }),
    get stateDirectory() {
      return variables.STEPROLL_STATE_DIR || stateFolder(variables.XDG_STATE_HOME);
    },
    profilesFile:
      variables.STEPROLL_PROFILES_FILE || (configHome && join(configHome, 'steproll', 'profiles')),
    isDumbTerminal: variables.TERM === 'dumb',
  };
}

function stateFolder(stateHome = ''): string {
  const folder = stateHome || inHome('.local', 'state');
  if (folder !== null) return join(folder, 'steproll');
  throw new SteprollError(
    ErrorName.InvalidInput,
    'There is no home folder for the history and the locks of rollouts: name a folder for them with STEPROLL_STATE_DIR.',
  );
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
