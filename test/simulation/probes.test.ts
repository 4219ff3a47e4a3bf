import { afterEach, describe, expect, test } from '@jest/globals';
import { probeEndpoint } from '../../lib/adapters/gates/probe.ts';
import type { Probe } from '../../lib/gates/probe.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { type EndpointServer, startEndpointServer } from '../../lib/simulation/server.ts';
import { send } from './send.ts';

const SHOP = '/agent-runtimes/shop/endpoints';
const PROBE: Probe = {
  ...{ path: '/healthz', status: 200, tries: 1, timeoutSeconds: 30, privateNetwork: false },
  hosts: ['*.localhost'],
};

let server: EndpointServer | undefined;
afterEach(() => server?.close());

/** A fleet of two that rolls in 2 s, at a time that the test sets. */
async function start(faults: readonly object[]) {
  let now = 0;
  server = await startEndpointServer({
    scenario: parseScenario({
      runtimes: [{ id: 'shop', endpoints: [{ name: 'web-1' }, { name: 'web-2' }] }],
      faults,
    }),
    port: 0,
    clock: { now: () => now },
  });
  const { url } = server;
  const rows = async () => JSON.parse((await send(url, { path: SHOP })).text).listData;
  const [one, two] = await rows();
  return {
    url,
    one,
    two,
    at: (seconds: number) => {
      now = seconds * 1_000;
    },
    roll: (id: string, version: number) =>
      send(url, { method: 'PUT', path: `${SHOP}/${id}?version=${version}` }),
    stop: (id: string) => send(url, { method: 'POST', path: `${SHOP}/${id}/stop` }),
  };
}

describe('an endpoint of the embedded service answers probes at its own URL', () => {
  test('each for itself: the version that is unhealthy fails, the old one passes as long as it is live', async () => {
    const { one, two, roll, at } = await start([
      { endpoint: 'web-2', version: 2, kind: 'unhealthy', httpStatus: 500, afterSeconds: 10 },
    ]);
    await roll(one.id, 2);
    await roll(two.id, 2);
    const answers = async () => [
      (await probeEndpoint(one.url, PROBE)).detail,
      (await probeEndpoint(two.url, PROBE)).detail,
    ];
    at(1);
    expect(await answers()).toEqual(['200', '200']);
    at(11);
    expect(await answers()).toEqual(['200', '200']);
    at(12);
    expect(await answers()).toEqual(['200', '500']);
    await roll(two.id, 3);
    at(15);
    expect(await answers()).toEqual(['200', '200']);
  });

  test('a stopped one answers 503, and one that is not there 404', async () => {
    const { url, one, stop } = await start([]);
    await stop(one.id);
    expect(await probeEndpoint(one.url, PROBE)).toEqual({ verdict: 'fail', detail: '503' });
    const { port } = new URL(url);
    const gone = await probeEndpoint(`http://gone.localhost:${port}`, PROBE);
    expect(gone).toEqual({ verdict: 'fail', detail: '404' });
  });

  test('L01: nothing but a question is possible there, and only under its own name', async () => {
    const { url, one } = await start([]);
    const host = new URL(one.url).host;
    const [, port] = host.split(':');
    const ask = async (headers: Record<string, string>, method = 'GET') =>
      (await send(url, { method, path: SHOP, headers })).status;

    expect(await ask({ host })).toBe(200);
    expect(await ask({ host }, 'POST')).toBe(405);
    expect(await ask({ host, origin: 'http://evil.example' })).toBe(403);
    expect(await ask({ host: `${one.id}.localhost:1` })).toBe(403);
    expect(await ask({ host: `${one.id}.localhost.evil.example:${port}` })).toBe(403);
    expect(await ask({ host: `${one.id}.example:${port}` })).toBe(403);
  });
});
