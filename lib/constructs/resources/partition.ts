import { Aws, Stack, Token } from 'aws-cdk-lib';
import { RegionInfo } from 'aws-cdk-lib/region-info';
import type { Construct } from 'constructs';
import type { ServiceSettings } from '../../contract/config/service.ts';
import { invalidInput } from '../../contract/input/parse-input.ts';
import { SERVICES } from '../../contract/service/services.ts';

/**
 * What `kms:ViaService` may say of a service. AWS writes names of services in China with both endings, and which of
 * them a key sees there was not tried. Elsewhere both are the same.
 */
export function viaService(service: string, region: string): string | string[] {
  const name = `${service}.${region}.amazonaws.com`;
  const mayBeChina = Token.isUnresolved(region) || region.startsWith('cn-');
  return mayBeChina ? [name, `${service}.${region}.${Aws.URL_SUFFIX}`] : name;
}

/**
 * AgentCore is in the regions of the partition `aws` alone, and nobody can call it from another one.
 *
 * @throws `InvalidInput` as far as the regions are known.
 */
export function refuseAgentCoreElsewhere(scope: Construct, service: ServiceSettings): void {
  if (service.kind !== 'agentcore') return;
  const places = [
    ['service.region', service.region],
    ['the region of the stack', Stack.of(scope).region],
  ] as const;
  const mistakes = places.flatMap(([what, region]) => {
    const { partition = 'aws' } = Token.isUnresolved(region) ? {} : RegionInfo.get(region);
    if (partition === 'aws') return [];
    return [
      `${what}: "${region}" is in the partition ${partition}, where there is no ${SERVICES.agentcore.name}`,
    ];
  });
  if (mistakes.length > 0) throw invalidInput('configuration', mistakes);
}
