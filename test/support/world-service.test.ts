import { expect, test } from '@jest/globals';
import { DEFAULT_WIRE, parseEndpointPage } from '../../lib/contract/service/wire.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { createWorld } from '../../lib/simulation/world.ts';
import { toEndpoints } from './world-service.ts';

test('the rows of the world are what reading them off the network makes of them', () => {
  const scenario = parseScenario({ runtimes: [{ id: 'shop', version: 1, endpoints: 3 }] });
  const rows = createWorld(scenario, () => 0).list('shop');

  expect(toEndpoints(rows)).toEqual(
    parseEndpointPage({ listData: rows }, DEFAULT_WIRE, 'GET').endpoints,
  );
});
