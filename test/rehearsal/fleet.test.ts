import { expect, test } from '@jest/globals';
import { REST_ABILITIES } from '../../lib/contract/service/services.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { scenarioOfFleet } from '../../lib/rehearsal/fleet.ts';
import { createWorld } from '../../lib/simulation/world.ts';

const READY: Endpoint = {
  id: 'e-1',
  name: 'web-1',
  version: 4,
  targetVersion: 4,
  liveVersion: 4,
  replicas: 2,
  url: 'https://web-1.example.com',
  status: 'READY',
  statusReason: null,
};
const NAMELESS = { ...READY, id: 'e-2', name: null };
const STOPPED = { ...READY, id: 'e-3', name: 'web-3', replicas: 0, status: 'STOPPED' };
const MOVING = { ...READY, id: 'e-4', name: 'web-4', targetVersion: 5, status: 'UPDATING' };

function stage(listed: readonly Endpoint[], statuses = DEFAULT_POLICY.statuses) {
  let now = 0;
  const options = { runtimeId: 'shop', rollSeconds: 60, statuses, abilities: REST_ABILITIES };
  const world = createWorld(scenarioOfFleet(listed, options), () => now);
  const read = () =>
    world.read('shop').map(({ createdAt: _, changedAt: __, ...endpoint }) => endpoint);
  const at = (seconds: number) => {
    now = seconds * 1000;
  };
  return { world, read, at };
}

test('a fleet at rest is rehearsed as it was listed', () => {
  const listed = [READY, NAMELESS, STOPPED];

  expect(stage(listed).read()).toEqual(listed);
});

test('what is on its way arrives', () => {
  const { read, at } = stage([READY, MOVING]);

  expect(read()[1]).toMatchObject({ liveVersion: 4, targetVersion: 5 });
  at(60);
  expect(read()[1]).toMatchObject({ liveVersion: 5, targetVersion: 5, status: 'READY' });
});

test('what was stopped in mid-roll does not go on', () => {
  const { read, at } = stage([READY, { ...MOVING, status: 'STOPPED' }]);

  at(600);
  expect(read()[1]).toMatchObject({ liveVersion: 4, targetVersion: 5, status: 'STOPPED' });
});

test('an endpoint that is rolled and stopped speaks as the service does', () => {
  const statuses = { ...DEFAULT_POLICY.statuses, stopped: ['OFF'] };
  const { world, read, at } = stage([READY], statuses);

  world.roll('shop', 'e-1', 6);
  at(59);
  expect(read()[0]).toMatchObject({ liveVersion: 4, targetVersion: 6 });
  at(60);
  expect(read()[0]).toMatchObject({ liveVersion: 6, status: 'READY' });
  world.stop('shop', 'e-1');
  expect(read()[0]).toMatchObject({ status: 'OFF', replicas: 0 });
});
