import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ended } from '../program-process.ts';
import { startHere } from '../run-here.ts';

// What a plan and an outcome tell of a fleet besides what is rolled.

const home = mkdtempSync(join(tmpdir(), 'steproll-fleet-'));
const rowOf = (name: string, version: number, currentReplicaCount = 2) => ({
  ...{ id: name, name, status: 'ACTIVE', currentReplicaCount },
  ...{ targetVersion: version, liveVersion: version },
});
const fleets: Readonly<Record<string, ReturnType<typeof rowOf>[]>> = {
  fresh: [rowOf('a', 1), rowOf('b', 0), rowOf('c', 1, 0), rowOf('d', 0, 0)],
  shop: [rowOf('a', 1), rowOf('b', 1)],
};
let service: Server;
let url: string;

beforeAll(async () => {
  service = createServer((request, answer) => {
    const [, , runtime = '', , id] = (request.url ?? '').split(/[/?]/);
    const listData = fleets[runtime] ?? [];
    answer.setHeader('content-type', 'application/json');
    if (request.method !== 'PUT') {
      answer.end(JSON.stringify({ listData, totalItem: listData.length }));
      return;
    }
    const row = listData.find((each) => each.id === id);
    Object.assign(row ?? {}, { targetVersion: 2, liveVersion: 2 });
    // Somebody scales out while the first endpoint is rolled.
    if (id === 'a') {
      const stopped = { ...rowOf('halted', 1), status: 'STOPPED' };
      listData.push(rowOf('late', 1), rowOf('new', 2), stopped, rowOf('other', 1));
    }
    answer.end(JSON.stringify(row));
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.close();
  rmSync(home, { recursive: true });
});

const run = (...args: readonly string[]) =>
  ended(startHere(home, ['rollout', ...args, '--endpoint-url', url]));

test('a plan says which endpoints have no way back, and which have no replicas', async () => {
  const { stdout } = await run('plan', 'fresh', '--version', '2');
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    ' No live version now: 2 (b, d); for these there is no way back 0 replicas now: 2 (c, d); a wave waits until these have some, at most for the progress deadline At most ',
  );
  const other = await run('plan', 'shop', '--version', '2');
  expect(other.stdout).not.toMatch(/now: /);
});

test('an outcome names what came after the plan and is not on the version', async () => {
  const how = ['--bake', '0', '--poll', '1', '--yes', '--exclude', 'other'];
  const { code, stdout, stderr } = await run('start', 'shop', '--version', '2', ...how);
  const said =
    '2 endpoints rolled to version 2 in 2 waves. 1 endpoint came after the plan, and is not on that version: late.';
  expect(code).toBe(0);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(said);
  const [id = ''] = /shop-v2-[0-9a-f]{20}/.exec(stderr) ?? [];
  const shown = await ended(startHere(home, ['rollout', 'show', id]));
  expect(shown.stdout.replaceAll(/\s+/g, ' ')).toContain(said);
});
