import type { OpenConfig } from '../../contract/config.ts';
import { fillRegion } from '../../contract/region.ts';
import type { FileMistake } from './check-source.ts';
import type { Credentials } from './choose-credentials.ts';
import type { Settings, Source } from './settings.ts';

/**
 * The credentials of a configuration are for the service that it names. Where an option, a variable or a
 * profile names another one, that one does not get them.
 *
 * @param settings All of them, merged.
 */
export function guardAuth(
  credentials: Credentials,
  settings: Settings,
  config: Source<OpenConfig> | undefined,
): FileMistake[] {
  const url = settings.get('--endpoint-url');
  const own = config?.values.endpointUrl;
  const isConfigs = credentials.settings === config?.values.auth;
  if (!isConfigs || credentials.settings.kind === 'none' || !own || !url) return [];
  const region = settings.get('--region')?.value;
  const [from, to] = [own, String(url.value)].map((text) => originOf(fillRegion(text, region)));
  if (from === to) return [];
  const text = `${credentials.from}: it is for ${from}, and is not sent to ${to} (${url.from}); give that service's own with STEPROLL_TOKEN or a profile's token_file, or name a configuration of it with --config`;
  return [{ text, key: null }];
}

/** A URL that is none is a mistake of its own. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'a URL that cannot be read';
}
