import type { OpenConfig } from '../../contract/config.ts';
import type { FileMistake } from './check-source.ts';
import type { Credentials } from './choose-credentials.ts';
import type { Settings, Source } from './settings.ts';

/**
 * A file that nobody named may lie in a folder that somebody else filled: where it says the URL, it
 * gets no token but its own.
 *
 * @param named What is set without the configuration.
 */
export function guardToken(
  { settings, from }: Credentials,
  named: Settings,
  config: Source<OpenConfig> | undefined,
): FileMistake[] {
  const isFolders = config?.values.endpointUrl !== undefined && !named.has('--config');
  if (!isFolders || named.has('--endpoint-url') || settings.kind === 'none') return [];
  const text = `${config.name}, endpointUrl: ${from} is not sent to a URL of a file that was not named; use --config ${config.name} if you mean it`;
  return [{ text, key: null }];
}
