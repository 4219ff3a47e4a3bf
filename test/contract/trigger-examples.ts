import type { ReleaseMapping } from '../../lib/contract/config/releases.ts';

/** When the examples were sent. */
export const SENT_AT = '2026-12-01T03:00:00Z';

/** What the start function gets of a release event of steproll. */
export function ownRelease(detail: object = {}, event: object = {}): Record<string, unknown> {
  return {
    trigger: 'release',
    release: null,
    event: {
      ...envelope({ source: 'steproll.release', 'detail-type': 'Release Published' }),
      detail: { runtimeId: 'shop', version: 7, releaseId: 'build-41', ...detail },
      ...event,
    },
  };
}

/** What it gets of an image that was pushed to Amazon ECR. */
export function imagePush(detail: object = {}, event: object = {}): Record<string, unknown> {
  return {
    trigger: 'release',
    release: 'ecr',
    event: {
      ...envelope({ source: 'aws.ecr', 'detail-type': 'ECR Image Action' }),
      detail: {
        'action-type': 'PUSH',
        result: 'SUCCESS',
        'repository-name': 'shop',
        'image-tag': 'v7',
        'image-digest': 'sha256:0123',
        ...detail,
      },
      ...event,
    },
  };
}

export const AGENT = 'shop_agent-a1B2c3D4e5';

/** What CloudTrail tells EventBridge of a call to Amazon Bedrock AgentCore. */
export function agentcoreCall(eventName: string, detail: object = {}): Record<string, unknown> {
  return {
    ...envelope({
      source: 'aws.bedrock-agentcore',
      'detail-type': 'AWS API Call via CloudTrail',
    }),
    detail: {
      eventVersion: '1.11',
      userIdentity: { type: 'AssumedRole', accountId: '123456789012' },
      eventTime: SENT_AT,
      eventSource: 'bedrock-agentcore.amazonaws.com',
      eventName,
      awsRegion: 'eu-central-1',
      requestParameters: { agentRuntimeId: AGENT, description: 'Sells shoes.' },
      responseElements: {
        agentRuntimeArn: `arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/${AGENT}`,
        agentRuntimeId: AGENT,
        agentRuntimeVersion: '7',
        status: 'UPDATING',
      },
      eventID: '0f2f2d7d-5c8c-4f0a-9d3a-2f8f5d4f9a11',
      readOnly: false,
      eventType: 'AwsApiCall',
      managementEvent: true,
      recipientAccountId: '123456789012',
      eventCategory: 'Management',
      ...detail,
    },
  };
}

/** The same of an update of a harness. What is in its answer there is not known. */
export function harnessUpdate(detail: object = {}): Record<string, unknown> {
  return agentcoreCall('UpdateHarness', {
    requestParameters: { harnessId: AGENT },
    responseElements: { harness: { harnessId: AGENT, harnessVersion: '6', status: 'UPDATING' } },
    ...detail,
  });
}

/** What the start function gets of such a call. */
export function agentcoreRelease(event: object): Record<string, unknown> {
  return { trigger: 'release', release: 'agentcore', event };
}

/** Calls that are no release, as CloudTrail tells of them. */
export const NO_UPDATES: readonly (readonly [string, Record<string, unknown>])[] = [
  [
    'a roll of an endpoint, as rollouts make them',
    agentcoreCall('UpdateAgentRuntimeEndpoint', {
      requestParameters: {
        agentRuntimeId: AGENT,
        endpointName: 'prod',
        agentRuntimeVersion: '7',
      },
      responseElements: {
        agentRuntimeEndpointArn: `arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/${AGENT}/runtime-endpoint/prod`,
        agentRuntimeArn: `arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/${AGENT}`,
        liveVersion: '6',
        targetVersion: '7',
        status: 'UPDATING',
      },
    }),
  ],
  [
    'a roll of an endpoint of a harness',
    harnessUpdate({
      eventName: 'UpdateHarnessEndpoint',
      requestParameters: { harnessId: AGENT, endpointName: 'prod', targetVersion: '7' },
    }),
  ],
  ['the creation of a harness', harnessUpdate({ eventName: 'CreateHarness' })],
  ['an update of a harness that was refused', harnessUpdate({ errorCode: 'ConflictException' })],
  ['the creation of an endpoint', agentcoreCall('CreateAgentRuntimeEndpoint')],
  ['the creation of a runtime', agentcoreCall('CreateAgentRuntime')],
  ['the deletion of a runtime', agentcoreCall('DeleteAgentRuntime')],
  [
    'an update that was refused',
    agentcoreCall('UpdateAgentRuntime', {
      errorCode: 'ValidationException',
      errorMessage: 'No such image.',
      responseElements: null,
    }),
  ],
  [
    'an update by a service that only calls itself so',
    agentcoreCall('UpdateAgentRuntime', { eventSource: 'agentcore.example.com' }),
  ],
];

/** What it gets of a schedule. */
export function dueSchedule(more: object = {}): Record<string, unknown> {
  return {
    trigger: 'schedule',
    schedule: 'nightly',
    scheduledAt: SENT_AT,
    runtimeId: 'shop',
    version: 7,
    ...more,
  };
}

export const ECR_MAPPING: ReleaseMapping = {
  name: 'ecr',
  runtimeId: { path: 'detail.repository-name' },
  version: { path: 'detail.image-tag' },
};

export const AGENTCORE_MAPPING: ReleaseMapping = { kind: 'agentcore', name: 'agentcore' };

export const PIPELINE_MAPPING: ReleaseMapping = {
  name: 'pipeline',
  runtimeId: 'shop',
  versionFrom: { endpoint: 'staging' },
};

function envelope(event: object): object {
  return {
    version: '0',
    id: '6a7e8feb-b491-4cf7-a9f1-bf3703467718',
    account: '123456789012',
    time: SENT_AT,
    region: 'eu-central-1',
    resources: [],
    ...event,
  };
}
