import * as z from 'zod';
import { type AskedVersion, LATEST } from '../../domain/rollout/request.ts';
import { eventVersionSchema, runtimeIdSchema } from '../input/checks.ts';

/**
 * What CloudTrail says of the one call that makes a new version of a runtime of Amazon Bedrock AgentCore. No other call
 * is a release: a runtime that was just created has no endpoint to roll, and the calls of a rollout must not start
 * rollouts.
 */
const UPDATE = {
  source: 'aws.bedrock-agentcore',
  detailType: 'AWS API Call via CloudTrail',
  eventSource: 'bedrock-agentcore.amazonaws.com',
  eventName: 'UpdateAgentRuntime',
} as const;

/** The runtime and the version in the event of such a call. An event without a version asks for the latest one. */
export const agentcoreUpdateSchema = z
  .looseObject({
    source: z.literal(UPDATE.source),
    'detail-type': z.literal(UPDATE.detailType),
    detail: z.looseObject({
      eventSource: z.literal(UPDATE.eventSource),
      eventName: z.literal(UPDATE.eventName),
      errorCode: z.undefined({ error: 'use the event of a call that has succeeded' }).optional(),
      requestParameters: z.looseObject({ agentRuntimeId: runtimeIdSchema }),
      // CloudTrail may leave out what the call has answered.
      responseElements: z
        .looseObject({ agentRuntimeVersion: eventVersionSchema.optional() })
        .nullish(),
    }),
  })
  .transform(({ detail: { requestParameters, responseElements } }) => {
    const version: AskedVersion = responseElements?.agentRuntimeVersion ?? LATEST;
    return { runtimeId: requestParameters.agentRuntimeId, version };
  });

/** EventBridge takes patterns of 2,048 characters. The rest is for everything but the ids. */
const MOST_CHARACTERS = 1_600;

/**
 * The patterns of EventBridge for these events, for as many rules. Only events of the runtimes match, because an
 * account has other runtimes too, and each event of theirs would be a dead letter.
 */
export function agentcoreUpdatePatterns(runtimes: readonly string[], account: string) {
  return inGroups(runtimes).map((agentRuntimeId) => ({
    source: [UPDATE.source],
    detailType: [UPDATE.detailType],
    account: [account],
    detail: {
      eventSource: [UPDATE.eventSource],
      eventName: [UPDATE.eventName],
      errorCode: [{ exists: false }],
      requestParameters: { agentRuntimeId },
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
