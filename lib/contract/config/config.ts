import * as z from 'zod';
import { type Mistake, parseInput } from '../input/parse-input.ts';
import {
  allowHttpSchema,
  endpointUrlSchema,
  fillRegion,
  regionSchema,
} from '../service/endpoint-url.ts';
import { DEFAULT_WIRE, type WireMapping, wireMappingSchema } from '../service/wire.ts';
import { approversSchema, refuseApprovers } from './approvers.ts';
import { authSchema, kmsKeySchema } from './auth.ts';
import { checkGroups, groupsSchema } from './groups.ts';
import { checkTokenUrl, networkShape } from './network.ts';
import { notificationsSchema } from './notifications.ts';
import { checkPolicies, checkPolicyNames, type Policies, policiesShape } from './policies.ts';
import { asNameOfFile, checkRetired, retiredSchema } from './retired.ts';
import { agentCoreSchema, checkService, type ServiceSettings } from './service.ts';
import { checkReleaseIds, checkTriggers, triggersSchema } from './triggers.ts';
import { checkWebhooks, refuseWebhooks } from './webhooks.ts';
import { checkAttributes } from './where.ts';

/**
 * @param known Mistakes that were found before. @default - none
 * @throws `InvalidInput` that lists every mistake.
 */
export function parseConfig(json: unknown, known: readonly Mistake[] = []): Config {
  const checked = parseInput(configSchema(json), withRegion(json), 'configuration', known);
  const { $schema, region, ...given } = checked;
  const {
    endpointUrl = '',
    auth = { kind: 'none' },
    wire = DEFAULT_WIRE,
    service = { kind: 'rest', endpointUrl, auth, wire },
    ...config
  } = given;
  return { service, ...config };
}

const nameSchema = z
  .string()
  .regex(
    /^(?!default$)[0-9a-zA-Z][\w-]{0,31}$/,
    'use 1 to 32 letters, digits, hyphens and underscores, and not "default"',
  );

const fields = {
  $schema: z.string().optional().describe('Where editors find the schema of this file.'),
  name: nameSchema
    .optional()
    .describe(
      'Name of the event bus on AWS, and the first part of the names of stack, dashboard and rules. Each deployment in an account and region needs its own. Default: steproll.',
    ),
  region: regionSchema.optional().describe('Replaces {region} in the endpoint URL. Default: none.'),
  auth: authSchema
    .optional()
    .describe('How the caller authenticates to the service. Default: not at all.'),
  wire: wireMappingSchema.optional().describe("The service's JSON names."),
  service: agentCoreSchema
    .optional()
    .describe(
      'Instead of endpointUrl, region, auth and wire: a service that needs none of them. Default: the service at endpointUrl.',
    ),
  ...networkShape,
  ...policiesShape,
  groups: groupsSchema.optional(),
  approvers: approversSchema.optional(),
  retired: retiredSchema
    .optional()
    .describe(
      'On AWS: files with earlier configurations, as they were, the newest first. Rollouts under way keep the permissions and policies that only those give; nothing starts with them by itself. Default: none.',
    ),
  triggers: triggersSchema
    .optional()
    .describe("What starts rollouts by itself. Default: steproll's own release events."),
  notifications: notificationsSchema
    .optional()
    .describe('Who gets messages about rollouts, and on AWS about alarms. Default: nobody.'),
  historyDays: z
    .int()
    .min(2)
    .max(3_650)
    .optional()
    .describe(
      'For how many days rollouts that have ended stay in the ledger. On one machine, steproll listen removes older ones; on AWS, the table itself. Default: for ever.',
    ),
  kmsKey: kmsKeySchema
    .optional()
    .describe(
      "Encrypts ledger, queues and logs on AWS: create for a key of the stack's own, or the ARN of a key of yours. Default: keys that AWS manages.",
    ),
};

const CHECKS = [
  ...[checkPolicies, checkPolicyNames, checkGroups, checkTriggers, checkService, checkTokenUrl],
  ...[checkRetired, checkReleaseIds, checkAttributes],
] as const;

/** @param json Says which hosts may be called over plain http. */
function configSchema(json: unknown) {
  const allowHttp = allowHttpSchema.safeParse(Object(json).allowHttp).data;
  return z
    .strictObject({ ...fields, endpointUrl: endpointUrlSchema({ allowHttp }).optional() })
    .check(...CHECKS, refuseWebhooks, refuseApprovers, needsService);
}

function needsService({ value, issues }: z.core.ParsePayload<object>): void {
  if ('endpointUrl' in value || 'service' in value) return;
  const message = 'use the base URL of the service';
  issues.push({ code: 'custom', message, input: undefined, path: ['endpointUrl'] });
}

type Fields = z.output<ReturnType<typeof configSchema>>;

/** `steproll.config.json`, checked. What each field means is said in `fields`. */
export interface Config
  extends Omit<Fields, '$schema' | 'service' | 'endpointUrl' | 'region' | 'auth' | 'wire'> {
  readonly service: ServiceSettings;
}

/** Checks everything except the endpoint URL, which other sources may override. */
export const openConfigSchema = z
  .strictObject({
    endpointUrl: z
      .string()
      .optional()
      .describe(
        'Base URL of the service, with its path prefix: https, or http to this machine or to a host in allowHttp. Default: none; required on AWS.',
      ),
    ...fields,
  })
  .check(...CHECKS, checkWebhooks);
/** The same file for the command line, where other sources may add or override settings. */
export interface OpenConfig
  extends Omit<z.output<typeof openConfigSchema>, keyof Policies | 'wire'>,
    Policies {
  readonly wire?: WireMapping | undefined;
}

function withRegion(json: unknown): unknown {
  const isUrlInObject = typeof json === 'object' && json !== null && 'endpointUrl' in json;
  if (!isUrlInObject || typeof json.endpointUrl !== 'string') return json;
  const region = 'region' in json ? json.region : undefined;
  return { ...json, endpointUrl: fillRegion(json.endpointUrl, region) };
}

/** `steproll.config.json` as a JSON Schema (draft 2020-12), for editors. */
export function configJsonSchema(): object {
  const { $schema, ...rest } = z.toJSONSchema(openConfigSchema, {
    io: 'input',
    override: asNameOfFile,
  });
  return { $schema, title: 'Configuration of steproll', ...rest };
}
