import { describe, expect, test } from '@jest/globals';
import { REST_ABILITIES } from '../../../lib/contract/service/services.ts';
import type { RuntimeVersion } from '../../../lib/domain/planning/version.ts';
import type { AskedVersion } from '../../../lib/domain/rollout/request.ts';
import type { EndpointService } from '../../../lib/ports/endpoint-service.ts';
import { drawPlan } from '../../../lib/steps/opening/draw-plan.ts';
import { live, policyOf } from '../../domain/examples.ts';

const unused = () => Promise.reject(new Error('A plan does not call it.'));

/** Draws a plan for an endpoint on version 3, and answers what was read. */
async function draw(version: AskedVersion, versions: readonly RuntimeVersion[] | null) {
  const read: string[] = [];
  const service: EndpointService = {
    url: 'https://endpoints.example.com',
    abilities: { ...REST_ABILITIES, listsVersions: versions !== null },
    async list() {
      read.push('endpoints');
      return [live('web-1')];
    },
    async listVersions() {
      read.push('versions');
      return versions ?? [];
    },
    listPage: unused,
    create: unused,
    roll: unused,
    stop: unused,
  };
  const input = { schemaVersion: 1, runtimeId: 'shop', version } as const;
  try {
    const { desiredVersion, isBeingMade } = await drawPlan(input, policyOf(), service);
    return { read, desiredVersion, isBeingMade };
  } catch (error) {
    return { read, error };
  }
}

const VERSIONS: readonly RuntimeVersion[] = [
  { version: 3, state: 'ready' },
  { version: 4, state: 'ready' },
  { version: 5, state: 'making' },
];

describe('a plan where the service lists versions', () => {
  test.each<[AskedVersion, object]>([
    [4, { desiredVersion: 4, isBeingMade: false }],
    [5, { desiredVersion: 5, isBeingMade: true }],
    ['latest', { desiredVersion: 5, isBeingMade: true }],
  ])('for version %s says which one it is, and whether it is being made', async (asked, plan) => {
    expect(await draw(asked, VERSIONS)).toMatchObject(plan);
  });

  test('C01: for a version that there is not is refused at once, and the newest ones are named', async () => {
    expect(await draw(70, VERSIONS)).toEqual({
      read: ['versions'],
      error: expect.objectContaining({
        name: 'VersionUnknown',
        message: 'The runtime does not have version 70; its newest ones are 5 (being made), 4, 3.',
      }),
    });
  });

  test('C01: for a version whose making has failed is refused', async () => {
    const { error } = await draw(4, [{ version: 4, state: 'failed' }]);

    expect(error).toMatchObject({
      name: 'VersionUnknown',
      message: 'Version 4 could not be made.',
    });
  });
});

describe('a plan where the service cannot list versions', () => {
  test('is for any version, as it ever was', async () => {
    expect(await draw(70, null)).toEqual({
      read: ['endpoints', 'endpoints'],
      desiredVersion: 70,
      isBeingMade: false,
    });
  });

  test('C01: for the latest one is refused before anything is read', async () => {
    expect(await draw('latest', null)).toEqual({
      read: [],
      error: expect.objectContaining({ name: 'VersionsUnsupported' }),
    });
  });
});
