import * as z from 'zod';
import type { Endpoint } from '../../domain/endpoint/endpoint.ts';
import type { RuntimeVersion } from '../../domain/planning/version.ts';
import { AGENTCORE_ABILITIES, type AgentCoreResource } from './services.ts';

// The shapes are those of the control plane's API reference. Fields that steproll does not need are not checked.

const { highestVersion } = AGENTCORE_ABILITIES;

/** The id of a resource is its name, a hyphen and ten characters. Names of harnesses are shorter. */
export const RESOURCE_ID: Readonly<Record<AgentCoreResource, z.ZodType<string>>> = {
  runtime: z
    .string()
    .regex(
      /^[a-zA-Z][a-zA-Z0-9_]{0,99}-[a-zA-Z0-9]{10}$/,
      'use the id of a runtime, which is its name, a hyphen and ten characters: agent-a1B2c3D4e5',
    ),
  harness: z
    .string()
    .regex(
      /^[a-zA-Z][a-zA-Z0-9_]{0,39}-[a-zA-Z0-9]{10}$/,
      'use the id of a harness, which is its name of up to 40 characters, a hyphen and ten characters: agent-a1B2c3D4e5',
    ),
};

/** An endpoint's name is also its id here, because the service addresses endpoints by their names. */
export const endpointNameSchema = z
  .string()
  .regex(
    /^[a-zA-Z][a-zA-Z0-9_]{0,47}$/,
    'use the name of an endpoint: up to 48 letters, digits and underscores, the first one a letter',
  );

export const agentVersionSchema = z.int().min(1).max(highestVersion);

export const clientTokenSchema = z
  .string()
  .min(33)
  .max(256)
  .regex(/^[a-zA-Z0-9](-*[a-zA-Z0-9])*$/, 'use letters and digits, and hyphens between them');

/** The service's versions are texts. A text that is no whole number in its notation is not a version. */
const versionText = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/, 'not a version')
  .transform(Number);

const said = versionText.nullish().transform((version) => version ?? null);

const status = z.string().min(1);

const AT_REST = 'READY';

const nextToken = z
  .string()
  .min(1)
  .nullish()
  .transform((token) => token ?? null);

/**
 * An endpoint without what the service does not say of any endpoint. A target is optional in its answers. An endpoint
 * that is ready goes nowhere, so without another target its live version is its target.
 */
function toEndpoint(
  name: string,
  row: Pick<Endpoint, 'liveVersion' | 'targetVersion' | 'status'>,
  statusReason: string | null = null,
): Endpoint {
  const { liveVersion } = row;
  const targetVersion = row.targetVersion ?? (row.status === AT_REST ? liveVersion : null);
  return {
    id: name,
    name,
    version: null,
    targetVersion,
    liveVersion,
    replicas: null,
    url: null,
    status: row.status,
    statusReason,
  };
}

const endpointSchema = z
  .object({ name: endpointNameSchema, liveVersion: said, targetVersion: said, status })
  .transform(({ name, ...row }) => toEndpoint(name, row));

export const endpointPageSchema = z
  .object({ runtimeEndpoints: z.array(endpointSchema), nextToken })
  .transform(({ runtimeEndpoints, nextToken }) => ({ items: runtimeEndpoints, nextToken }));

/** The answer to a roll does not name the endpoint. */
export function rolledEndpointSchema(name: string) {
  return z
    .object({ liveVersion: said, targetVersion: said, status })
    .transform((row) => toEndpoint(name, row));
}

export const createdEndpointSchema = z
  .object({ endpointName: endpointNameSchema, targetVersion: said, status })
  .transform(({ endpointName, ...row }) => toEndpoint(endpointName, { ...row, liveVersion: null }));

const failureReason = z
  .string()
  .nullish()
  .transform((reason) => reason ?? null);

export const failureReasonSchema = z
  .object({ failureReason })
  .transform((answer) => answer.failureReason);

/** Every answer about an endpoint of a harness has all of it, with the reason of a failure. */
const harnessEndpointRow = z
  .object({
    endpointName: endpointNameSchema,
    liveVersion: said,
    targetVersion: said,
    status,
    failureReason,
  })
  .transform(({ endpointName, failureReason, ...row }) =>
    toEndpoint(endpointName, row, failureReason),
  );

export const harnessEndpointPageSchema = z
  .object({ endpoints: z.array(harnessEndpointRow), nextToken })
  .transform(({ endpoints, nextToken }) => ({ items: endpoints, nextToken }));

export const harnessEndpointSchema = z
  .object({ endpoint: harnessEndpointRow })
  .transform(({ endpoint }) => endpoint);

/** What the status of a version says of it. A version that is deleted can never be rolled again. */
const STATE_OF_VERSION: ReadonlyMap<string, RuntimeVersion['state']> = new Map([
  ['CREATING', 'making'],
  ['UPDATING', 'making'],
  ['READY', 'ready'],
  ['CREATE_FAILED', 'failed'],
  ['UPDATE_FAILED', 'failed'],
  ['DELETING', 'failed'],
]);

function toVersion(version: number, word: string): RuntimeVersion {
  return { version, state: STATE_OF_VERSION.get(word) ?? null };
}

const runtimeVersionSchema = z
  .object({ agentRuntimeVersion: versionText, status })
  .transform((row) => toVersion(row.agentRuntimeVersion, row.status));

export const versionPageSchema = z
  .object({ agentRuntimes: z.array(runtimeVersionSchema), nextToken })
  .transform(({ agentRuntimes, nextToken }) => ({ items: agentRuntimes, nextToken }));

const harnessVersionSchema = z
  .object({ harnessVersion: versionText, status })
  .transform((row) => toVersion(row.harnessVersion, row.status));

export const harnessVersionPageSchema = z
  .object({ harnessVersions: z.array(harnessVersionSchema), nextToken })
  .transform(({ harnessVersions, nextToken }) => ({ items: harnessVersions, nextToken }));

/** The id of the runtime that a harness is an abstraction over. `null`: the answer does not say it. */
export const runtimeOfHarnessSchema = z
  .object({
    harness: z.object({
      environment: z
        .object({
          agentCoreRuntimeEnvironment: z.object({ agentRuntimeId: z.string().min(1) }).nullish(),
        })
        .nullish(),
    }),
  })
  .transform(
    ({ harness }) => harness.environment?.agentCoreRuntimeEnvironment?.agentRuntimeId ?? null,
  );

export const harnessPageSchema = z
  .object({ harnesses: z.array(z.object({ harnessId: z.string().min(1) })), nextToken })
  .transform(({ harnesses, nextToken }) => ({
    items: harnesses.map(({ harnessId }) => harnessId),
    nextToken,
  }));
