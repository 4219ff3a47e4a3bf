import { resolve } from 'node:path';
import { TOKEN_VARIABLE } from '../../adapters/machine/environment.ts';
import type { AuthSettings } from '../../contract/config/auth.ts';
import { fillRegion } from '../../contract/service/endpoint-url.ts';
import { type Settings, type SettingsFile, serviceKindOf } from './settings.ts';

/** How the caller authenticates to the service. */
export interface Credentials {
  /** `aws`: the AWS SDK finds credentials of AWS and signs with them. */
  readonly settings: AuthSettings | { readonly kind: 'aws' };
  /** Name of the place that the credentials come from. */
  readonly from: string;
  /** Why stored credentials are not sent. @default - there are none */
  readonly leftOut?: string;
}

interface ChosenCredentials {
  readonly credentials: Credentials;
  /** Why they may not be sent to the service. */
  readonly mistake: string | null;
}

const NONE: Credentials = { settings: { kind: 'none' }, from: 'default' };

/**
 * Chooses the credentials. A token in the environment wins, then the files in their order. No secret is read yet.
 *
 * The credentials of a file are for the service that the file names. If another place names another service, that
 * service does not get them. Then the credentials of a file that somebody named are a mistake, and those of the
 * profile `default` that nobody named are left out.
 *
 * @param settings All settings, merged: they say which service is called.
 */
export function chooseCredentials(
  hasToken: boolean,
  files: readonly SettingsFile[],
  settings: Settings,
): ChosenCredentials {
  if (serviceKindOf(settings) === 'agentcore') return credentialsOfAws(hasToken, files);
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
    const isSent = credentials.settings.kind !== 'none';
    const foreign = isSent ? faultOfService(credentials.from, file, files, settings) : null;
    if (foreign === null) return { credentials, mistake: null };
    if (file.isNamed) return { credentials, mistake: `${foreign}; ${ADVICE}` };
    leftOut = foreign;
  }
  return { credentials: { ...NONE, ...(leftOut !== undefined && { leftOut }) }, mistake: null };
}

/** Why the client certificate of a configuration may not be shown to the service. `null`: it may, or there is none. */
export function mistakeOfCertificate(
  files: readonly SettingsFile[],
  settings: Settings,
): string | null {
  if (serviceKindOf(settings) === 'agentcore') return null;
  for (const file of files) {
    if (file.kind !== 'config' || file.values.tls?.cert === undefined) continue;
    const foreign = faultOfService(`${file.name}, tls.cert`, file, files, settings);
    if (foreign !== null) return `${foreign}; ${ADVICE_ON_CERTIFICATES}`;
  }
  return null;
}

const ADVICE_ON_CERTIFICATES = 'name a configuration of that service with --config';

function credentialsOfAws(hasToken: boolean, files: readonly SettingsFile[]): ChosenCredentials {
  const token = hasToken
    ? TOKEN_VARIABLE
    : files.flatMap((file) => credentialsIn(file)?.from ?? [])[0];
  const leftOut = `${token}: it is not sent, because the AWS SDK signs with credentials of AWS`;
  return {
    credentials: {
      settings: { kind: 'aws' },
      from: 'the AWS SDK',
      ...(token !== undefined && { leftOut }),
    },
    mistake: null,
  };
}

const ADVICE =
  "give that service's own with STEPROLL_TOKEN, or name a profile or a configuration of it with --profile or --config";

function credentialsIn({
  kind,
  name,
  values,
}: SettingsFile): { readonly settings: AuthSettings; readonly from: string } | undefined {
  if (kind === 'config') return values.auth && { settings: values.auth, from: `${name}, auth` };
  const { token_file: file } = values;
  return file === undefined
    ? undefined
    : { settings: { kind: 'bearer', secret: { file } }, from: `${name}, token_file` };
}

/** `null` when the called service is the one that the file names, or when the file names none. */
function faultOfService(
  from: string,
  file: SettingsFile,
  files: readonly SettingsFile[],
  settings: Settings,
): string | null {
  const region = settings.get('--region')?.value;
  const meant = serviceOf(file, files, region);
  const url = settings.get('--endpoint-url');
  if (meant === undefined || url === undefined) return null;
  const to = originOf(String(url.value), region);
  return meant === to
    ? null
    : `${from}: it is for ${meant}, and is not sent to ${to} (${url.from})`;
}

/** The service that a file names. Of a configuration that is not in use, only the name is known. */
function serviceOf(
  file: SettingsFile,
  files: readonly SettingsFile[],
  region: unknown,
): string | undefined {
  const url = file.kind === 'config' ? file.values.endpointUrl : file.values.endpoint_url;
  if (url !== undefined) return originOf(url, region);
  const config = file.kind === 'config' ? undefined : file.values.config;
  if (config === undefined) return undefined;
  const used = files.find(({ kind, name }) => kind === 'config' && resolve(name) === config);
  return used === undefined ? `the service of ${config}` : serviceOf(used, files, region);
}

/** An invalid URL is reported as a mistake of its own. */
function originOf(url: string, region: unknown): string {
  return URL.parse(fillRegion(url, region))?.origin ?? 'a URL that cannot be read';
}
