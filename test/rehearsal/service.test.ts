import { expect, test } from '@jest/globals';
import { DEFAULT_WIRE, parseEndpointPage } from '../../lib/contract/service/wire.ts';
import { toRow } from '../../lib/simulation/routes.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { createWorld } from '../../lib/simulation/world.ts';

test('what a rehearsal reads of the world is what reading it off the network makes of it', () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', version: 1, endpoints: 3 }] });
  const world = createWorld(scenario, () => 0);
  const rows = world.read('shop').map((endpoint) => toRow(endpoint, 'shop'));

  const read = world.read('shop').map(({ createdAt: _, changedAt: __, ...endpoint }) => endpoint);
  expect(read).toEqual(parseEndpointPage({ listData: rows }, DEFAULT_WIRE, 'GET').endpoints);
});
