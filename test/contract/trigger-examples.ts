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
