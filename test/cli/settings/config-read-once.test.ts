import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runHere } from '../run-here.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-'));
const pipe = join(folder, 'config');
/** Refuses whoever asks, so that nothing waits. */
const server = createServer((_request, response) => response.writeHead(403).end());

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});

afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

/** Whoever opens the pipe gets the configuration, and nobody after that: it is gone before the first reader has it all. */
function serveOnce(): void {
  const config = JSON.stringify({ runtimes: { shop: {} } });
  execFileSync('mkfifo', [pipe]);
  spawn('sh', ['-c', '{ printf "%s" "$1"; rm "$2"; } > "$2"', 'sh', config, pipe]);
}

test.each([
  [
    ['start', 'shop', '--version', '2', '--yes'],
    /^Policy: default\.\nRollout .+\n.*Opening the rollout/s,
  ],
  [['retry', 'rollout-1', '--yes'], /^RolloutNotFound/],
  [['revert', 'rollout-1', '--yes'], /^RolloutNotFound/],
  [['resume', 'rollout-1'], /^RolloutNotFound/],
  [['plan', 'shop', '--version', '2'], /^UpstreamAuth/],
])(
  'rollout %j reads the configuration once, so that it may come from a pipe',
  async (words, said) => {
    serveOnce();
    const { port } = server.address() as AddressInfo;
    const url = `http://127.0.0.1:${port}`;
    const args = ['rollout', ...words, '--config', pipe, '--endpoint-url', url];
    const { stderr } = await runHere(args, { HOME: folder, STEPROLL_STATE_DIR: folder });

    expect(stderr).toMatch(said);
  },
);
