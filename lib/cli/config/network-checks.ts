import { hasProxy, routeTo } from '../../adapters/http/proxy.ts';
import type { OpenConfig } from '../../contract/config/config.ts';
import { policyOfRuntime } from '../../contract/config/policies.ts';
import { listNames } from '../../domain/endpoint/endpoint.ts';
import { askedGates } from '../../gates/gates.ts';
import { sentenceOf } from './lists.ts';
import type { ConfigCheck } from './tried.ts';

interface Calls {
  readonly config: OpenConfig;
  readonly runtimes: readonly string[];
  readonly endpointUrl: string;
  /** @default - there is no token endpoint */
  readonly tokenUrl: string | undefined;
}

/** How calls leave this machine: through which proxies, and with which certificates. Nothing is said of the usual way. */
export async function networkChecks(calls: Calls): Promise<ConfigCheck[]> {
  return [...(hasProxy() ? proxyChecks(calls) : []), ...(await tlsChecks(calls.config))];
}

function proxyChecks({ config, runtimes, endpointUrl, tokenUrl }: Calls): ConfigCheck[] {
  const ofService = [`The service is called ${wayTo(endpointUrl)}.`];
  const ofTokens =
    tokenUrl === undefined ? [] : [`The token endpoint is called ${wayTo(tokenUrl)}.`];
  const about = { check: 'proxy', result: 'ok' } as const;
  return [
    { ...about, of: null, message: [...ofService, ...ofTokens].join(' ') },
    ...runtimes.flatMap((of) =>
      askedGates(policyOfRuntime(config, of).verify).flatMap(({ name, gate, said }) => {
        const calls = gate.needs?.(said).calls ?? [];
        return calls.length === 0 ? [] : [{ ...about, of, message: describeCalls(name, calls) }];
      }),
    ),
  ];
}

function describeCalls(gate: string, calls: readonly string[]): string {
  const ways = Map.groupBy(new Set(calls), (call) => (URL.canParse(call) ? wayTo(call) : LISTED));
  const told = [...ways].map(([way, some]) => `${listNames(some)} ${way}`);
  return `Of verify.${gate}, ${told.join('; ')}.`;
}

const LISTED =
  'directly, because only a host that verify.probe.hosts names whole goes through a proxy';

/** Through which proxy a call leaves this machine. */
export function wayTo(url: string): string {
  const { proxy, exception } = routeTo(new URL(url).origin);
  if (proxy !== null) return `through ${proxy.origin} (${proxy.variable})`;
  return exception === undefined ? 'directly' : `directly (NO_PROXY: ${exception})`;
}

async function tlsChecks({ tls }: OpenConfig): Promise<ConfigCheck[]> {
  if (tls === undefined) return [];
  const about = { check: 'tls', of: null } as const;
  const { readCertificates } = await import('../../adapters/credentials/tls.ts');
  try {
    const { authorities, own } = await readCertificates(tls);
    const trusted =
      authorities === 0 ? [] : [`Trusted besides the usual authorities: ${authorities}.`];
    const shown =
      own === null ? [] : [`The client certificate is that of ${own.name}, until ${own.until}.`];
    return [
      { ...about, result: 'ok', message: [...trusted, ...shown].join(' ') || 'Nothing is named.' },
    ];
  } catch (error) {
    return [{ ...about, result: 'fault', message: sentenceOf(error) }];
  }
}
