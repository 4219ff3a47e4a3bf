import * as z from 'zod';
import { type AskedVersion, LATEST } from '../../domain/rollout/request.ts';
import { eventVersionSchema, runtimeIdSchema } from '../input/checks.ts';
import type { AgentCoreResource } from '../service/services.ts';

/**
 * What CloudTrail says of the one call that makes a new version of a runtime of Amazon Bedrock AgentCore, and of the one
 * for a harness. No other call is a release: what was just created has no endpoint to roll, and the calls of a rollout
 * must not start rollouts.
 */
const UPDATE = {
  source: 'aws.bedrock-agentcore',
  detailType: 'AWS API Call via CloudTrail',
  eventSource: 'bedrock-agentcore.amazonaws.com',
} as const;

const CALL: Readonly<Record<AgentCoreResource, { readonly name: string; readonly id: string }>> = {
  runtime: { name: 'UpdateAgentRuntime', id: 'agentRuntimeId' },
  harness: { name: 'UpdateHarness', id: 'harnessId' },
};

const callSchema = {
  eventSource: z.literal(UPDATE.eventSource),
  errorCode: z.undefined({ error: 'use the event of a call that has succeeded' }).optional(),
};

const ofRuntime = z
  .looseObject({
    ...callSchema,
    eventName: z.literal(CALL.runtime.name),
    requestParameters: z.looseObject({ agentRuntimeId: runtimeIdSchema }),
    // CloudTrail may leave out what the call has answered.
    responseElements: z
      .looseObject({ agentRuntimeVersion: eventVersionSchema.optional() })
      .nullish(),
  })
  .transform(({ requestParameters, responseElements }) => {
    const version: AskedVersion = responseElements?.agentRuntimeVersion ?? LATEST;
    return { runtimeId: requestParameters.agentRuntimeId, version };
  });

/**
 * AWS does not say whether its trail names the version. The call answers before the update is done, and the version grows
 * with each update that has succeeded, so a version that the trail names could be the one before.
 */
const ofHarness = z
  .looseObject({
    ...callSchema,
    eventName: z.literal(CALL.harness.name),
    requestParameters: z.looseObject({ harnessId: runtimeIdSchema }),
  })
  .transform(({ requestParameters }) => {
    const version: AskedVersion = LATEST;
    return { runtimeId: requestParameters.harnessId, version };
  });

/** The runtime or harness and the version in the event of such a call. One without a version asks for the latest. */
export const agentcoreUpdateSchema = z
  .looseObject({
    source: z.literal(UPDATE.source),
    'detail-type': z.literal(UPDATE.detailType),
    detail: z.discriminatedUnion('eventName', [ofRuntime, ofHarness]),
  })
  .transform(({ detail }) => detail);

/** EventBridge takes patterns of 2,048 characters. The rest is for everything but the ids. */
const MOST_CHARACTERS = 1_600;

/**
 * The patterns of EventBridge for these events, for as many rules. Only events of the runtimes or harnesses match,
 * because an account has others too, and each event of theirs would be a dead letter.
 */
export function agentcoreUpdatePatterns(
  of: AgentCoreResource,
  ids: readonly string[],
  account: string,
) {
  const { name, id } = CALL[of];
  return inGroups(ids).map((group) => ({
    source: [UPDATE.source],
    detailType: [UPDATE.detailType],
    account: [account],
    detail: {
      eventSource: [UPDATE.eventSource],
      eventName: [name],
      errorCode: [{ exists: false }],
      requestParameters: { [id]: group },
    },
  }));
}

function inGroups(ids: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const id of ids) {
    const last = groups.at(-1);
    if (last !== undefined && JSON.stringify([...last, id]).length <= MOST_CHARACTERS)
      last.push(id);
    else groups.push([id]);
  }
  return groups;
}
