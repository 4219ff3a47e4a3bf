import type { Environment } from '../../adapters/machine/environment.ts';
import { parseEndpointUrl } from '../../contract/service/endpoint-url.ts';
import { SteprollError } from '../../domain/errors.ts';
import { placeOf, type Settings, serviceKindOf } from './settings.ts';

/** The AWS SDK knows the URL of AgentCore. A variable or a file that names one means another service. */
export function settingsFor(
  settings: Settings,
  { awsRegion }: Pick<Environment, 'awsRegion'>,
): Settings {
  if (serviceKindOf(settings) !== 'agentcore') return settings;
  const known = new Map(settings);
  known.delete('--endpoint-url');
  if (awsRegion !== undefined && !known.has('--region')) {
    known.set('--region', { value: awsRegion, from: 'AWS_REGION' });
  }
  return known;
}

/** With the URL that the AWS SDK is going to use, so that it is shown and compared like one that somebody named. */
export async function withKnownUrl<
  T extends { readonly options: object; readonly settings: Settings },
>(prepared: T): Promise<T> {
  const { options, settings } = prepared;
  const region = String(settings.get('--region')?.value);
  const value = await urlOfSdk(region);
  const from = `the AWS SDK for ${region} (${placeOf('--region', settings)})`;
  return {
    ...prepared,
    options: { ...options, '--endpoint-url': value },
    settings: new Map(settings).set('--endpoint-url', { value, from }),
  };
}

async function urlOfSdk(region: string): Promise<string> {
  const { agentCoreUrl } = await import('../../adapters/services/agentcore/service-url.ts');
  try {
    // Functions may be in a network of their own, with an emulated AWS. From here a session token could be read on its
    // way.
    return parseEndpointUrl(await agentCoreUrl(region));
  } catch (error) {
    if (!(error instanceof SteprollError)) throw error;
    const fault = `${error.message}. It comes from ${URL_SETTINGS}.`;
    throw new SteprollError(error.name, fault, { cause: error });
  }
}

const URL_SETTINGS =
  'AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL, AWS_ENDPOINT_URL or the profile of AWS_PROFILE';
