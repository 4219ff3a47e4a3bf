import { describe, expect, test } from '@jest/globals';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import type { DoubleOptions } from '../../../support/agentcore/double.ts';
import { closeDoublesAfterEach, openDouble } from './open-double.ts';

closeDoublesAfterEach();

const open = (options: Partial<DoubleOptions> = {}) => openDouble({ of: 'harness', ...options });
const TOKEN = 'rollout-7f3a-wave-2-endpoint-canary-try-1';

describe('the endpoints of a harness', () => {
  test('are listed from all pages under their names, DEFAULT too', async () => {
    const { service, id, double } = await open({ endpoints: { a: 1, b: 2, c: 1 }, pageSize: 2 });
    const endpoints = await service.list(id);

    expect(endpoints.map((one) => [one.id, one.liveVersion, one.targetVersion])).toEqual([
      ['DEFAULT', 3, 3],
      ['a', 1, 1],
      ['b', 2, 2],
      ['c', 1, 1],
    ]);
    expect(double.calls.map(({ operation }) => operation)).toEqual(
      Array(2).fill('ListHarnessEndpoints'),
    );
    expect(await service.listPage(id, { page: 2, size: 2 })).toMatchObject({
      endpoints: [{ id: 'b' }, { id: 'c' }],
      totalPages: 2,
      totalEndpoints: 4,
    });
  });

  test('say in the list why they failed, so nobody asks again', async () => {
    const failure = () => ({ reason: 'The model is not known.', saysLive: true });
    const { service, id, clock, double } = await open({ updateSeconds: 1, failure });
    await service.roll(id, 'canary', 2);
    clock.advance(1_000);
    const canary = (await service.list(id)).find((one) => one.id === 'canary');

    expect(canary).toMatchObject({
      ...{ status: 'UPDATE_FAILED', liveVersion: 1, targetVersion: 2 },
      statusReason: 'The model is not known.',
    });
    expect(double.calls).toHaveLength(2);
  });

  test('are rolled with the token that is given, once', async () => {
    const { service, id, double } = await open();
    for (const _ of ['first', 'again']) {
      expect(await service.roll(id, 'canary', 2, undefined, TOKEN)).toMatchObject({
        ...{ id: 'canary', liveVersion: 1, targetVersion: 2, status: 'UPDATING' },
      });
    }

    expect(double.calls.map(({ clientToken }) => clientToken)).toEqual([TOKEN, TOKEN]);
    expect(double.updates).toEqual([{ endpoint: 'canary', version: 2 }]);
  });

  test('are created on the version that is asked for, or on the one that AgentCore chooses', async () => {
    const { service, id } = await open();

    expect(await service.create(id, { name: 'blue', version: 2 })).toMatchObject({
      ...{ id: 'blue', targetVersion: 2, liveVersion: null, status: 'CREATING' },
    });
    expect(await service.create(id, { name: 'green' })).toMatchObject({ id: 'green' });
  });

  test('are never stopped or deleted, and DEFAULT is never written to', async () => {
    const { service, id, double } = await open();

    await expect(service.stop(id, 'canary')).rejects.toMatchObject({
      name: ErrorName.StopUnsupported,
    });
    await expect(service.roll(id, 'DEFAULT', 2)).rejects.toMatchObject({
      name: ErrorName.InvalidEndpointId,
    });
    expect(double.calls).toEqual([]);
  });

  test.each([
    [`${'a'.repeat(41)}-a1B2c3D4e5`, 'use the id of a harness'],
    ['shop', 'use the id of a harness'],
  ])('are not those of %s, which is refused before anything is sent', async (wrong, message) => {
    const { service, double } = await open();

    await expect(service.list(wrong)).rejects.toMatchObject({
      name: ErrorName.InvalidEndpointId,
      message: expect.stringContaining(message),
    });
    expect(double.calls).toEqual([]);
  });

  test.each([
    ['ConflictException', ErrorName.UpstreamConflict],
    ['AccessDeniedException', ErrorName.UpstreamAuth],
    ['ResourceNotFoundException', ErrorName.UpstreamNotFound],
    ['ValidationException', ErrorName.UpstreamRejected],
  ])('refuse a roll with %s, which has one meaning for both resources', async (name, ours) => {
    const disturb = () => ({ kind: 'error', name }) as const;
    const both = [await open({ disturb }), await openDouble({ disturb })];
    for (const { service, id } of both) {
      await expect(service.roll(id, 'canary', 2)).rejects.toMatchObject({ name: ours });
    }
  });

  test('have a URL of their own, because they are not the endpoints of a runtime', async () => {
    const { service } = await open();
    expect(service.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/harnesses$/);
  });
});

test('the versions of a harness are whole numbers with what is known of them', async () => {
  const versions = { 1: 'READY', 2: 'UPDATING', 3: 'CREATE_FAILED', 4: 'DELETE_FAILED' };
  const { service, id } = await open({ versions, pageSize: 3 });

  expect(await service.listVersions(id)).toEqual([
    { version: 1, state: 'ready' },
    { version: 2, state: 'making' },
    { version: 3, state: 'failed' },
    { version: 4, state: null },
  ]);
});

describe('the twin', () => {
  test('of a harness is its runtime', async () => {
    const harnesses = { 'shop-a1B2c3D4e5': 'beneath-z9Y8x7W6v5' };
    const { service, id } = await open({ harnesses });
    expect(await service.findTwin?.(id)).toEqual({ what: 'runtime', id: 'beneath-z9Y8x7W6v5' });
  });

  test('of a runtime is the harness that it is beneath, and the harnesses are asked once', async () => {
    const harnesses = {
      'desk-a1B2c3D4e5': 'other-z9Y8x7W6v5',
      'till-a1B2c3D4e5': 'shop-a1B2c3D4e5',
    };
    const { service, id, double } = await openDouble({ harnesses });

    expect(await service.findTwin?.(id)).toEqual({ what: 'harness', id: 'till-a1B2c3D4e5' });
    expect(await service.findTwin?.('else-a1B2c3D4e5')).toBeNull();
    expect(double.calls).toHaveLength(3);
  });

  test('of a runtime is unknown where there are more harnesses than anybody asks', async () => {
    const ids = Array.from({ length: 101 }, (_, nth) => `h${nth}-a1B2c3D4e5`);
    const harnesses = Object.fromEntries(ids.map((one) => [one, 'other-z9Y8x7W6v5']));
    const { service, id } = await openDouble({ harnesses });
    await expect(service.findTwin?.(id)).rejects.toThrow('more than 100 harnesses');
  });
});
