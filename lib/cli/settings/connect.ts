import { openAuth } from '../../adapters/auth/open-auth.ts';
import type { Auth } from '../../adapters/http/authorization.ts';
import { createEndpointClient } from '../../adapters/http/endpoint-client.ts';
import { systemClock } from '../../adapters/system-clock.ts';
import { checkBearerToken } from '../../contract/bearer-token.ts';
import { describeExchange } from '../view/describe-debug.ts';
import type { Credentials } from './choose-credentials.ts';
import type { Prepared } from './prepare.ts';

export type Connecting<T = object> = Prepared<
  T & { readonly '--endpoint-url': string; readonly '--debug': boolean }
>;

/** The endpoint service, as the options say how to reach it. */
export function connect({ options, config, credentials }: Connecting) {
  const log = (lines: readonly string[]) => void process.stderr.write(`${lines.join('\n')}\n`);
  return createEndpointClient({
    baseUrl: options['--endpoint-url'],
    clock: systemClock,
    wire: config.wire,
    auth: authOf(credentials),
    ...(options['--debug'] && { onExchange: (exchange) => log(describeExchange(exchange)) }),
  });
}

/** A token that cannot be sent is refused under the name of the place it came from. */
function authOf({ settings, from }: Credentials): Auth {
  const auth = openAuth(settings);
  if (auth.kind !== 'bearer') return auth;
  const { secret } = auth;
  return {
    kind: 'bearer',
    secret: {
      read: async (options) => checkBearerToken(await secret.read(options), from),
    },
  };
}
