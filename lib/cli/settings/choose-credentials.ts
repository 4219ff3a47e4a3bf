import { TOKEN_VARIABLE } from '../../adapters/environment.ts';
import type { AuthSettings } from '../../contract/auth.ts';
import type { OpenConfig } from '../../contract/config.ts';
import type { Profile } from '../../contract/profile.ts';
import type { Source } from './settings.ts';

/** How the service is told who calls. */
export interface Credentials {
  readonly settings: AuthSettings;
  /** What the place they come from is called. */
  readonly from: string;
}

/**
 * A token in the environment wins, then the profile's, then what the configuration says. Nothing is
 * read yet.
 */
export function chooseCredentials(
  hasToken: boolean,
  profile: Source<Profile> | undefined,
  config: Source<OpenConfig> | undefined,
): Credentials {
  if (hasToken) {
    const secret = { environment: TOKEN_VARIABLE };
    return { settings: { kind: 'bearer', secret }, from: TOKEN_VARIABLE };
  }
  const file = profile?.values.token_file;
  if (profile !== undefined && file !== undefined) {
    return { settings: { kind: 'bearer', secret: { file } }, from: `${profile.name}, token_file` };
  }
  const settings = config?.values.auth;
  return config !== undefined && settings !== undefined
    ? { settings, from: `${config.name}, auth` }
    : { settings: { kind: 'none' }, from: 'default' };
}
