import * as z from 'zod';
import type { Stored } from '../../domain/stored.ts';
import { checkAlways } from '../input/checks.ts';
import { RESOURCE_ID } from '../service/agentcore.ts';
import { endpointUrlSchema, regionSchema } from '../service/endpoint-url.ts';
import { AGENTCORE_RESOURCES, type AgentCoreResource, SERVICES } from '../service/services.ts';
import { wireMappingSchema } from '../service/wire.ts';
import { authSchema } from './auth.ts';

export const agentCoreSchema = z.strictObject({
  kind: z.literal('agentcore').describe('Amazon Bedrock AgentCore.'),
  of: z
    .enum(AGENTCORE_RESOURCES)
    .default('runtime')
    .describe(
      'What has the endpoints: an AgentCore runtime, or an AgentCore harness. With harness the ids in runtimes are those of harnesses. Default: runtime.',
    ),
  region: regionSchema.describe('The AWS region of the runtimes or harnesses.'),
});
/** Amazon Bedrock AgentCore, as it is written. The AWS SDK knows its URL and signs the requests. */
export type AgentCoreService = Readonly<z.input<typeof agentCoreSchema>>;
export type AgentCoreSettings = Stored<typeof agentCoreSchema>;

export const serviceSettingsSchema = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('rest'),
    // Whoever tells it has checked it, with the hosts that may be asked over plain http.
    endpointUrl: endpointUrlSchema({ allowPlainHttp: true }),
    auth: authSchema,
    wire: wireMappingSchema,
  }),
  agentCoreSchema,
]);
/** Which endpoint service is called, and how. Of credentials it says only where they are kept. */
export type ServiceSettings = Stored<typeof serviceSettingsSchema>;

const OF_REST = ['endpointUrl', 'region', 'auth', 'wire'];

/** Checks that there is one service, and that AgentCore could have the runtimes, whose ids stand in ARNs. */
export const checkService = checkAlways<object>((config, report) => {
  const given = config as Readonly<Record<string, unknown>>;
  if (given.service === undefined) return;
  const ids = typeof given.runtimes === 'object' ? Object.keys(given.runtimes ?? {}) : [];
  for (const id of ids) {
    const fault = faultOfResourceId(id, given.service);
    if (fault !== null) report(['runtimes', id], id, fault);
  }
  for (const field of OF_REST) {
    if (given[field] === undefined) continue;
    const instead = field === 'region' ? '; its region is service.region' : '';
    report([field], given[field], `leave it out, ${WHOSE}${instead}`);
  }
});

/** Why the service could have no such runtime or harness. `null`: it could. @param service As it was written. */
export function faultOfResourceId(id: string, service: unknown): string | null {
  const of: AgentCoreResource = Object(service).of === 'harness' ? 'harness' : 'runtime';
  return RESOURCE_ID[of].safeParse(id).error?.issues[0]?.message ?? null;
}

const WHOSE = `service is ${SERVICES.agentcore.name}, which the AWS SDK finds and signs in to`;
