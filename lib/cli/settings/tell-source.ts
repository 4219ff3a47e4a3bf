import { ErrorName } from '../../domain/errors.ts';
import { plainText } from '../view/plain-text.ts';
import type { Connecting } from './connect.ts';
import { placeOf } from './settings.ts';

/**
 * Where the URL or the credentials of a failed call were taken from, in a line; nothing for an error that
 * they do not explain.
 */
export function tellSource(name: string, prepared: Connecting): string[] {
  const { options, settings, credentials } = prepared;
  if (OF_ADDRESS.has(name)) {
    const url = options['--endpoint-url'];
    const place = placeOf('--endpoint-url', settings);
    return [plainText(`The endpoint URL is ${url}, from ${place}.`)];
  }
  if (!OF_CREDENTIALS.has(name)) return [];
  const { settings: auth, from, leftOut } = credentials;
  if (auth.kind !== 'none') return [plainText(`The credentials are from ${from}.`)];
  return [NO_CREDENTIALS, ...(leftOut === undefined ? [] : [plainText(`${leftOut}.`)])];
}

/** What the wrong service, or none, is known by. */
const OF_ADDRESS: ReadonlySet<string> = new Set([
  ErrorName.UpstreamNotFound,
  ErrorName.UpstreamProtocol,
  ErrorName.UpstreamRedirect,
  ErrorName.UpstreamTimeout,
  ErrorName.UpstreamTls,
  ErrorName.UpstreamTransient,
]);

const OF_CREDENTIALS: ReadonlySet<string> = new Set([
  ErrorName.SecretUnavailable,
  ErrorName.UpstreamAuth,
]);

const NO_CREDENTIALS =
  'No credentials were sent: set STEPROLL_TOKEN, token_file in a profile, or auth in the configuration.';
