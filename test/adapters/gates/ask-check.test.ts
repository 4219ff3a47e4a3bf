import { createHmac } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { askUrl } from '../../../lib/adapters/gates/ask-url.ts';
import { createCheckAsker } from '../../../lib/adapters/gates/check.ts';
import { checks } from '../../../lib/gates/checks.ts';
import { checkQuestion } from '../../support/check-question.ts';
import { type Respond, startHttpServer } from '../http/fault-server.ts';

const QUESTION = checkQuestion();
let folder = '';

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'steproll-check-'));
});

afterEach(() => rm(folder, { recursive: true }));

/** Asks a server that answers so, with whatever else the check says. */
async function askServer(respond: Respond, said: object = {}) {
  const server = await startHttpServer(respond);
  const [check] = checks.schema.parse([{ name: 'smoke', url: `${server.url}/hook`, ...said }]);
  const answer = await createCheckAsker()(check as never, QUESTION);
  return { answer, server };
}

const saying =
  (body: unknown, status = 200): Respond =>
  (_, response) =>
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body));

describe('an answer of a check by HTTP', () => {
  test.each([
    [{ hookStatus: 'SUCCEEDED' }, { verdict: 'pass', detail: 'SUCCEEDED' }],
    [
      { hookStatus: 'FAILED', message: 'score\n0.2 ' },
      { verdict: 'fail', detail: 'FAILED: score 0.2' },
    ],
    [
      { hookStatus: 'IN_PROGRESS', callBackDelay: 7 },
      { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: 7 },
    ],
    [{ hookStatus: 'IN_PROGRESS' }, { verdict: 'unknown', detail: 'IN_PROGRESS', askAgainIn: 30 }],
    [
      { hookStatus: 'SUCCEEDED', extra: [1] },
      { verdict: 'pass', detail: 'SUCCEEDED' },
    ],
  ])('%j is what its word says', async (body, expected) => {
    expect((await askServer(saying(body))).answer).toEqual(expected);
  });

  test('of thousands of characters is one short line', async () => {
    const { answer } = await askServer(saying({ hookStatus: 'FAILED', message: 'x'.repeat(1e5) }));
    expect(answer.verdict).toBe('fail');
    expect(answer.detail.length).toBeLessThan(200);
  });

  test.each([
    ['a page', saying('<html><h1>It works!</h1></html>')],
    ['an empty body', saying('')],
    ['another word', saying({ hookStatus: 'OK' })],
    ['the word in small letters', saying({ hookStatus: 'succeeded' })],
    ['a status word of its own', saying({ status: 'SUCCEEDED' })],
    ['a list', saying([{ hookStatus: 'SUCCEEDED' }])],
    ['null', saying('null')],
    ['a yes beside an error', saying({ hookStatus: 'SUCCEEDED' }, 500)],
    ['a yes beside a redirect', saying({ hookStatus: 'SUCCEEDED' }, 302)],
    [
      'a body that is cut off',
      (_, response) =>
        response
          .writeHead(200, { 'content-length': 99 })
          .write('{"hookStatus":"SUCCEEDED"}', () => response.destroy()),
    ],
    ['a socket that is closed', (_, response) => response.destroy()],
  ] as [string, Respond][])('that is %s is never a yes or a no', async (_, respond) => {
    expect((await askServer(respond)).answer).toMatchObject({ verdict: 'unknown' });
    expect((await askServer(respond)).answer).not.toHaveProperty('askAgainIn');
  });

  test('that does not come is awaited for its time, and no longer', async () => {
    const { answer } = await askServer(() => undefined, { timeoutSeconds: 1 });
    expect(answer).toEqual({ verdict: 'unknown', detail: 'no answer in 1 s' });
  });

  test('H21: that sends elsewhere is not followed', async () => {
    const other = await startHttpServer(saying({ hookStatus: 'SUCCEEDED' }));
    const { answer } = await askServer((_, response) =>
      response.writeHead(307, { location: other.url }).end(),
    );
    expect(answer).toEqual({ verdict: 'unknown', detail: '307, redirects are not followed' });
    expect(other.received).toEqual([]);
  });
});

