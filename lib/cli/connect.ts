import { readEnvironment, TOKEN_VARIABLE } from '../adapters/environment.ts';
import { createEndpointClient } from '../adapters/http/endpoint-client.ts';
import { createEnvironmentSecret } from '../adapters/secrets/environment-secret.ts';
import { systemClock } from '../adapters/system-clock.ts';

/** The endpoint service, as the command line and the environment say how to reach it. */
export function connect(baseUrl: string, debug: boolean) {
  return createEndpointClient({
    baseUrl,
    clock: systemClock,
    ...(readEnvironment().hasToken && {
      auth: { kind: 'bearer', secret: createEnvironmentSecret(TOKEN_VARIABLE) },
    }),
    ...(debug && {
      onExchange: ({ method, origin, path, status, error, milliseconds }) => {
        const took = `${Math.round(milliseconds)} ms`;
        process.stderr.write(`${method} ${origin}${path} ${status ?? error} ${took}\n`);
      },
    }),
  });
}
