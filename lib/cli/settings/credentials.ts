import { resolve } from 'node:path';
import { TOKEN_VARIABLE } from '../../adapters/machine/environment.ts';
import type { AuthSettings } from '../../contract/config/auth.ts';
import { fillRegion } from '../../contract/service/endpoint-url.ts';
import type { Settings, SettingsFile } from './settings.ts';

/** How the service is told who calls. */
export interface Credentials {
  readonly settings: AuthSettings;
  /** What the place they come from is called. */
  readonly from: string;
  /** Why credentials that somebody keeps are not sent. @default - there are no others */
  readonly leftOut?: string;
}

interface ChosenCredentials {
  readonly credentials: Credentials;
  /** Why they may not be sent to the service. */
  readonly mistake: string | null;
}

const NONE: Credentials = { settings: { kind: 'none' }, from: 'default' };

/**
 * A token in the environment wins, then what the files say in their order. Nothing is read yet.
 *
 * The credentials of a file are for the service that the file names. Where another place names another one,
 * that one does not get them: those of a file that somebody named are a mistake then, those of the profile
 * `default` that nobody named are left out.
 *
 * @param settings All of them, merged: they say which service is called.
 */
export function chooseCredentials(
  hasToken: boolean,
  files: readonly SettingsFile[],
  settings: Settings,
): ChosenCredentials {
  if (hasToken) {
    const secret = { environment: TOKEN_VARIABLE };
    return {
      credentials: { settings: { kind: 'bearer', secret }, from: TOKEN_VARIABLE },
      mistake: null,
    };
  }
  let leftOut: string | undefined;
  for (const file of files) {
    const credentials = credentialsIn(file);
    if (credentials === undefined) continue;
    const foreign = faultOfService(credentials, file, files, settings);
    if (foreign === null) return { credentials, mistake: null };
    if (file.isNamed) return { credentials, mistake: `${foreign}; ${ADVICE}` };
    leftOut = foreign;
  }
  return { credentials: { ...NONE, ...(leftOut !== undefined && { leftOut }) }, mistake: null };
}

const ADVICE =
  "give that service's own with STEPROLL_TOKEN, or name a profile or a configuration of it with --profile or --config";

function credentialsIn({ kind, name, values }: SettingsFile): Credentials | undefined {
  if (kind === 'config') return values.auth && { settings: values.auth, from: `${name}, auth` };
  const { token_file: file } = values;
  return file === undefined
    ? undefined
    : { settings: { kind: 'bearer', secret: { file } }, from: `${name}, token_file` };
}

/** `null` where the service that is called is the file's own, or where the file names none. */
function faultOfService(
  { settings: auth, from }: Credentials,
  file: SettingsFile,
  files: readonly SettingsFile[],
  settings: Settings,
): string | null {
  const url = settings.get('--endpoint-url');
  const own = serviceOf(file, files);
  if (auth.kind === 'none' || own === undefined || url === undefined) return null;
  const region = settings.get('--region')?.value;
  const to = originOf(fillRegion(String(url.value), region));
  const meant =
    own.url === null ? `the service of ${own.config}` : originOf(fillRegion(own.url, region));
  if (meant === to) return null;
  return `${from}: it is for ${meant}, and is not sent to ${to} (${url.from})`;
}

/** A URL; of a profile with a configuration that is not the one in use, only that file's name is known. */
type Service = { readonly url: string } | { readonly url: null; readonly config: string };

function serviceOf(file: SettingsFile, files: readonly SettingsFile[]): Service | undefined {
  if (file.kind === 'config') return urlOf(file.values.endpointUrl);
  const { endpoint_url: url, config } = file.values;
  if (url !== undefined || config === undefined) return urlOf(url);
  const used = files.find(({ kind, name }) => kind === 'config' && resolve(name) === config);
  return used === undefined ? { url: null, config } : serviceOf(used, files);
}

function urlOf(url: string | undefined): Service | undefined {
  return url === undefined ? undefined : { url };
}

/** A URL that is none is a mistake of its own. */
function originOf(url: string): string {
  return URL.parse(url)?.origin ?? 'a URL that cannot be read';
}