test('C01: each question has a session that nobody has used, long enough for AgentCore', async () => {
  const server = await startHttpServer((_, response) => {
    response.writeHead(200).end('{"hookStatus":"IN_PROGRESS"}');
  });
  const check = { name: 'talk', url: `${server.url}/hook`, timeoutSeconds: 5 };
  const { sessionId: _, ...asked } = QUESTION;
  const ask = createCheckAsker();
  for (const _ of ['first', 'the same once more']) await ask(check as never, asked);

  const ids = server.received.map(({ body }) => JSON.parse(body).sessionId);
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(id).toMatch(/^[\w-]{33,200}$/);
});

describe('a check by HTTP', () => {
  test('is asked once, with everything that there is to know', async () => {
    const { server } = await askServer(saying({ hookStatus: 'SUCCEEDED' }));
    expect(server.received).toHaveLength(1);
    const [{ method, url, body, headers }] = server.received as never as [
      (typeof server.received)[0],
    ];
    expect([method, url]).toEqual(['POST', '/hook']);
    expect(JSON.parse(body)).toEqual({ ...QUESTION, sessionId: expect.any(String) });
    expect(headers).toMatchObject({ 'webhook-id': QUESTION.attemptId });
    expect(headers).not.toHaveProperty('webhook-signature');
  });

  test.each([
    ['whsec_c2VzYW1l', Buffer.from('sesame')],
    ['open sesame', Buffer.from('open sesame')],
  ])('is signed with the secret %s over time, id and body', async (secret, key) => {
    const file = join(folder, 'secret');
    await writeFile(file, `${secret}\n`);
    const { server } = await askServer(saying({ hookStatus: 'SUCCEEDED' }), { secret: { file } });
    const [{ headers, body }] = server.received as never as [(typeof server.received)[0]];
    const at = headers['webhook-timestamp'];
    expect(Math.abs(Number(at) - Date.now() / 1000)).toBeLessThan(3_600);
    const expected = createHmac('sha256', key).update(`${headers['webhook-id']}.${at}.${body}`);
    expect(headers['webhook-signature']).toBe(`v1,${expected.digest('base64')}`);
    expect(`${body}${JSON.stringify(headers)}`).not.toContain(secret);
  });

  test.each([
    ['Rauchprüfung', 'Rauchpr%C3%BCfung'],
    ['検査 1', '%E6%A4%9C%E6%9F%BB%201'],
    ['100 %\n', '100%20%25%0A'],
    ['\ud800', '%EF%BF%BD'],
  ])('is asked and signed whatever its name: %j', async (name, encoded) => {
    const attemptId = `r/1/${name}/1`;
    const server = await startHttpServer(saying({ hookStatus: 'SUCCEEDED' }));
    const answer = await askUrl(
      `${server.url}/hook`,
      { ...QUESTION, attemptId },
      { timeoutSeconds: 5, key: 'open sesame' },
    );
    expect(answer).toMatchObject({ verdict: 'pass' });
    const [{ headers, body }] = server.received as never as [(typeof server.received)[0]];
    expect(headers['webhook-id']).toBe(`r/1/${encoded}/1`);
    const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
    const expected = createHmac('sha256', 'open sesame').update(signed);
    expect(headers['webhook-signature']).toBe(`v1,${expected.digest('base64')}`);
  });

  test.each(['whsec_c2VzYW1l', 'open sesame'])(
    'that repeats its secret %s does not tell it',
    async (secret) => {
      const file = join(folder, 'secret');
      await writeFile(file, secret);
      const repeats = saying({ hookStatus: 'FAILED', message: `${'x'.repeat(150)} ${secret}` });
      const { answer } = await askServer(repeats, { secret: { file } });
      expect(answer.verdict).toBe('fail');
      expect(answer.detail).toContain('xxx [hid');
      expect(answer.detail).not.toContain(secret.slice(0, 4));
    },
  );

  test('whose secret is not there is not asked', async () => {
    const { server, answer } = await askServer(saying({ hookStatus: 'SUCCEEDED' }), {
      secret: { file: join(folder, 'none') },
    });
    expect(answer).toMatchObject({ verdict: 'unknown', detail: expect.stringContaining('none') });
    expect(server.received).toEqual([]);
  });
});
