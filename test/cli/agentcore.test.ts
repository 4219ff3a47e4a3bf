import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { ended } from './program-process.ts';
import { startHere } from './run-here.ts';

const RUNTIME = 'shop-a1B2c3D4e5';
const NAMES = ['DEFAULT', 'live', 'canary'];

interface Call {
  readonly method: string | undefined;
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

const calls: Call[] = [];
/** As much of the control plane as commands speak to: one runtime, whose lists come in pages of at most two. */
const server = createServer(async (request, response) => {
  const { method, url = '', headers } = request;
  const { authorization } = headers;
  calls.push({ method, path: url, authorization, body: await text(request) });
  const [status, body] = answerTo(request);
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
const home = mkdtempSync(join(tmpdir(), 'steproll-agentcore-'));
let url: string;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(home, { recursive: true });
});

beforeEach(() => {
  calls.length = 0;
});

function answerTo({ method, url = '' }: IncomingMessage): [number, object] {
  const { pathname, searchParams } = new URL(url, 'http://a');
  const times = { createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' };
  const row = (name: string) => ({
    ...times,
    name,
    id: `${name}-a1B2c3D4e5`,
    status: 'READY',
    liveVersion: '3',
    targetVersion: '3',
    agentRuntimeEndpointArn: `arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/${RUNTIME}/runtime-endpoint/${name}`,
    agentRuntimeArn: `arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/${RUNTIME}`,
  });
  if (pathname.startsWith(`/runtimes/${RUNTIME}/versions`)) {
    const versions = ['4', '3'].map((each) => ({ agentRuntimeVersion: each, status: 'READY' }));
    return [200, { agentRuntimes: versions }];
  }
  if (pathname.startsWith('/harnesses'))
    return answerOfHarness(pathname.slice('/harnesses'.length));
  if (!pathname.startsWith(`/runtimes/${RUNTIME}/runtime-endpoints`)) {
    return [404, { message: 'no such runtime' }];
  }
  const [, name = ''] = /\/runtime-endpoints\/(\w+)\/?$/.exec(pathname) ?? [];
  if (method === 'POST') {
    const from = Number(searchParams.get('nextToken') ?? 0);
    const to = from + Math.min(2, Number(searchParams.get('maxResults')));
    const nextToken = to < NAMES.length ? { nextToken: String(to) } : {};
    return [200, { runtimeEndpoints: NAMES.slice(from, to).map(row), ...nextToken }];
  }
  if (name !== '') return [202, { ...row(name), status: 'UPDATING', targetVersion: '4' }];
  return [202, { ...row('next'), endpointName: 'next', status: 'CREATING', targetVersion: '3' }];
}

/** A harness with the id of the runtime, so that whoever asks the wrong one is seen. */
function answerOfHarness(path: string): [number, object] {
  const of = { harnessId: RUNTIME, harnessName: 'shop' };
  const times = { createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' };
  const row = {
    ...of,
    ...times,
    arn: 'arn',
    status: 'READY',
    liveVersion: '8',
    targetVersion: '8',
  };
  if (path === '') return [200, { harnesses: [{ ...of, ...times, arn: 'arn', status: 'READY' }] }];
  if (path === `/${RUNTIME}`) {
    const environment = { agentCoreRuntimeEnvironment: { agentRuntimeId: beneath } };
    return [200, { harness: { ...of, environment } }];
  }
  if (path === `/${RUNTIME}/versions`) {
    return [
      200,
      { harnessVersions: [{ ...of, ...times, arn: 'arn', harnessVersion: '9', status: 'READY' }] },
    ];
  }
  if (path !== `/${RUNTIME}/endpoints`) return [404, { message: 'no such harness' }];
  return [200, { endpoints: ['DEFAULT', 'prod'].map((name) => ({ ...row, endpointName: name })) }];
}

/** The runtime of the harness. */
let beneath = 'beneath-z9Y8x7W6v5';

const AWS = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE',
  AWS_SECRET_ACCESS_KEY: 'canary-secret',
  AWS_REGION: 'eu-central-1',
};

function run(args: readonly string[], variables: Readonly<Record<string, string>> = {}) {
  const env = {
    ...AWS,
    AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL: url,
    STEPROLL_SERVICE: 'agentcore',
    ...variables,
  };
  return ended(startHere(home, args, env));
}

const endpoint = (...args: string[]) => ['agent', 'runtime', 'endpoint', ...args];

describe('agent runtime endpoint', () => {
  test('list: every page, with the names as ids', async () => {
    const { code, stdout } = await run(endpoint('list', RUNTIME, '--all', '-o', 'id'));
    expect([code, stdout]).toEqual([0, 'DEFAULT\nlive\ncanary\n']);
    expect(calls.map(({ path }) => path)).toHaveLength(2);
  });

  test('list: one page, of which nobody knows how many follow', async () => {
    const { stdout } = await run(endpoint('list', RUNTIME, '--size', '1', '-o', 'json'));
    expect(JSON.parse(stdout)).toMatchObject({
      endpoints: [{ id: 'DEFAULT', liveVersion: 3, status: 'READY' }],
      page: 1,
      size: 1,
      totalPages: null,
      totalEndpoints: null,
    });
    const last = await run(endpoint('list', RUNTIME, '--page', '3', '--size', '1', '-o', 'json'));
    expect(JSON.parse(last.stdout)).toMatchObject({
      endpoints: [{ id: 'canary' }],
      totalPages: 3,
      totalEndpoints: 3,
    });
  });

  test('create and update: prints what the service says of the endpoint', async () => {
    const created = await run(endpoint('create', RUNTIME, '--name', 'next', '-o', 'json'));
    expect(JSON.parse(created.stdout)).toMatchObject({ id: 'next', status: 'CREATING' });
    const args = endpoint('update', RUNTIME, 'live', '--version', '4', '-o', 'json');
    const updated = await run(args);
    expect(JSON.parse(updated.stdout)).toMatchObject({ id: 'live', targetVersion: 4 });
    expect(calls.at(-1)).toMatchObject({
      method: 'PUT',
      path: `/runtimes/${RUNTIME}/runtime-endpoints/live/`,
      body: expect.stringContaining('"agentRuntimeVersion":"4"'),
    });
  });

  test('stop: is refused with the reason, before anything is sent or asked', async () => {
    expect(await run(endpoint('stop', RUNTIME, 'live', '--yes'))).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /^StopUnsupported: AgentCore cannot stop an endpoint\. It can only delete one.+never deletes\.\n$/s,
      ),
    });
    expect(calls).toEqual([]);
  });
});

