import { randomUUID } from 'node:crypto';
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Looked, learn, lookOf, NOTHING_KNOWN } from '../../lib/console/server/looks.ts';
import { createLocalLedger, type LocalLedger } from '../cli/local-ledger.ts';
import { type ConsoleProcess, startConsole } from './console-process.ts';

const HOSTILE = '<img src=x onerror="fetch(`//evil.example`)">\u202e</script>';

let local: LocalLedger;
let running: ConsoleProcess;
let origin: string;
let token: string;

beforeAll(async () => {
  local = createLocalLedger();
  await local.begin({ rolloutId: 'done', runtimeId: 'shop' }, 'Succeeded');
  await local.begin({
    rolloutId: 'open',
    runtimeId: HOSTILE,
    startedBy: { kind: 'release', name: HOSTILE, at: 0 },
  });
  running = await startConsole(local.folder);
  ({ origin, token } = running);
});
afterAll(async () => {
  await running.end();
  local.remove();
});

interface Asked {
  readonly method?: string;
  /** @default - the console's own host, and the token */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** With fetch nobody can say another Host. */
function ask(path: string, { method = 'GET', headers = {}, body }: Asked = {}) {
  const { hostname, port } = new URL(origin);
  return new Promise<{ status: number; headers: Record<string, unknown>; text: string }>(
    (resolve, reject) => {
      const own = { authorization: `Bearer ${token}`, ...headers };
      const sent = request({ hostname, port, path, method, headers: own }, (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        const { statusCode: status = 0 } = answer;
        answer.on('end', () => resolve({ status, headers: answer.headers, text }));
      });
      sent.on('error', reject).end(body);
    },
  );
}

/** As a page does that was opened with it. */
function openLink(link: string, key: string = randomUUID()) {
  const code = link.split('#code=')[1];
  return ask('/api/session', {
    method: 'POST',
    headers: { ...JSON_TYPE, authorization: '', origin },
    body: JSON.stringify({ code, key }),
  });
}

const DATA = [
  '/api/rollouts',
  '/api/rollouts/open',
  '/api/rollouts/open/ahead',
  '/api/runtimes/shop',
  '/api/report?since=1h',
  '/api/coming',
  '/api/runtimes/shop/drift',
  '/api/endpoints?endpoint=web',
  '/api/look',
];
const PAGES = [
  '/',
  '/rollouts/open',
  '/runtimes/shop',
  '/rehearsal',
  '/report',
  '/compare',
  '/coming',
  '/console.js',
  '/console.css',
  '/icon.svg',
  '/icon-rolling.svg',
  '/icon-wants.svg',
  '/icon-bad.svg',
];
const ABORT = {
  method: 'POST',
  body: '{"reason":"evil","onFailure":"stop-old"}',
} as const;
const JSON_TYPE = { 'content-type': 'application/json' };

async function signals() {
  return (await local.ledger.read('open')).signals;
}

describe('the console', () => {
  test('has the code of its link behind the #, which nobody sends along, and which gives the session once', async () => {
    const { hash, host, pathname } = new URL(running.link);
    expect({ host, pathname }).toEqual({ host: new URL(origin).host, pathname: '/' });
    expect(hash).toMatch(/^#code=[\w-]{43}$/);
    expect(hash).not.toContain(token);
    const again = await openLink(running.link);
    expect(again.status).toBe(410);
    expect(again.text).toMatch(/This link was used at [\d:]+Z, and works once\..* end the console/);
    expect(again.text).not.toContain(token);
  });

  test('gives the page that has lost the answer the same one again, and no other page', async () => {
    const link = await running.printed((signal) => signal('SIGQUIT'));
    const key = randomUUID();
    const [first, again] = [await openLink(link, key), await openLink(link, key)];
    expect(JSON.parse(first.text)).toEqual({ session: token });
    expect(again).toMatchObject({ status: 200, text: first.text });
    expect((await openLink(link)).status).toBe(410);
  });

  test('prints at Ctrl-\\ the link that nobody has opened yet, and after that another one', async () => {
    const press = () => running.printed((signal) => signal('SIGQUIT'));
    const first = await press();
    expect(await press()).toBe(first);
    expect((await openLink(first)).status).toBe(200);
    expect(await press()).not.toBe(first);
  });

  test('prints a link for a page that has none, which does not get it, and not time after time', async () => {
    const post = (headers: object) =>
      ask('/api/link', {
        method: 'POST',
        headers: { ...JSON_TYPE, authorization: '', ...headers },
        body: '{}',
      });
    expect((await post({ origin: 'http://evil.example' })).status).toBe(403);
    expect((await post({})).status).toBe(403);
    const link = await running.printed(async () => {
      expect(await post({ origin })).toMatchObject({ status: 200, text: '{}' });
    });
    expect((await post({ origin })).status).toBe(429);
    expect((await openLink(link)).status).toBe(200);
  });

  test.each([
    ['of nobody', { code: 'x'.repeat(43), key: randomUUID() }, {}, 410],
    ['without a key', { code: 'x' }, {}, 400],
    [
      'from another origin',
      { code: 'x', key: randomUUID() },
      { origin: 'http://evil.example' },
      403,
    ],
    ['from nowhere', { code: 'x', key: randomUUID() }, { origin: '' }, 403],
    ['as a form', { code: 'x', key: randomUUID() }, { 'content-type': 'text/plain' }, 415],
  ])('takes no code %s', async (_, body, headers, status) => {
    const answer = await ask('/api/session', {
      method: 'POST',
      headers: { ...JSON_TYPE, authorization: '', origin, ...headers },
      body: JSON.stringify(body),
    });
    expect(answer.status).toBe(status);
  });

  test.each(PAGES)('serves %s, which has no data, to anybody on this machine', async (path) => {
    const { status, text } = await ask(path, { headers: { authorization: '' } });
    expect(status).toBe(200);
    expect(text).not.toContain('evil.example');
  });

  test.each(DATA)('tells %s to nobody without the token', async (path) => {
    for (const authorization of ['', 'Bearer ', `Bearer ${token}x`, token]) {
      const { status, text } = await ask(path, { headers: { authorization } });
      expect({ status, text }).toEqual({
        status: 401,
        text: expect.not.stringContaining('evil.example'),
      });
    }
  });

  test.each([...DATA, ...PAGES])('answers %s under no other Host', async (path) => {
    for (const host of ['evil.example', `evil.example:${new URL(origin).port}`, '127.0.0.1:1']) {
      expect((await ask(path, { headers: { host } })).status).toBe(403);
    }
  });

  test.each([...DATA, ...PAGES])('answers %s to no page of another origin', async (path) => {
    for (const other of ['http://evil.example', 'null', `${origin}0`]) {
      expect((await ask(path, { headers: { origin: other } })).status).toBe(403);
    }
  });

  test.each([
    ['without the token', { authorization: '', origin: '' }, 401],
    ['from another origin', { origin: 'http://evil.example' }, 403],
    ['from a file', { origin: 'null' }, 403],
    ['from nowhere', {}, 403],
    ['under another Host', { host: 'evil.example', origin: 'http://evil.example' }, 403],
    ['as a form', { 'content-type': 'text/plain', origin: 'own' }, 415],
  ])('takes no abort %s', async (_, headers, status) => {
    const named = Object.entries(headers).map(([name, value]) => {
      return [name, name === 'origin' && ['', 'own'].includes(value) ? origin : value];
    });
    const answer = await ask('/api/rollouts/open/abort', {
      ...ABORT,
      headers: { ...JSON_TYPE, ...Object.fromEntries(named) },
    });
    expect(answer.status).toBe(status);
    expect(await signals()).toEqual([]);
  });

  test.each(['/api/rollouts/open/retry', '/api/rollouts/open/approve', '/api/rehearsals'])(
    'takes no post to %s without the token or from elsewhere',
    async (path) => {
      const post = async (headers: Record<string, string>) => {
        const sent = { ...JSON_TYPE, ...headers };
        return (await ask(path, { method: 'POST', headers: sent, body: '{}' })).status;
      };
      expect(await post({ origin, authorization: '' })).toBe(401);
      expect(await post({ origin: 'http://evil.example' })).toBe(403);
      expect(await post({})).toBe(403);
    },
  );

  test('says what a retry and a rehearsal need that this console was not given', async () => {
    for (const [path, body] of [
      ['/api/rollouts/done/retry', '{}'],
      ['/api/rehearsals', '{"runtime":"shop","version":"3"}'],
    ] as const) {
      const answer = await ask(path, { method: 'POST', headers: { ...JSON_TYPE, origin }, body });
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.text).message).toContain('--endpoint-url: ');
    }
  });

  test.each([...PAGES, ...DATA, '/api/rollouts/none', '/nothing', '/%zz'])(
    'tells the browser with %s to load, ask and run nothing else',
    async (path) => {
      const { headers } = await ask(path);
      const policy = String(headers['content-security-policy']).split('; ');
      expect(policy).toEqual(
        expect.arrayContaining([
          "default-src 'none'",
          "script-src 'self'",
          "style-src 'self'",
          "connect-src 'self'",
          "frame-ancestors 'none'",
          "base-uri 'none'",
          "form-action 'none'",
          "require-trusted-types-for 'script'",
        ]),
      );
      expect(String(headers['content-security-policy'])).not.toMatch(/unsafe|http|\*/);
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cache-control': 'no-store',
      });
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    },
  );

  test('answers a browser that opens an unknown address with pages that say so, and a program with JSON', async () => {
    const opened = await ask('/bogus', { headers: { authorization: '', accept: 'text/html' } });
    expect(opened).toMatchObject({ status: 404, text: (await ask('/')).text });
    expect(opened.headers['content-type']).toMatch(/^text\/html/);
    const read = await ask('/api/bogus', { headers: { accept: 'text/html' } });
    expect(JSON.parse(read.text).error).toBe('NotFound');
    expect(JSON.parse((await ask('/bogus')).text).error).toBe('NotFound');
  });

  test('has a document without any script or style of its own, and of no other host', async () => {
    const { text } = await ask('/');
    const addresses = [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address);
    expect(addresses).toEqual(['/icon.svg', '/console.css', '/console.js']);
    expect(text).not.toMatch(/<style|style=|\son\w+=|<script(?![^>]*src=)/);
  });

  test('tells a story as rollout show does, and names as JSON text', async () => {
    const { status, headers, text } = await ask('/api/rollouts/open');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    const shown = JSON.parse((await local.run('rollout', 'show', 'open', '-o', 'json')).stdout);
    expect(JSON.parse(text).report).toEqual(shown);
    expect(shown.runtimeId).toBe(HOSTILE);
  });

  test('tells the history as rollout list does', async () => {
    const { rollouts, found } = JSON.parse((await ask('/api/rollouts')).text);
    const args = ['rollout', 'list', '--outcome', 'Succeeded', '-o', 'json'];
    const listed = JSON.parse((await local.run(...args)).stdout);
    expect(rollouts).toEqual(listed.map((one: object) => ({ ...one, again: null })));
    expect(found).toBe(1);
  });

  test('tells of a runtime how its rollouts have ended, and nothing of one that it does not know', async () => {
    const known = JSON.parse((await ask('/api/runtimes/shop')).text);
    expect(known.versions).toMatchObject([{ ends: { Succeeded: 1 }, lastFailure: null }]);
    expect(known.newest).toMatchObject([{ rolloutId: 'done' }]);
    const { text } = await ask('/api/runtimes/nothing');
    expect(JSON.parse(text)).toEqual({
      versions: [],
      versionsFound: 0,
      newest: [],
      endpoints: [],
    });
  });

  test.each([
    ['runtime=shop', 1],
    ['runtime=cart', 0],
    ['group=prod', 0],
    ['version=3', 1],
    ['version=4', 0],
    ['outcome=Succeeded', 1],
    ['outcome=Failed', 0],
    ['outcome=Failed,Succeeded', 1],
    ['outcome=Failed,Aborted', 0],
    ['id=done', 1],
    ['id=do', 1],
    ['id=one', 0],
    ['from=2000-01-31', 1],
    ['to=2000-01-31', 0],
    ['who=NOBODY', 0],
  ])('filters the history by %s', async (query, found) => {
    expect(JSON.parse((await ask(`/api/rollouts?${query}`)).text).found).toBe(found);
  });

  test('says all that is wrong with filters at once', async () => {
    const { status, text } = await ask('/api/rollouts?from=monday&outcome=Good');
    expect(status).toBe(400);
    expect(JSON.parse(text).message).toMatch(/outcome.*\n.*from/s);
  });

  test('tells a report as the command does, and says what --since takes', async () => {
    const { text, sections } = JSON.parse((await ask('/api/report?since=1h')).text);
    expect(text).toMatch(/^Since .*: 1 succeeded, 1 under way\.\n/);
    expect(sections).toMatchObject([{ title: 'Under way' }, { title: 'Succeeded' }]);
    const wrong = await ask('/api/report?since=monday');
    expect(wrong.status).toBe(400);
    expect(JSON.parse(wrong.text).message).toContain('since: use for how long, such as 8h');
  });

  test('does not know a rollout that there is not', async () => {
    const { status, text } = await ask('/api/rollouts/none');
    expect(status).toBe(404);
    expect(JSON.parse(text).error).toBe('RolloutNotFound');
  });

  test('tells what is under way, and right after an abort that it was asked to', async () => {
    const look = async () => {
      const answer: Looked = JSON.parse((await ask('/api/look')).text);
      return lookOf(learn(NOTHING_KNOWN, answer))?.rollouts ?? [];
    };
    expect(await look()).toMatchObject([{ rolloutId: 'open', runtimeId: HOSTILE }]);
    const said = await ask('/api/rollouts/open/abort', {
      method: 'POST',
      headers: { ...JSON_TYPE, origin },
      body: '{"reason":"wrong day"}',
    });
    expect(said.text).toContain('Asked to abort.');
    expect((await look())[0]?.wants[0]?.says).toMatch(/ asked to abort/);
    expect(await signals()).toMatchObject([
      { kind: 'abort', reason: 'wrong day', onFailure: 'hold' },
    ]);
  });

  test('several aborts at once: the last one counts, and whoever replaces it is told', async () => {
    await local.begin({ rolloutId: 'busy', runtimeId: 'busy' });
    const abort = async (onFailure: string) => {
      const headers = { ...JSON_TYPE, origin };
      const body = JSON.stringify({ onFailure });
      const answer = await ask('/api/rollouts/busy/abort', { method: 'POST', headers, body });
      return { onFailure, status: answer.status, message: JSON.parse(answer.text).message };
    };
    const answers = await Promise.all(['hold', 'roll-back', 'stop-old'].map(abort));
    const last = (await local.ledger.read('busy')).signals.at(-1)?.onFailure;
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    for (const { onFailure, message } of answers) {
      if (onFailure === last) expect(message).toMatch(/^Asked to abort\./);
    }
    expect((await abort('hold')).message).toMatch(
      /^Asked to abort\. .* Before, .*the last one.* The rollout hears that by [\d:]{8}Z\.$/,
    );
    await local.ledger.close(
      'busy',
      { outcome: 'Aborted', cleanup: 'none', reason: 'X', message: 'X' },
      Date.now(),
    );
  });

  test.each([
    ['br, gzip', 'br'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip;q=0.5', 'gzip'],
    ['identity', undefined],
    ['', undefined],
  ])('compresses its files and its answers as %j allows it: %s', async (accepted, way) => {
    for (const path of ['/console.js', '/api/rollouts/open']) {
      const { headers } = await ask(path, { headers: { 'accept-encoding': accepted } });
      expect(headers['content-encoding']).toBe(way);
    }
  });

  test.each([
    ['done', 'abort', {}, 409, 'RolloutClosed'],
    ['open', 'approve', { wave: 1 }, 409, 'ApprovalNotWanted'],
    ['open', 'promote', { wave: 1, isFull: true }, 409, 'NothingBakes'],
    ['open', 'resume', {}, 400, 'BadRequest'],
    ['done', 'revert', {}, 400, 'BadRequest'],
    ['open', 'abort', { onFailure: 'burn' }, 400, 'BadRequest'],
    ['open', 'burn', {}, 404, 'NotFound'],
    ['none', 'abort', {}, 404, 'RolloutNotFound'],
    ['deaf', 'abort', { onFailure: 'stop-old' }, 409, 'NotUnderstood'],
  ])('answers of %s what speaks against %s %j', async (id, act, said, status, error) => {
    if (id === 'deaf') await beginDeaf();
    const answer = await ask(`/api/rollouts/${id}/${act}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, origin },
      body: JSON.stringify(said),
    });
    expect({ status: answer.status, error: JSON.parse(answer.text).error }).toEqual({
      status,
      error,
    });
  });
});

/** An older steproll runs it, which knows no other abort than one that leaves all as it is. */
async function beginDeaf(): Promise<void> {
  await local.begin({ rolloutId: 'deaf', runtimeId: 'deaf' });
  local.understandOnly('deaf', ['abort', 'hold']);
}
