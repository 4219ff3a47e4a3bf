import { afterEach, describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { type ListenerServer, startListenerServer } from '../../lib/listener/server.ts';
import { send } from '../simulation/send.ts';

const NOW = Date.parse('2026-12-01T03:00:00Z');
const event = {
  source: 'steproll.release',
  'detail-type': 'Release Published',
  detail: { runtimeId: 'shop', version: 7, releaseId: 'build-41' },
};
const body = JSON.stringify(event);

const open = new Set<ListenerServer>();
afterEach(async () => {
  await Promise.all([...open].map((server) => server.close()));
  open.clear();
});

async function start(refusal?: Error) {
  const taken: unknown[] = [];
  const log: string[] = [];
  const server = await startListenerServer({
    port: 0,
    clock: { now: () => NOW },
    async take(payload) {
      if (refusal !== undefined) throw refusal;
      taken.push(payload);
      return { rolloutId: 'release-1', result: 'started' };
    },
    log: (line) => log.push(line),
  });
  open.add(server);
  const post = (said: Partial<Parameters<typeof send>[1]> = {}) =>
    send(server.url, {
      method: 'POST',
      path: '/events',
      body,
      ...said,
      headers: {
        authorization: `Bearer ${server.token}`,
        'content-type': 'application/json',
        ...said.headers,
      },
    });
  return { ...server, taken, log, post };
}

test('a release is taken as on the event bus: its id and its time are not the sender’s', async () => {
  const { post, taken, log } = await start();
  const answer = await post({ body: JSON.stringify({ ...event, id: 'mine', time: 'long ago' }) });

  expect({ ...answer, text: JSON.parse(answer.text) }).toMatchObject({
    status: 202,
    text: { rolloutId: 'release-1', result: 'started' },
  });
  expect(taken).toEqual([
    {
      trigger: 'release',
      release: null,
      event: {
        ...event,
        id: expect.stringMatching(/^[\da-f-]{36}$/),
        time: '2026-12-01T03:00:00.000Z',
      },
    },
  ]);
  expect(log).toEqual([]);
});

test('the line about a refused request has its path, and not its query', async () => {
  const { post, log } = await start();
  await post({ path: '/events?release=ci&token=canary', headers: { authorization: '' } });
  await post({ path: '/elsewhere?token=canary' });
  expect(log).toEqual([
    expect.stringMatching(/^Refused POST \/events: Unauthorized: /),
    expect.stringMatching(/^Refused POST \/elsewhere: NotFound: /),
  ]);
  expect(log.join()).not.toContain('canary');
});

test('two releases have two ids', async () => {
  const { post, taken } = await start();
  await post();
  await post();
  const ids = taken.map((payload) => (payload as { event: { id: string } }).event.id);
  expect(new Set(ids).size).toBe(2);
});

test('an event of another system says by its address which release source it is from', async () => {
  const { post, taken } = await start();
  const pushed = { source: 'aws.ecr', detail: { 'image-tag': 'v7' } };
  await post({ path: '/events?release=image-pushed', body: JSON.stringify(pushed) });
  expect(taken).toEqual([
    { trigger: 'release', release: 'image-pushed', event: expect.objectContaining(pushed) },
  ]);
});

test.each(['steproll', 'steproll.release'])(
  'E11: an event of %s is no release of another system',
  async (source) => {
    const { post, taken } = await start();
    const answer = await post({
      path: '/events?release=image-pushed',
      body: JSON.stringify({ ...event, source }),
    });
    expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('InvalidTrigger') });
    expect(taken).toEqual([]);
  },
);

test.each([
  [ErrorName.InvalidTrigger, 400],
  [ErrorName.StaleTrigger, 422],
  [ErrorName.UnknownRuntime, 422],
  [ErrorName.LedgerUnavailable, 503],
])('what is refused as %s is answered with %i, its name and its message', async (name, status) => {
  const { post, log } = await start(new SteprollError(name, 'Because.'));
  const answer = await post();
  expect(answer.status).toBe(status);
  expect(JSON.parse(answer.text)).toEqual({ error: name, message: 'Because.' });
  expect(log).toEqual([`Refused POST /events: ${name}: Because.`]);
});