describe('where AgentCore is, and who calls it', () => {
  test('requests are signed, and no token of steproll is ever sent', async () => {
    const { stderr } = await run(endpoint('list', RUNTIME, '--debug'), {
      STEPROLL_TOKEN: 'canary-token',
    });
    expect(calls.length).toBeGreaterThan(0);
    for (const { authorization } of calls) expect(authorization).toMatch(/^AWS4-HMAC-SHA256 /);
    expect(stderr.split('\n')).toEqual(
      expect.arrayContaining([
        `endpoint-url ${url}, from the AWS SDK for eu-central-1 (AWS_REGION)`,
        'service agentcore, from STEPROLL_SERVICE',
        'region eu-central-1, from AWS_REGION',
        'credentials aws, from the AWS SDK',
        'STEPROLL_TOKEN: it is not sent, because the AWS SDK signs with credentials of AWS',
      ]),
    );
    expect(stderr + JSON.stringify(calls)).not.toContain('canary');
  });

  test('the plan shows the URL that the SDK resolves for the region', async () => {
    const args = ['rollout', 'plan', RUNTIME, '--version', '4', '--region', 'eu-west-1'];
    const { code, stdout, stderr: stderrOf } = await run(args);
    expect([code, stderrOf]).toEqual([0, '']);
    expect(stdout).toContain(
      `  Service: ${url}, from the AWS SDK for eu-west-1 (the command line)\n`,
    );
    expect(stdout).toContain(
      'If the version is bad: what was rolled goes back to the versions before (roll-back)',
    );
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
      'Sessions: nobody knows whether a running one goes on with the version before, and its state is lost when the version changes, also on a rollback (AWS: session storage resets on version update). A window',
    );
    // Its defaults are those of this service, and nothing differs from them.
    expect(stdout).not.toContain('Not as by default');
    const { stderr } = await run(args, { AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL: '' });
    expect(stderr).toContain('https://bedrock-agentcore-control.eu-west-1.amazonaws.com');
  });

  test('the plan says which version latest leaves out, and why', async () => {
    const hold = ['hold', 'add', 'quarantine', RUNTIME, '--version', '4', '--until', '1h'];
    await run([...hold, '--reason', 'it leaks', '--yes']);
    const plan = ['rollout', 'plan', RUNTIME, '--version', 'latest'];
    const { stdout } = await run(plan);
    expect(stdout).toContain('nothing to do for version 3');
    expect(stdout.replace(/\s+/g, ' ')).toMatch(/Version 4 is left out\. .*it leaks/);
  });

  test('C01: no rollout begins for a runtime whose id AgentCore cannot have', async () => {
    const { code, stderr } = await run(['rollout', 'start', 'shop', '--version', '4', '--yes']);
    expect(code).toBe(2);
    expect(stderr).toContain('runtime-id: "shop"; use the id of a runtime');
    expect(calls).toEqual([]);
    const history = await run(['rollout', 'list', '-o', 'json']);
    expect(JSON.parse(history.stdout)).toEqual([]);
  });

  test('C01: --endpoint-url is a mistake there, and a missing region is told', async () => {
    const args = endpoint('list', RUNTIME, '--endpoint-url', url);
    const { code, stderr } = await run(args, { AWS_REGION: '' });
    expect(code).toBe(2);
    expect(stderr).toBe(
      [
        'Invalid arguments, 2 mistakes:',
        `  --endpoint-url: "${url}" would be ignored with the service agentcore; leave it out, --region says where the service is, and AWS_ENDPOINT_URL names another URL of it; or add --service rest`,
        '  --region: missing; use the AWS region of the runtimes or harnesses, here or in AWS_REGION',
        '',
      ].join('\n'),
    );
    expect(calls).toEqual([]);
  });

  test.each([
    ['http://10.0.0.1:8080', 'http is only for this machine'],
    ['http://169.254.169.254', 'the address 169.254.169.254 is not allowed'],
    ['ftp://example.com', 'it must start with https://'],
  ])(
    'C06: %s as the URL of AgentCore is refused, and where it comes from is told',
    async (to, why) => {
      const variables = { AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL: to };
      const { code, stderr } = await run(endpoint('list', RUNTIME), variables);
      expect(code).toBe(2);
      expect(stderr).toContain(`endpoint URL: ${why}`);
      expect(stderr).toContain('It comes from AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL,');
    },
  );

  test('C05: a service of another kind is a mistake that says which there are', async () => {
    const { code, stderr } = await run(endpoint('list', RUNTIME), { STEPROLL_SERVICE: 'agent' });
    expect(code).toBe(2);
    expect(stderr).toContain('STEPROLL_SERVICE: "agent" is not allowed; use one of "rest", "agen');
  });

  test('variables that name a URL of another service are not used', async () => {
    const { code, stdout } = await run(endpoint('list', RUNTIME, '--all', '-o', 'id'), {
      STEPROLL_ENDPOINT_URL: 'http://127.0.0.1:1',
    });
    expect([code, stdout]).toEqual([0, 'DEFAULT\nlive\ncanary\n']);
  });
});

