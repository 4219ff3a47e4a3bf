import {
  BedrockAgentCoreControlClient,
  ListAgentRuntimeEndpointsCommand,
} from '@aws-sdk/client-bedrock-agentcore-control';
import { parseEndpointUrl } from '../../../contract/service/endpoint-url.ts';

/**
 * The base URL of AgentCore's control plane in a region, as the SDK resolves it from its own settings:
 * AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL, AWS_ENDPOINT_URL, the files of AWS_PROFILE, and those for FIPS and IPv6.
 * Nothing is sent, and no credentials are looked for.
 *
 * @param endpoint A URL to take instead. @default - the settings of the SDK
 *
 * @throws `InvalidInput` for a URL that `parseEndpointUrl` refuses; what the SDK throws for settings that contradict
 *   each other.
 */
export async function agentCoreUrl(region: string, endpoint?: string): Promise<string> {
  const client = new BedrockAgentCoreControlClient({
    region,
    ...(endpoint !== undefined && { endpoint }),
    credentials: { accessKeyId: 'none', secretAccessKey: 'none' },
  });
  const command = new ListAgentRuntimeEndpointsCommand({ agentRuntimeId: 'any' });
  let url = '';
  command.middlewareStack.add(
    (_next, context) => async () => {
      url = String(context.endpointV2?.url);
      // The URL is resolved. What follows would sign and send a request.
      return { response: undefined, output: { runtimeEndpoints: [], $metadata: {} } };
    },
    { step: 'build', name: 'takeUrl' },
  );
  await client.send(command);
  return parseEndpointUrl(url, { allowPlainHttp: true });
}
