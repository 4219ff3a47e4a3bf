import { expect, test } from '@jest/globals';
import { SERVICES } from '../../lib/contract/service/services.ts';
import { createVirtualTime } from '../../lib/rehearsal/virtual-time.ts';
import {
  type AgentCoreDouble,
  createAgentCoreDouble,
  type DoubleOptions,
} from '../support/agentcore/double.ts';
import { openDoubles } from '../support/agentcore/reach.ts';
import { onGroupStage } from '../support/group-stage.ts';
import { START } from '../support/scenario-time.ts';

const NAMES = ['canary', 'live_1', 'live_2', 'live_3'];
const RUNTIMES = Array.from({ length: 10 }, (_, index) => `tenant_${index}-a1B2c3D4e5`);

/** Releases version 2 to runtimes of AgentCore, each with the default policy for AgentCore. */
async function release(failure: NonNullable<DoubleOptions['failure']> = () => null) {
  const time = createVirtualTime(START);
  const [first, ...others] = RUNTIMES.map((runtimeId) =>
    createAgentCoreDouble({
      runtimeId,
      endpoints: Object.fromEntries(NAMES.map((name) => [name, 1])),
      now: time.now,
      failure,
    }),
  );
  const doubles = [first as AgentCoreDouble, ...others] as const;
  const service = await openDoubles(time, doubles);
  const script = { runtimes: RUNTIMES, ofRuntimes: SERVICES.agentcore.policy };
  const outcome = await onGroupStage(script, (stage) => stage.createProcess().run('release-1', 2), {
    time,
    service,
  }).finally(() => service.close());
  expect(doubles.flatMap(({ violations }) => violations)).toEqual([]);
  return { outcome, doubles };
}

const liveVersions = (double: AgentCoreDouble) =>
  NAMES.map((name) => double.stateOf(name).liveVersion);

test('a group of runtimes of AgentCore is rolled to a version, each endpoint with one call', async () => {
  const { outcome, doubles } = await release();
  expect(outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
  for (const double of doubles) {
    expect(liveVersions(double)).toEqual(['2', '2', '2', '2']);
    expect(double.updates.map(({ endpoint }) => endpoint).toSorted()).toEqual(NAMES);
    expect(double.stateOf('DEFAULT')).toMatchObject({ liveVersion: '3' });
  }
});

test('a version that breaks every endpoint of AgentCore costs one of a runtime, which is rolled back', async () => {
  const { outcome, doubles } = await release((_, version) =>
    version === 2 ? { reason: 'The container did not start.', saysLive: true } : null,
  );
  expect(outcome).toMatchObject({ outcome: 'Failed', reason: 'EndpointFailed' });
  for (const double of doubles) expect(liveVersions(double)).toEqual(['1', '1', '1', '1']);
  expect(doubles.map(({ updates }) => updates.length)).toEqual([2, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
});
