import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writeListenerFile } from '../../../lib/adapters/listener/listener-file.ts';
import { publishToListener } from '../../../lib/adapters/listener/publish-to-listener.ts';

const event = {
  source: 'steproll.release',
  'detail-type': 'Release Published',
  detail: { runtimeId: 'shop', version: 7, releaseId: 'build-41' },
};
const cleanups: (() => unknown)[] = [];
let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'steproll-publish-'));
  cleanups.push(() => rmSync(home, { recursive: true }));
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

/** Something that answers on this machine; `null`: it hangs up. Its address is in the file. */
async function answer(status: number, text: string | null) {
  const requests: { head: string; body: string }[] = [];
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    const head = `${method} ${url} ${headers.authorization} ${headers['content-type']}`;
    let body = '';
    for await (const chunk of request) body += chunk;
    requests.push({ head, body });
    if (text === null) response.destroy();
    else response.writeHead(status).end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await once(server.close(), 'close');
  };
  cleanups.push(close);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  writeListenerFile(home, { url, token: 'the-token' });
  return { requests, url, close };
}

test('hands the release over with the token, and answers the rollout', async () => {
  const { requests } = await answer(202, '{"rolloutId":"release-1","result":"duplicate"}');

  expect(await publishToListener(home, event)).toEqual({
    rolloutId: 'release-1',
    result: 'duplicate',
  });
  expect(requests).toEqual([
    { head: 'POST /events Bearer the-token application/json', body: JSON.stringify(event) },
  ]);
});

test('without a listener it says how to start one', async () => {
  await expect(publishToListener(home, event)).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: `No listener runs with the state in ${home}; start one with: steproll listen.`,
  });
});

test('a listener that died and left its address behind: none answers there', async () => {
  const { url, close } = await answer(202, '');
  await close();
  await expect(publishToListener(home, event)).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: `No listener answers at ${url}; start one with: steproll listen.`,
    cause: expect.anything(),
  });
});

test('a listener that hangs up may have taken it', async () => {
  await answer(0, null);
  await expect(publishToListener(home, event)).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: expect.stringContaining('may have taken the release'),
  });
});

test.each(['InvalidTrigger', 'StaleTrigger', 'UnknownRuntime'])(
  'a release that is refused as %s is refused under this name',
  async (name) => {
    await answer(422, JSON.stringify({ error: name, message: 'Because.' }));
    await expect(publishToListener(home, event)).rejects.toMatchObject({
      name,
      message: 'Because.',
    });
  },
);

test.each([
  [401, '{"error":"Unauthorized","message":"no"}', 'is another one'],
  [503, '{"error":"LedgerUnavailable","message":"full"}', 'answered 503, LedgerUnavailable: full'],
  [200, '<html>', 'is no listener'],
  [202, '{}', 'is no listener'],
  [302, '{}', 'gave no answer'],
])('what answers %i %s %s', async (status, text, message) => {
  await answer(status, text);
  await expect(publishToListener(home, event)).rejects.toMatchObject({
    name: 'EventsUnavailable',
    message: expect.stringContaining(message),
  });
});
