import type { Config } from '../../lib/contract/config/config.ts';
import { writeFunctionEnv } from '../../lib/contract/functions/environment.ts';

/** What all functions of the workflow together are told. */
export function writeStepEnv(
  { service, tls, allowHttp }: Pick<Config, 'service' | 'tls' | 'allowHttp'>,
  names: { readonly tableName: string; readonly eventBusName: string } = {
    tableName: 'none',
    eventBusName: 'none',
  },
): Record<string, string> {
  return writeFunctionEnv({
    service,
    network: { tls, allowHttp },
    stackName: 'Steproll',
    ...names,
  });
}
