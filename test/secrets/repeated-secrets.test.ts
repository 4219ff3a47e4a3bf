import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  type HttpTestServer,
  pageOf,
  type ReceivedRequest,
  rowOf,
  sendJson,
  startHttpServer,
} from '../adapters/http/fault-server.ts';
import { ended } from '../cli/program-process.ts';
import { startHere } from '../cli/run-here.ts';

const SECRETS = {
  token: 'canary-token~1',
  proxy: 'canary+proxy/2',
  basic: 'canary&basic-3',
  bearer: 'canary.bearer_4',
  key: Buffer.from('canary key of a check').toString('base64'),
  hook: Buffer.from('canary key of a hook').toString('base64'),
} as const;
const PROXY_LOGIN = `ops:${SECRETS.proxy}`;

let folder = '';
/** The proxy, which answers in place of the service. */
let proxy: HttpTestServer;
let answer: (request: ReceivedRequest) => readonly [status: number, body: unknown];
/** Prometheus, the check and the webhook. */
let gates: HttpTestServer;
let rolled: number;
const messages: string[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-repeated-'));
  rolled = 1;
  messages.length = 0;
  answer = answerAsService;
  proxy = await startHttpServer((request, response) => {
    const [status, body] = answer(request);
    sendJson(response, body, status);
  });
  gates = await startHttpServer(({ url, headers, body }, response) => {
    const said = String(headers.authorization).replace(/^\w+ /, '');
    if (url === '/hook') messages.push(body);
    if (url === '/hook') return response.writeHead(200).end();
    if (url === '/check')
      return sendJson(response, { hookStatus: 'FAILED', message: REPEATED_KEY });
    const login = Buffer.from(said, 'base64').toString();
    const metric = { pod: said, value: login, [login]: 'x' };
    const result = [{ metric, value: [1, '7'] }];
    const isWarning = /^Bearer /.test(String(headers.authorization));
    return sendJson(response, {
      status: 'success',
      ...(isWarning && { warnings: [`${'x'.repeat(75)} ${said} ${'x'.repeat(6)} ${said}`] }),
      data: { resultType: 'vector', result },
    });
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

/** The key alone, and where the message is cut. */
const REPEATED_KEY = `signed ${SECRETS.key} ${'x'.repeat(100)} ${SECRETS.key}`;

function answerAsService({ method, query, headers }: ReceivedRequest) {
  const login = Buffer.from(
    String(headers['proxy-authorization']).replace('Basic ', ''),
    'base64',
  ).toString();
  if (method === 'PUT') rolled = 2;
  const versions = { targetVersion: rolled, liveVersion: rolled };
  const row = rowOf('e1', { ...versions, name: `web-${login}`, why: `for ${login}` });
  return [200, method === 'GET' ? pageOf([row], query) : row] as const;
}

/** The shell shows its arguments, and this is in a file. */
const SCRIPT = 'printf "%s" "$(cat "$0")"; exit 1';

function run(args: readonly string[], said = ''): ReturnType<typeof ended> {
  writeFileSync(join(folder, 'said'), said);
  const secretOf = (name: keyof typeof SECRETS) => ({ environment: name.toUpperCase() });
  const ask = { url: gates.url, query: 'up', above: 1 };
  const policy = {
    ...{ waves: [{ percent: 100 }], bakeSeconds: 0, pollSeconds: 1, onFailure: 'hold' },
    ...{ minServing: 0, maxUnavailable: { percent: 100 } },
    verify: {
      redAtStart: 'ignore',
      checks: [
        { name: 'by-url', url: `${gates.url}/check`, secret: secretOf('key') },
        { name: 'by-command', command: ['/bin/sh', '-c', SCRIPT, join(folder, 'said')] },
      ],
      prometheus: [
        { name: 'by-basic', ...ask, auth: { kind: 'basic', secret: secretOf('basic') } },
        { name: 'by-bearer', ...ask, auth: { kind: 'bearer', secret: secretOf('bearer') } },
      ],
    },
  };
  const config = {
    endpointUrl: 'http://endpoints.svc.cluster.local',
    allowHttp: ['endpoints.svc.cluster.local'],
    wire: { endpoint: { statusReason: 'why' } },
    policies: { default: policy },
    notifications: { webhooks: [{ url: `${gates.url}/hook`, secret: secretOf('hook') }] },
  };
  writeFileSync(join(folder, 'config.json'), JSON.stringify(config));
  const login = `ops:${encodeURIComponent(SECRETS.proxy)}`;
  return ended(
    startHere(folder, [...args, '--config', 'config.json'], {
      STEPROLL_TOKEN: SECRETS.token,
      HTTP_PROXY: proxy.url.replace('//', `//${login}@`),
      KEY: `whsec_${SECRETS.key}`,
      HOOK: `whsec_${SECRETS.hook}`,
      BASIC: `reader:${SECRETS.basic}`,
      BEARER: SECRETS.bearer,
    }),
  );
}

const START = ['rollout', 'start', 'shop', '--version', '2', '--yes', '-o', 'json'];

test('what a service, a proxy, a Prometheus and checks repeat of secrets is hidden wherever it is told', async () => {
  const told: string[] = [];
  const note = async (...args: string[]) => {
    const { stdout, stderr } = await run(
      args,
      `many lines\nthe token ${SECRETS.token} and ${SECRETS.hook}`,
    );
    told.push(stdout, stderr);
    return stdout;
  };
  const { rolloutId } = JSON.parse(await note(...START, '--debug', '--debug-answers'));
  const shown = await note('rollout', 'show', rolloutId, '-o', 'json', '--debug');
  await note('rollout', 'show', rolloutId);
  await note('rollout', 'list', '-o', 'json');
  await note('agent', 'runtime', 'endpoint', 'list', 'shop', '--debug', '--debug-answers');
  const files = readdirSync(folder)
    .filter((name) => name.startsWith('ledger'))
    .map((name) => readFileSync(join(folder, name), 'latin1'));

  // It was all said, or nothing is proved.
  for (const sink of [told[0], shown, files.join('\n'), messages.join('\n')]) {
    expect(sink).toContain('by-url: FAILED: signed [hidden] x');
    expect(sink).toContain('by-command: FAILED: the token [hidden] and [hidden]');
    expect(sink).toContain('web-[hidden]');
  }
  expect(files.join('\n')).toContain(`with a warning: ${'x'.repeat(75)}`);
  expect(files.join('\n')).toContain('pod=\\"[hidden]\\",value=\\"[hidden]\\"');
  expectNoSecret([...told, ...files, ...messages].join('\n'));
});

test.each([407, 500])(
  'what a proxy repeats of its password in the body of a %d is hidden',
  async (status) => {
    answer = ({ headers }) => {
      const sent = String(headers['proxy-authorization']);
      return [status, { no: sent, for: Buffer.from(sent.slice(6), 'base64').toString() }];
    };
    const list = ['agent', 'runtime', 'endpoint', 'list', 'shop', '--debug', '--debug-answers'];
    const { code, stdout, stderr } = await run(list);
    expect(code).toBe(3);
    expect(stderr).toContain(`${status} {"no":"Basic [hidden]`);
    expectNoSecret(stdout + stderr);
  },
);

function expectNoSecret(text: string): void {
  const spelled = Object.values(SECRETS).flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    // The start of a secret that was cut, and of one in base64.
    secret.slice(0, 9),
    Buffer.from(secret).toString('base64').slice(0, 12),
  ]);
  const logins = [PROXY_LOGIN, `reader:${SECRETS.basic}`].map((login) =>
    Buffer.from(login).toString('base64').slice(0, 12),
  );
  const found = [...spelled, ...logins].filter((one) => text.includes(one));
  expect(found.map((one) => text.slice(text.indexOf(one) - 80).slice(0, 160))).toEqual([]);
}
