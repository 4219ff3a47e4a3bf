import { homedir } from 'node:os';
import { join } from 'node:path';

/** What the command line takes from the environment. */
export interface Environment {
  /** STEPROLL_ENDPOINT_URL */
  readonly endpointUrl: string | undefined;
  /** Whether STEPROLL_TOKEN is set. The token itself is read where it is sent from. */
  readonly hasToken: boolean;
  /** STEPROLL_STATE_DIR. @default - `steproll` in XDG_STATE_HOME, else in ~/.local/state */
  readonly stateDirectory: string;
}

export const TOKEN_VARIABLE = 'STEPROLL_TOKEN';

export function readEnvironment(variables: NodeJS.ProcessEnv = process.env): Environment {
  const stateHome = variables.XDG_STATE_HOME || join(homedir(), '.local', 'state');
  return {
    endpointUrl: variables.STEPROLL_ENDPOINT_URL || undefined,
    hasToken: Boolean(variables[TOKEN_VARIABLE]),
    stateDirectory: variables.STEPROLL_STATE_DIR || join(stateHome, 'steproll'),
  };
}
