import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  refuseSecondListener,
  writeListenerFile,
} from '../../../lib/adapters/listener/listener-file.ts';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { startListenerServer } from '../../../lib/listener/server.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-second-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const start = () =>
  startListenerServer({
    port: 0,
    clock: systemClock,
    take: () => Promise.reject(new Error('Nobody releases.')),
    log: () => undefined,
  });

test('L06: where a listener answers, a second one is refused, and told where the first one is', async () => {
  const listener = await start();
  try {
    writeListenerFile(folder, listener);
    await expect(refuseSecondListener(folder)).rejects.toMatchObject({
      name: 'ListenerRunning',
      message: expect.stringContaining(listener.url),
    });
  } finally {
    await listener.close();
  }
});

test('L06: a file that a dead listener left behind keeps nobody out', async () => {
  const listener = await start();
  await listener.close();
  writeListenerFile(folder, listener);
  await expect(refuseSecondListener(folder)).resolves.toBeUndefined();
});

test('where there was none, there is nothing to refuse', async () => {
  await expect(refuseSecondListener(folder)).resolves.toBeUndefined();
});
