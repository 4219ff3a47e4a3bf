import type { ExchangeRecord } from '../../adapters/http/connection.ts';
import { plainText } from '../../telling/text.ts';
import { GLOBAL_OPTIONS } from '../options/global-options.ts';
import type { Credentials } from './credentials.ts';
import { placeOf, type Settings } from './settings.ts';

interface ShownSettings {
  readonly options: object;
  readonly settings: Settings;
  readonly credentials: Credentials;
}

/** Where each setting came from. The kind of the credentials is shown only when the service is called. */
export function describeSettings({ options, settings, credentials }: ShownSettings): string[] {
  const endpointUrl = '--endpoint-url' in options ? String(options['--endpoint-url']) : null;
  const lines = GLOBAL_OPTIONS.flatMap(({ option }) => {
    const setting = settings.get(option);
    if (setting === undefined) return [];
    const value = option === '--endpoint-url' ? endpointUrl : String(setting.value);
    return [`${option.slice(2)} ${value}, from ${placeOf(option, settings)}`];
  });
  if (endpointUrl === null) return lines.map(plainText);
  const { settings: auth, from, leftOut } = credentials;
  const source = auth.kind === 'none' ? '' : `, from ${from}`;
  const more = leftOut === undefined ? [] : [leftOut];
  return [...lines, `credentials ${auth.kind}${source}`, ...more].map(plainText);
}

/** One request and its answer. The client has masked the secrets in it. */
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