describe('a configuration', () => {
  const file = join(home, 'agentcore.json');
  const write = (config: object) => writeFileSync(file, JSON.stringify(config));
  const service = { kind: 'agentcore', region: 'eu-central-1' };
  const runtimes = { [RUNTIME]: {} };

  test('names the service and its region', async () => {
    write({ service, runtimes });
    const { code, stdout } = await run(['config', 'check', file, '-o', 'json'], {
      STEPROLL_SERVICE: '',
      AWS_REGION: '',
    });
    const { isGood, endpointUrl, urlFrom, checks } = JSON.parse(stdout);
    expect([code, isGood, endpointUrl]).toEqual([0, true, url]);
    expect(urlFrom).toBe(`the AWS SDK for eu-central-1 (${file}, service.region)`);
    expect(checks).toContainEqual(
      expect.objectContaining({
        check: 'credentials',
        message: 'Credentials of AWS from the AWS SDK.',
      }),
    );
  });

  test('of harnesses lists their endpoints, and says which runtime nobody may roll besides', async () => {
    write({ service: { ...service, of: 'harness' }, runtimes });
    const nothing = { STEPROLL_SERVICE: '', AWS_REGION: '' };
    const { code, stdout } = await run(['config', 'check', file, '-o', 'json'], nothing);
    const { endpointUrl, checks } = JSON.parse(stdout);
    expect([code, endpointUrl]).toEqual([0, `${url}/harnesses`]);
    expect(checks).toContainEqual({
      ...{ check: 'twin', of: RUNTIME, result: 'ok', next: null },
      message: `Its runtime is ${beneath}; no other configuration may roll that one.`,
    });
    const listed = await run(endpoint('list', RUNTIME, '--config', file, '-o', 'id'), nothing);
    expect([listed.code, listed.stdout]).toEqual([0, 'DEFAULT\nprod\n']);
    const word = { STEPROLL_SERVICE: 'agentcore-harness' };
    const plan = await run(['rollout', 'plan', RUNTIME, '--version', 'latest'], word);
    expect([plan.code, plan.stderr]).toEqual([0, '']);
    expect(plan.stdout).toContain(`Service: ${url}/harnesses, from the AWS SDK`);
  });

  test.each([
    ['harness', 'is in runtimes, too, and would be rolled twice: take it out.'],
    ['runtime', `It is the runtime of the harness ${RUNTIME}, whose rollouts move its endpoints`],
  ])('C05: that rolls one thing twice, as a %s, is a fault', async (of, message) => {
    beneath = of === 'harness' ? 'beneath-z9Y8x7W6v5' : RUNTIME;
    write({ service: { ...service, of }, runtimes: { ...runtimes, [beneath]: {} } });
    const args = ['config', 'check', file, '--runtime', RUNTIME, '-o', 'json'];
    const { code, stdout } = await run(args, { STEPROLL_SERVICE: '', AWS_REGION: '' });
    expect(code).toBe(2);
    const twin = JSON.parse(stdout).checks.find((one: { check: string }) => one.check === 'twin');
    expect(twin).toMatchObject({ result: 'fault', message: expect.stringContaining(message) });
  });

  test('C05: of another service may ask for what AgentCore cannot do, and is told so', async () => {
    write({
      endpointUrl: 'https://a.example',
      runtimes,
      policies: { default: { onFailure: 'stop-old' } },
    });
    const { code, stderr } = await run(['config', 'check', file, '--service', 'agentcore']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `${file}, policies.default.onFailure: "stop-old" is not allowed; use "roll-back" or "hold": this service cannot stop endpoints`,
    );
  });

  test('that was named wins over a profile that nobody named, with its URL', async () => {
    write({ service, runtimes });
    const profiles = join(home, 'profiles');
    writeFileSync(profiles, '[default]\nendpoint_url = http://127.0.0.1:1\n');
    const { code, stdout } = await run(
      endpoint('list', RUNTIME, '--config', file, '--all', '-o', 'id'),
      { STEPROLL_SERVICE: '', STEPROLL_PROFILES_FILE: profiles },
    );
    expect([code, stdout]).toEqual([0, 'DEFAULT\nlive\ncanary\n']);
  });
});
