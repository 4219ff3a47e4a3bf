import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { parseScenario } from '../../lib/simulation/scenario.ts';
import { type EndpointServer, startEndpointServer } from '../../lib/simulation/server.ts';
import { codeBlocks, readDoc } from '../docs/code-blocks.ts';
import { type Prometheus, startPrometheus } from './prometheus.ts';
import { runCommand, runOrThrow } from './run-command.ts';

// The example of docs/configuration.md#prometheus, asked of a real server that reads the metrics of these runtimes.

/** The share of requests that version 2 of each runtime answers with an error. Version 1 is well. */
const ERRORS = { shop: 0.01, billing: 0.2 };

const scenario = parseScenario({
  runtimes: Object.keys(ERRORS).map((id) => ({ id, version: 1, endpoints: 2, rollSeconds: 0.5 })),
});

let server: EndpointServer;
let fleet: Server;
let prometheus: Prometheus;
let folder: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-e2e-'));
  server = await startEndpointServer({ scenario, port: 0, clock: systemClock });
  fleet = await serveMetrics();
  const { port } = fleet.address() as AddressInfo;
  prometheus = await startPrometheus(new URL(`http://127.0.0.1:${port}/metrics`));
  const { auth: _, ...rule } = documentedRule();
  const config = join(folder, 'fleet.json');
  writeFileSync(
    config,
    JSON.stringify({
      name: 'steproll',
      endpointUrl: server.url,
      policies: {
        default: {
          // A rate is not asked for in the first minute.
          ...{ waves: [{ percent: 100 }], bakeSeconds: 75, onFailure: 'roll-back' },
          ...{ maxUnavailable: { percent: 100 }, pollSeconds: 1, maxPollSeconds: 5 },
          verify: { everySeconds: 15, prometheus: [{ ...rule, url: prometheus.url }] },
        },
      },
      runtimes: Object.fromEntries(Object.keys(ERRORS).map((id) => [id, {}])),
    }),
  );
  env = { STEPROLL_STATE_DIR: folder, STEPROLL_CONFIG: config, BEARER_TOKEN: 'token' };
});

afterAll(async () => {
  await prometheus?.end();
  fleet?.close();
  await server?.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a rollout succeeds within the limit of a query, and beyond it is taken back', async () => {
  const [shop, billing] = await Promise.all([roll('shop'), roll('billing')]);

  expect(shop).toMatchObject({ outcome: 'Succeeded' });
  expect(await liveVersions('shop')).toEqual([2, 2]);
  expect(billing).toMatchObject({
    ...{ outcome: 'Failed', reason: 'GateFailed', cleanup: 'rolledBack' },
    message: expect.stringMatching(/error rate: 0\.2\d*, above 0\.05/),
  });
  expect(await liveVersions('billing')).toEqual([1, 1]);
});

test('a query that the server cannot read is found before anything is rolled', async () => {
  const config = join(folder, 'mistaken.json');
  const rule = { name: 'error rate', url: prometheus.url, query: 'sum(rate(', above: 1 };
  const policy = { verify: { prometheus: [rule] } };
  writeFileSync(
    config,
    JSON.stringify({
      name: 'steproll',
      endpointUrl: server.url,
      policies: { default: policy },
      runtimes: { shop: {} },
    }),
  );

  const args = ['rollout', 'start', 'shop', '--version', '3', '--yes'];
  const said = await runCommand(['bin/steproll.ts', ...args], { ...env, STEPROLL_CONFIG: config });

  expect(said.exitCode).not.toBe(0);
  expect(said.stderr).toContain('the server cannot read it');
  expect(await liveVersions('shop')).toEqual([2, 2]);
});

function documentedRule(): Readonly<Record<string, unknown>> {
  const [, section = ''] = readDoc('docs/configuration.md').split('\n## Prometheus\n');
  const [example = ''] = codeBlocks(section, 'json');
  return JSON.parse(example).policies.default.verify.prometheus[0];
}

/** Rolls the runtime to version 2, and answers how that ended. */
async function roll(runtimeId: string): Promise<object> {
  const args = ['rollout', 'start', runtimeId, '--version', '2', '--yes'];
  await runCommand(['bin/steproll.ts', ...args], env);
  const list = await runOrThrow(
    ['bin/steproll.ts', 'rollout', 'list', runtimeId, '-o', 'json'],
    env,
  );
  const [newest] = JSON.parse(list) as { rolloutId: string }[];
  const shown = ['rollout', 'show', newest?.rolloutId ?? '', '-o', 'json'];
  return JSON.parse(await runOrThrow(['bin/steproll.ts', ...shown], env));
}

/** Each version answers a hundred requests a second, from when it is live somewhere. */
async function serveMetrics(): Promise<Server> {
  const seen = new Map<string, number>();
  const server = createServer(async (_, response) => {
    const lines: string[] = [];
    for (const [runtime, share] of Object.entries(ERRORS)) {
      for (const version of new Set(await liveVersions(runtime))) {
        const of = `{runtime="${runtime}",version="${version}"}`;
        const since = seen.get(of) ?? Date.now();
        seen.set(of, since);
        const requests = (Date.now() - since) / 10;
        lines.push(`app_requests_total${of} ${requests}`);
        lines.push(`app_errors_total${of} ${requests * (version === 2 ? share : 0.01)}`);
      }
    }
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(`${lines.join('\n')}\n`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

async function liveVersions(runtimeId: string): Promise<(number | null)[]> {
  const url = `${server.url}/agent-runtimes/${runtimeId}/endpoints?page=1&size=100`;
  const { listData } = (await (await fetch(url)).json()) as {
    listData: { liveVersion: number | null }[];
  };
  return listData.map(({ liveVersion }) => liveVersion);
}
