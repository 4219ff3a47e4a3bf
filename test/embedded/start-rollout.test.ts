import { afterEach, expect, test } from '@jest/globals';
import { createLocalBus } from '../../lib/adapters/events/local-bus.ts';
import { openGates } from '../../lib/adapters/gates/gates.ts';
import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { createEndpointClient } from '../../lib/adapters/services/rest/client.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { startRollout } from '../../lib/embedded/run-workflow.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { type RequestLine, startEndpointServer } from '../../lib/simulation/server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

test('E02: rolls over real sockets with the calls of the interface alone; again, it writes nothing', async () => {
  const { requests, rollout, ledger } = await setStage();

  const outcome = await startRollout(rollout('rollout-1'));
  const again = await startRollout(rollout('rollout-2'));

  expect(outcome).toEqual({
    outcome: 'Succeeded',
    reason: 'Converged',
    cleanup: 'none',
    rollMs: expect.any(Number),
    message: '2 endpoints rolled to version 2 in 1 wave. Left alone: 1 at the version already.',
  });
  expect(again).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo', cleanup: 'none' });
  const record = await ledger.read('rollout-1');
  expect(record.outcome).toEqual(outcome);

  const rolls = record.plan?.endpoints.map(
    ({ endpointId }) => `PUT /runtime/agent-runtimes/shop/endpoints/${endpointId}?version=2`,
  );
  const writes = requests.filter(({ method }) => method !== 'GET');
  expect(rolls).toHaveLength(2);
  expect(writes.map(({ method, url }) => `${method} ${url}`)).toEqual(rolls);
  for (const { method, url, status, bodyBytes } of requests) {
    expect({ status, bodyBytes }).toEqual({ status: 200, bodyBytes: 0 });
    if (method === 'GET') {
      expect(url).toMatch(/^\/runtime\/agent-runtimes\/shop\/endpoints\?page=1&size=\d+$/);
    }
  }
});

async function setStage() {
  const requests: RequestLine[] = [];
  const server = await startEndpointServer({
    scenario: parseScenario({
      runtimes: [
        {
          id: 'shop',
          rollSeconds: 0.1,
          endpoints: [{ name: 'web-1' }, { name: 'web-2', version: 2 }, { name: 'web-3' }],
        },
      ],
    }),
    port: 0,
    pathPrefix: '/runtime',
    clock: systemClock,
    onRequest: (line) => requests.push(line),
  });
  cleanups.push(() => server.close());
  const service = createEndpointClient({ baseUrl: server.url, clock: systemClock });
  cleanups.push(() => service.close());
  const { ledger, end } = openSqliteLedger(':memory:');
  cleanups.push(end);
  // A poll takes its whole second: the one place where a test waits for real.
  const policy = {
    ...DEFAULT_POLICY,
    waves: [{ percent: 100 }],
    maxUnavailable: { percent: 100 },
    pollSeconds: 1,
    bakeSeconds: 0,
  };
  const rollout = (rolloutId: string) => ({
    rolloutId,
    engine: createInterpreter({ clock: systemClock }),
    input: { schemaVersion: 1, runtimeId: 'shop', version: 2 } as const,
    context: {
      service,
      ledger,
      clock: systemClock,
      gates: openGates(),
      events: createLocalBus(),
      policyOf: () => policy,
    },
  });
  return { requests, rollout, ledger };
}
