import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pageOf, rowOf, sendJson } from '../adapters/http/fault-server.ts';
import { ended, startProgram } from '../cli/program-process.ts';
import { startHere } from '../cli/run-here.ts';
import { CANARIES, CLIENT, expectNoCanary } from './canary.ts';
import {
  answerNamed,
  type HostileService,
  linkWith,
  startHostileService,
} from './hostile-service.ts';
import { expectNoneInLedger } from './ledger-of-failure.ts';

let folder = '';
let service: HostileService;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'steproll-canary-'));
  service = await startHostileService();
});

afterEach(() => rmSync(folder, { recursive: true }));

test.each([
  ['a bearer token', '401 that', withToken],
  ['a bearer token', 'a redirect', withToken],
  ['client credentials', 'a row', withClient],
  ['client credentials', '500 with a page', withClient],
])('steproll --debug with %s that gets %s … shows no secret', async (_, start, credentials) => {
  service.answer = answerNamed(start);
  const { args, env } = credentials();
  const output = await shownBy(startHere(folder, [...COMMAND, ...args], env));
  expect(output).toContain('authorization: [hidden]');
  expectNoCanary(output);
});

test('steproll --debug that gets what it asks for shows no secret', async () => {
  const { args } = withClient();
  for (const start of [startHere, startProgram]) {
    const output = await shownBy(start(folder, [...COMMAND, ...args]));
    expect(output).toContain('POST');
    expect(output).toContain('"id": "e1"');
    expectNoCanary(output);
  }
});

test('the ledger of a rollout whose rolls are refused with the header in the answer holds no secret', () =>
  expectNoneInLedger(service, '409 that'));

const WORDS = ['table', 'json', 'id'] as const;

/** A fleet whose every text repeats the token. It fails at version 2, and says why with the header. */
function repeatToken(): { readonly stops: () => number } {
  let target = 1;
  let stops = 0;
  service.answer = ({ method, url, headers, query }, response) => {
    const token = String(headers.authorization).replace('Bearer ', '');
    if (method === 'PUT') target = 2;
    if (url.endsWith('/stop')) stops += 1;
    const failed = { status: `FAILED ${token}`, why: `no image, sent ${headers.authorization}` };
    const other = rowOf('e1', { name: `prod-${token}`, url: linkWith(token) });
    const row = rowOf('e2', {
      name: `web-${token}`,
      targetVersion: target,
      ...(target === 2 && failed),
    });
    sendJson(response, method === 'GET' ? pageOf([other, row], query) : row);
  };
  return { stops: () => stops };
}

test('what the service repeats of a token in names, URLs and reasons is hidden wherever it is told, and decided on as it was said', async () => {
  const { stops } = repeatToken();
  const start = CANARIES.bearerToken.slice(0, 8);
  const config = join(folder, 'repeats.json');
  const policy = {
    ...{ waves: [{ names: [`web-${start}*`] }, { percent: 100 }] },
    ...{ selection: { names: [`*-${start}*`] }, bakeSeconds: 0, pollSeconds: 1, minServing: 0 },
    ...{ statuses: { failed: ['FAILED *'], stopped: [], serving: [] } },
    ...{ onFailure: 'stop-old', protect: [`web-${start}*`] },
  };
  const wire = { endpoint: { statusReason: 'why' } };
  writeFileSync(
    config,
    JSON.stringify({ endpointUrl: service.url, wire, policies: { default: policy } }),
  );
  const env = { STEPROLL_TOKEN: CANARIES.bearerToken };
  const told: string[] = [];
  const run = async (...args: string[]) => {
    const output = await ended(startHere(folder, [...args, '--config', config], env));
    told.push(output.stdout, output.stderr);
    return output;
  };

  for (const form of WORDS) await run('agent', 'runtime', 'endpoint', 'list', 'shop', '-o', form);
  await run('rollout', 'plan', 'shop', '--version', '2');
  const { stdout } = await run('rollout', 'start', 'shop', '--version', '2', '--yes', '-o', 'json');
  const { rolloutId, reason, message } = JSON.parse(stdout);
  expect(reason).toBe('EndpointFailed');
  expect(message).toContain('no image, sent Bearer [hidden]');
  const shown = await run('rollout', 'show', rolloutId, '-o', 'json');
  await run('rollout', 'show', rolloutId);
  await run('rollout', 'list', '-o', 'json');
  // It failed, and would have been stopped: only its real name is protected.
  expect(JSON.parse(shown.stdout).endpoints).toMatchObject([
    { endpointId: 'e2', name: 'web-[hidden]', wave: 1, reason: 'protected' },
    { endpointId: 'e1', name: 'prod-[hidden]', wave: 2 },
  ]);
  expect(stops()).toBe(0);

  const files = readdirSync(folder)
    .filter((name) => name.startsWith('ledger'))
    .map((name) => readFileSync(join(folder, name), 'latin1'));
  expect(files.join('')).toContain('web-[hidden]');
  expectNoCanary([...told, ...files].join('\n'));
});

test('a token under 8 characters is not hidden in names, and ids stay as they are', async () => {
  service.answer = ({ query }, response) =>
    sendJson(response, pageOf([rowOf('sesame-and-canary', { name: 'web-sesame' })], query));
  const list = [...LIST, '--endpoint-url', service.url];
  const listed = async (token: string) => {
    const { stdout } = await ended(startHere(folder, list, { STEPROLL_TOKEN: token }));
    return JSON.parse(stdout).endpoints;
  };
  expect(await listed('sesame')).toMatchObject([{ id: 'sesame-and-canary', name: 'web-sesame' }]);
  expect(await listed('web-sesame')).toMatchObject([{ id: 'sesame-and-canary', name: '[hidden]' }]);
  expect(await listed('sesame-and-canary')).toMatchObject([{ id: 'sesame-and-canary' }]);
});

function withToken(): Run {
  return { args: ['--endpoint-url', service.url], env: { STEPROLL_TOKEN: CANARIES.bearerToken } };
}

function withClient(): Run {
  const secret = { file: join(folder, 'client.json') };
  writeFileSync(secret.file, JSON.stringify(CLIENT));
  const auth = { kind: 'client-credentials', tokenUrl: service.tokenUrl, secret };
  const config = join(folder, 'steproll.config.json');
  writeFileSync(config, JSON.stringify({ endpointUrl: service.url, auth }));
  return { args: ['--config', config], env: {} };
}

interface Run {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const LIST = ['agent', 'runtime', 'endpoint', 'list', 'shop', '-o', 'json'];
const COMMAND = [...LIST, '--debug', '--debug-answers'];

/** All that the program shows. */
async function shownBy(program: ReturnType<typeof startHere | typeof startProgram>) {
  const { stdout, stderr } = await ended(program);
  return stdout + stderr;
}