test('what is no JSON is an invalid trigger', async () => {
  const { post, taken } = await start();
  const answer = await post({ body: '{' });
  expect(answer).toMatchObject({ status: 400, text: expect.stringContaining('InvalidTrigger') });
  expect(taken).toEqual([]);
});

describe('L01: only who addresses this very server is let in', () => {
  test.each([
    [{ host: 'evil.example' }],
    [{ host: 'localhost' }],
    [{ origin: 'http://evil.example' }],
    [{ origin: 'null' }],
  ])('%j is refused, and takes nothing', async (headers) => {
    const { post, taken, url } = await start();
    const answers = [await post({ headers }), await send(url, { path: '/healthz', headers })];
    for (const { status, headers: answered } of answers) {
      expect(status).toBe(403);
      expect(answered['access-control-allow-origin']).toBeUndefined();
    }
    expect(taken).toEqual([]);
  });

  test('a page is never told that it may ask', async () => {
    const { url } = await start();
    const headers = { origin: 'http://evil.example', 'access-control-request-method': 'POST' };
    const answer = await send(url, { method: 'OPTIONS', path: '/events', headers });
    expect(answer.status).toBe(403);
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-'))).toEqual([]);
  });
});

describe('only who has the token of this start is let in', () => {
  test.each([
    ['none', ''],
    ['another one', 'Bearer 0123456789'],
    ['only a scheme', 'Bearer '],
  ])('%s is refused', async (_, authorization) => {
    const { post, taken } = await start();
    expect(await post({ headers: { authorization } })).toMatchObject({ status: 401 });
    expect(taken).toEqual([]);
  });

  test('the token of another start is refused, and is in no answer and no log', async () => {
    const before = await start();
    const { post, token, log } = await start();
    expect(before.token).not.toBe(token);
    const answer = await post({ headers: { authorization: `Bearer ${before.token}` } });
    expect(answer.status).toBe(401);
    expect([answer.text, ...log].join()).not.toMatch(before.token);
    expect([answer.text, ...log].join()).not.toMatch(token);
  });

  test('whether it is well is told to anybody', async () => {
    const { url } = await start();
    expect(await send(url, { path: '/healthz' })).toMatchObject({ status: 200 });
  });
});

describe('L02: what a page may post without asking', () => {
  test.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    '%s is refused',
    async (type) => {
      const { post, taken } = await start();
      expect(await post({ headers: { 'content-type': type } })).toMatchObject({ status: 415 });
      expect(taken).toEqual([]);
    },
  );

  test('nothing at all is refused', async () => {
    const { url, token, taken } = await start();
    const headers = { authorization: `Bearer ${token}` };
    const answer = await send(url, { method: 'POST', path: '/events', headers });
    expect(answer).toMatchObject({ status: 415 });
    expect(taken).toEqual([]);
  });
});

test('L03: a port that is busy is named', async () => {
  const { url } = await start();
  const port = Number(new URL(url).port);
  const options = { port, clock: { now: () => NOW }, log: () => {} };
  await expect(
    startListenerServer({ ...options, take: () => Promise.reject(new Error('no')) }),
  ).rejects.toMatchObject({
    name: 'PortUnavailable',
    message: expect.stringContaining(`127.0.0.1 port ${port}`),
  });
});

test('L03: it listens on the loopback address alone', async () => {
  expect(new URL((await start()).url).hostname).toBe('127.0.0.1');
});

describe('L08: it cannot be flooded or led astray', () => {
  test('a body of more than 64 KiB is refused', async () => {
    const { post, taken } = await start();
    const answer = await post({ body: `${body}${' '.repeat(64 * 1024)}` });
    expect(answer).toMatchObject({ status: 413 });
    expect(taken).toEqual([]);
  });

  test.each(['/', '/../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '/events/', '/event'])(
    '%s is no path',
    async (path) => {
      const { post, taken } = await start();
      expect(await post({ path })).toMatchObject({ status: 404 });
      expect(taken).toEqual([]);
    },
  );

  test('an event that is deep, or no object, is refused where every trigger is', async () => {
    const { post, taken } = await start();
    await post({ body: `${'['.repeat(30_000)}${']'.repeat(30_000)}` });
    expect(taken).toEqual([expect.objectContaining({ trigger: 'release', release: null })]);
  });
});
