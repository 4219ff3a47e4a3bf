import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, constants, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { tryLocalSecret } from '../../../lib/adapters/credentials/authorization.ts';

const folder = mkdtempSync(join(tmpdir(), 'steproll-pipe-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('a secret that comes through a pipe is left there for the first call', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const writer = spawn('sh', ['-c', 'printf token > "$0"', pipe]);
  const written = once(writer, 'close');
  await tryLocalSecret({ kind: 'bearer', secret: { file: pipe } }, 'here');
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await written;
  expect(readFileSync(reader, 'utf8')).toBe('token');
  closeSync(reader);
});
