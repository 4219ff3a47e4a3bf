import type { ExchangeRecord } from '../../adapters/http/connection.ts';
import { GLOBAL_OPTIONS } from '../options/global-options.ts';
import type { Credentials } from '../settings/choose-credentials.ts';
import type { Settings } from '../settings/settings.ts';
import { plainText } from './plain-text.ts';

/** Where each setting came from, a line each. Of credentials only the kind is shown. */
export function describeSettings(
  settings: Settings,
  endpointUrl: string,
  credentials: Credentials,
): string[] {
  const lines = GLOBAL_OPTIONS.flatMap(({ option }) => {
    const setting = settings.get(option);
    if (setting === undefined) return [];
    const value = option === '--endpoint-url' ? endpointUrl : String(setting.value);
    const from = setting.from === option ? 'the command line' : setting.from;
    return [`${option.slice(2)} ${value}, from ${from}`];
  });
  const { settings: auth, from } = credentials;
  const source = auth.kind === 'none' ? '' : `, from ${from}`;
  return [...lines, `credentials ${auth.kind}${source}`].map(plainText);
}

/** One request and its answer. The client has masked what is secret in it. */
export function describeExchange(exchange: ExchangeRecord): string[] {
  const { method, origin, path, status, error, milliseconds } = exchange;
  const { requestHeaders, requestBody, answerExcerpt } = exchange;
  return [
    `${method} ${origin}${path} ${status ?? error} ${Math.round(milliseconds)} ms`,
    ...Object.entries(requestHeaders).map(([name, value]) => `> ${name}: ${value}`),
    ...(requestBody ? [`> ${requestBody}`] : []),
    ...(answerExcerpt ? [`< ${answerExcerpt}`] : []),
  ].map(plainText);
}
