import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  removeListenerFile,
  writeListenerFile,
} from '../../../lib/adapters/listener/listener-file.ts';
import { describeRelease } from '../../../lib/cli/rollout/publish.ts';
import { createLocalLedger, type LocalLedger } from '../local-ledger.ts';
import { runHere } from '../run-here.ts';

let local: LocalLedger;

beforeAll(() => {
  local = createLocalLedger();
});
afterAll(() => local.remove());

test('where no listener runs: exit 3, and how to start one', async () => {
  expect(await local.run('release', 'publish', 'shop', '--version', '7')).toEqual({
    code: 3,
    stdout: '',
    stderr: expect.stringMatching(/^EventsUnavailable: No listener runs .*steproll listen\.\n$/),
  });
});

test('without a version: exit 2, and nothing is announced', async () => {
  expect(await local.run('release', 'publish', 'shop')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--version: missing'),
  });
});

test('C01: without a runtime and with a version that is none: exit 2, both at once', async () => {
  const { code, stderr } = await local.run('release', 'publish', '--version', '0');
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/2 mistakes:\n.*runtime-id: missing.*\n.*--version: "0"/),
  });
});

const PUBLISH = ['release', 'publish', 'shop', '--version', '7'] as const;

test('where no listener ever ran: exit 3, and no ledger is created', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-no-listener-'));
  const config = join(folder, 'config.json');
  writeFileSync(config, '{}');
  const state = join(folder, 'state');
  for (const wait of [[], ['--wait']]) {
    const variables = { STEPROLL_STATE_DIR: state, STEPROLL_CONFIG: config, HOME: folder };
    expect(await runHere([...PUBLISH, ...wait], variables)).toMatchObject({ code: 3, stdout: '' });
  }
  expect(readdirSync(folder)).toEqual(['config.json']);
  rmSync(folder, { recursive: true });
});

let published: unknown;

/** A listener that gives this answer to every release, and keeps the last one. */
async function withListener<T>(status: number, answer: object, work: () => Promise<T>): Promise<T> {
  const server = createServer(async (request, response) => {
    published = JSON.parse(await text(request));
    response.writeHead(status).end(JSON.stringify(answer));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token: 'token',
  };
  writeListenerFile(local.folder, address);
  try {
    return await work();
  } finally {
    removeListenerFile(local.folder, address);
    server.closeAllConnections();
    server.close();
  }
}

test.each([
  ['Succeeded', 0],
  ['Failed', 1],
  ['Errored', 3],
  ['Aborted', 130],
] as const)('--wait follows the rollout, and ends as it does: %s, %i', async (outcome, code) => {
  const rolloutId = `release-${outcome}`;
  await local.begin({ rolloutId, runtimeId: rolloutId }, outcome);
  const result = await withListener(202, { rolloutId, result: 'started' }, () =>
    local.run(...PUBLISH, '--release-id', 'build-1', '--wait', '-o', 'json'),
  );
  expect({ code: result.code, printed: JSON.parse(result.stdout) }).toEqual({
    code,
    printed: expect.objectContaining({ rolloutId, outcome, reason: 'Because' }),
  });
  expect(result.stderr).toContain(
    `Published release build-1: shop, version 7.\nRollout ${rolloutId}\n`,
  );
});

test('a release may be of the latest version', async () => {
  const { code, stdout } = await withListener(202, { rolloutId: 'r', result: 'started' }, () =>
    local.run('release', 'publish', 'shop', '--version', 'latest', '--release-id', 'build-1'),
  );
  expect(code).toBe(0);
  expect(stdout).toContain('Published release build-1: shop, the latest version.');
});

test('E02: a release that was rolled before: exit 0, and the rollout that did it', async () => {
  const taken = { rolloutId: 'release-1', result: 'duplicate' };
  const { code, stdout } = await withListener(202, taken, () => local.run(...PUBLISH));
  expect(code).toBe(0);
  expect(stdout).toContain('It starts nothing');
  expect(stdout).toContain('rollout watch release-1');
});

test('E02: --wait for a release that was rolled before says so, before it shows that rollout', async () => {
  await local.begin({ rolloutId: 'release-1', runtimeId: 'shop' }, 'Succeeded');
  const waitFor = (result: string) =>
    withListener(202, { rolloutId: 'release-1', result }, () => local.run(...PUBLISH, '--wait'));
  const told =
    'It starts nothing, because it was rolled before, by this rollout:\nRollout release-1';
  expect((await waitFor('duplicate')).stderr).toContain(told);
  expect((await waitFor('started')).stderr).not.toContain('rolled before');
});

test('a release may be of a group', async () => {
  const args = ['release', 'publish', '--group', 'prod', '--version', '7', '-o', 'json'];
  const result = await withListener(202, { rolloutId: 'r', result: 'started' }, () =>
    local.run(...args, '--release-id', 'build-1'),
  );
  expect(JSON.parse(result.stdout)).toMatchObject({ rolloutId: 'r', runtimeId: 'group:prod' });
  expect(published).toHaveProperty('detail', {
    ...{ group: 'prod', version: 7, releaseId: 'build-1' },
  });
});

test('C01: a release of a group and of a runtime: exit 2', async () => {
  const { code, stderr } = await local.run(...PUBLISH, '--group', 'prod');
  expect(code).toBe(2);
  expect(stderr).toContain('--group: leave out either it or the runtime');
});

test('--wait for a release that is refused: exit 1, and the reason', async () => {
  const refusal = { error: 'UnknownRuntime', message: 'The release names the runtime "shop".' };
  const result = await withListener(422, refusal, () => local.run(...PUBLISH, '--wait'));
  expect(result).toEqual({ code: 1, stdout: '', stderr: `UnknownRuntime: ${refusal.message}\n` });
});

test('a release that has started nothing for a minute counts as not known', async () => {
  let now = 0;
  const nobody = describeRelease(
    async () => null,
    { now: () => now },
    async () => null,
  );
  now = 59_999;
  expect(await nobody()).toContain('no rollout yet');
  now = 60_000;
  await expect(nobody()).rejects.toMatchObject({
    ending: { outcome: 'Errored', reason: 'RolloutNotFound' },
    message: expect.stringContaining('has started no rollout for 60 s'),
  });
  const somebody = describeRelease(
    async () => 'AWS is opening it.',
    { now: () => now },
    async () => 'release-0',
  );
  now = 120_000;
  expect(await somebody()).toBe('AWS is opening it.');
});
