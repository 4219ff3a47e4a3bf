import { describe, expect, test } from '@jest/globals';
import { AGENTCORE_RESOURCES } from '../../lib/contract/service/services.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { DoubleCall, DoubleOptions } from '../support/agentcore/double.ts';
import { type RolledDouble, rollDouble } from '../support/agentcore/roll-double.ts';

const ALL = ['canary', 'live_1', 'live_2', 'live_3', 'live_4'];

const updates = (calls: readonly DoubleCall[]) =>
  calls.filter(({ operation }) => UPDATE.test(operation));

const UPDATE = /^Update(AgentRuntime|Harness)Endpoint$/;

/** Whatever happens: DEFAULT is not written to, and nothing is deleted. */
function expectNoHarm({ double }: RolledDouble): void {
  expect(double.violations).toEqual([]);
  const written = double.calls.filter(({ endpoint }) => endpoint === 'DEFAULT');
  expect(written).toEqual([]);
}

describe.each(AGENTCORE_RESOURCES)('endpoints of a %s', (of) => {
  const roll = (options: Partial<DoubleOptions> = {}, policy?: Partial<RolloutPolicy>) =>
    rollDouble({ of, ...options }, policy);

  test('a rollout takes every endpoint but DEFAULT to the version, each with one call', async () => {
    const run = await roll();

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    expect(run.rolled).toEqual(ALL);
    expect(updates(run.double.calls)).toHaveLength(5);
    for (const name of ALL) {
      expect(run.double.stateOf(name)).toMatchObject({ liveVersion: '2', status: 'READY' });
    }
    expect(run.double.stateOf('DEFAULT')).toMatchObject({ liveVersion: '3' });
    expectNoHarm(run);
  });

  test.each([
    [true, false],
    [false, false],
    [true, true],
    [false, true],
  ])(
    'an update that fails goes back; the service says what is live: %s; it takes back the target: %s',
    async (saysLive, takesTargetBack) => {
      const run = await roll({
        failure: (name, version) =>
          name === 'live_1' && version === 2
            ? { reason: 'The container did not start.', saysLive, takesTargetBack }
            : null,
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
      expect(run.outcome.message).toContain('Sessions there lose their state');
      expect(run.rolledBack).toContain('live_1');
      for (const name of ALL) {
        expect(run.double.stateOf(name)).toMatchObject({ liveVersion: '1', status: 'READY' });
      }
      expectNoHarm(run);
    },
  );

  test('endpoints that say no target while they are ready are rolled, and roll back, as others are', async () => {
    const good = await roll({ saysTargetAtRest: false });
    expect(good.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(good.rolled).toEqual(ALL);
    expectNoHarm(good);

    const bad = await roll({
      saysTargetAtRest: false,
      failure: (name, version) =>
        name === 'live_1' && version === 2 ? { reason: 'No memory.', saysLive: true } : null,
    });
    expect(bad.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
    for (const name of ALL) {
      expect(bad.double.stateOf(name)).toMatchObject({ liveVersion: '1', status: 'READY' });
    }
    expectNoHarm(bad);
  });

  test('H10: a roll whose answer is lost is not sent again when the next list shows it', async () => {
    const run = await roll({
      disturb: ({ operation }, nth) =>
        UPDATE.test(operation) && nth === 1 ? { kind: 'lost', carriedOut: true } : null,
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled).toEqual(ALL);
    const toCanary = updates(run.double.calls).filter(({ endpoint }) => endpoint === 'canary');
    expect(toCanary).toHaveLength(1);
    expectNoHarm(run);
  });

  test('when every answer to a roll is lost, the list shows it, and nothing is rolled twice', async () => {
    const run = await roll({
      disturb: ({ operation, endpoint }) =>
        UPDATE.test(operation) && endpoint === 'canary' ? { kind: 'lost', carriedOut: true } : null,
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled).toEqual(ALL);
    expectNoHarm(run);
  });

  test('a fleet in pages of three is rolled whole', async () => {
    const names = Array.from({ length: 10 }, (_, nth) => `live_${nth}`);
    const endpoints = Object.fromEntries(names.map((name) => [name, 1]));
    const run = await roll({ endpoints, pageSize: 3 });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled.toSorted()).toEqual(names);
    expectNoHarm(run);
  });

  test('a service that throttles every second call gets what it asks for, and the rollout succeeds', async () => {
    let told = 0;
    const run = await roll({
      disturb: (_call, nth) => {
        if (nth % 2 === 0) return null;
        told += 1;
        return { kind: 'error', name: 'ThrottlingException', headers: { 'retry-after': '3' } };
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled).toEqual(ALL);
    expect(told).toBeGreaterThan(10);
    expectNoHarm(run);
  });

  test('a service that fails now and then, after it has done what it was asked for, gets no roll twice', async () => {
    const broken = {
      status: 500,
      headers: { 'x-amzn-errortype': 'InternalServerException' },
      body: '{}',
    };
    const run = await roll({
      disturb: (_call, nth) => (nth % 3 === 1 ? { kind: 'answer', answer: broken } : null),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled).toEqual(ALL);
    expectNoHarm(run);
  });

  test('a list that is behind shows the version of before; nothing is rolled twice, and nothing fails', async () => {
    const run = await roll({ listLagSeconds: 45 });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled).toEqual(ALL);
    expect(updates(run.double.calls)).toHaveLength(5);
    expectNoHarm(run);
  });

  test('an endpoint that somebody else is moving refuses a roll, and gets it once it rests', async () => {
    const run = await roll({
      disturb: ({ operation, endpoint }, nth) =>
        UPDATE.test(operation) && endpoint === 'canary' && nth === 1
          ? { kind: 'error', name: 'ConflictException' }
          : null,
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled).toEqual(ALL);
    expectNoHarm(run);
  });

  test('a version that takes five minutes an endpoint is waited for', async () => {
    const run = await roll({ updateSeconds: 300 });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.rolled).toEqual(ALL);
    expect(updates(run.double.calls)).toHaveLength(5);
    expectNoHarm(run);
  });
});
