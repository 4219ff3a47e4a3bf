import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { type EndpointServer, startEndpointServer } from '../../lib/simulation/server.ts';
import { silenceLogs } from '../support/silence-logs.ts';
import { writeStepEnv } from '../support/step-env.ts';

const CLIENTS = [
  '@aws-sdk/client-dynamodb',
  '@aws-sdk/lib-dynamodb',
  '@aws-sdk/client-eventbridge',
  '@aws-sdk/client-sfn',
  '@aws-sdk/client-secrets-manager',
];
const loaded: string[] = [];
let server: EndpointServer;

beforeAll(async () => {
  silenceLogs();
  for (const name of CLIENTS) {
    jest.unstable_mockModule(name, () => {
      loaded.push(name);
      return {};
    });
  }
  server = await startEndpointServer({
    scenario: parseScenario({ runtimes: [{ id: 'shop', version: 1, endpoints: 2 }] }),
    port: 0,
    clock: systemClock,
  });
  const config = parseConfig({ endpointUrl: server.url });
  Object.assign(process.env, writeStepEnv(config));
});

afterAll(() => server.close());

test('who lists, rolls and stops endpoints by name waits for no AWS SDK', async () => {
  const list = await import('../../functions/list.ts');
  const roll = await import('../../functions/roll.ts');
  const stop = await import('../../functions/stop.ts');
  const page = (await list.handler({ runtimeId: 'shop' })) as { endpoints: { id: string }[] };
  const endpointIds = page.endpoints.map(({ id }) => id);

  expect(await roll.handler({ runtimeId: 'shop', version: 2, endpointIds })).toHaveLength(2);
  expect(await stop.handler({ runtimeId: 'shop', endpointIds })).toHaveLength(2);
  expect(loaded).toEqual([]);
});
