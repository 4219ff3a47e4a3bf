import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { pageOf, rowsOf, sendJson, startHttpServer } from '../../adapters/http/fault-server.ts';
import { startProxy } from '../../adapters/http/proxy-server.ts';
import { runHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-http-'));
const file = join(home, 'prod.json');
afterAll(() => rmSync(home, { recursive: true }));

const URL_IN_CLUSTER = 'http://endpoints.prod.svc.cluster.local:8080';

/** A service in a cluster, which is reached through a proxy here. */
async function run(config: object, args: readonly string[]) {
  const service = await startHttpServer(({ query }, response) =>
    sendJson(response, pageOf(rowsOf(3), query)),
  );
  const { url: HTTP_PROXY } = await startProxy({ to: service.url });
  writeFileSync(file, JSON.stringify(config));
  const variables = { STEPROLL_STATE_DIR: home, STEPROLL_PROFILES_FILE: join(home, 'none') };
  const ended = await runHere([...args, '--config', file], { ...variables, HTTP_PROXY });
  return { ...ended, requests: service.received.length };
}

const LIST = ['agent', 'runtime', 'endpoint', 'list', 'shop'];

describe('plain http', () => {
  test.each(['*.svc.cluster.local', 'endpoints.prod.svc.cluster.local', '*.Local'])(
    'goes to a service in allowHttp: %s',
    async (allowed) => {
      const { code } = await run({ endpointUrl: URL_IN_CLUSTER, allowHttp: [allowed] }, LIST);
      expect(code).toBe(0);
    },
  );

  test.each([[], ['svc.cluster.local'], ['*.prod.local']])(
    'goes nowhere with %j',
    async (...allowHttp) => {
      const { code, stderr, requests } = await run(
        { endpointUrl: URL_IN_CLUSTER, allowHttp },
        LIST,
      );
      expect({ code, requests }).toEqual({ code: 2, requests: 0 });
      expect(stderr).toContain('name the host in allowHttp');
    },
  );

  test.each([
    ['http://login.example.com/token', 'auth.tokenUrl: (hidden) is not allowed'],
    ['http://login.prod.svc.cluster.local/token', null],
  ])('to the token endpoint %s', async (tokenUrl, mistake) => {
    const auth = { kind: 'client-credentials', tokenUrl, secret: { file: 'none' } };
    const allowHttp = ['*.svc.cluster.local'];
    const { code, stderr } = await run({ endpointUrl: URL_IN_CLUSTER, auth, allowHttp }, LIST);
    if (mistake !== null) expect(stderr).toContain(mistake);
    expect(code).toBe(mistake === null ? 3 : 2);
  });

  test.each(['*', '*.', 'a.*.b', 'http://a.example.com', 'a.example.com:80', ''])(
    'C04: %j in allowHttp is refused, with what is allowed',
    async (pattern) => {
      const { code, stderr } = await run(
        { endpointUrl: URL_IN_CLUSTER, allowHttp: [pattern] },
        LIST,
      );
      expect(code).toBe(2);
      expect(stderr).toMatch(/allowHttp(\[0\]|\.0): .*\*\.svc\.cluster\.local/);
    },
  );

  test('of the token endpoint is told in the plan, and https is not', async () => {
    writeFileSync(join(home, 'client'), '{"clientId":"me","clientSecret":"mine"}');
    const tell = async (tokenUrl: string, more: object = {}) => {
      const service = await startHttpServer(({ url, query }, response) => {
        const token = { access_token: 'minted', token_type: 'Bearer' };
        sendJson(response, url === '/token' ? token : pageOf(rowsOf(3), query));
      });
      const auth = { kind: 'client-credentials', tokenUrl, secret: { file: 'client' } };
      const allowHttp = ['*.svc.cluster.local'];
      const config = { endpointUrl: service.url, auth, allowHttp, ...more };
      writeFileSync(file, JSON.stringify(config));
      const { url: HTTP_PROXY } = await startProxy({ to: service.url });
      const variables = { STEPROLL_STATE_DIR: home, STEPROLL_PROFILES_FILE: join(home, 'none') };
      const args = ['rollout', 'plan', 'shop', '--version', '2', '--config', file];
      const { code, stdout } = await runHere(args, { ...variables, HTTP_PROXY });
      expect(code).toBe(0);
      return stdout.replace(/\s+/g, ' ');
    };
    expect(await tell('http://login.prod.svc.cluster.local/token')).toMatch(
      /Token endpoint: http:\/\/login\.prod\.svc\.cluster\.local\/token, over plain http, which everybody/,
    );
    const local = await startHttpServer((_, response) =>
      sendJson(response, { access_token: 'minted', token_type: 'Bearer' }),
    );
    expect(await tell(`${local.url}/token`)).not.toContain('Token endpoint');
  });

  test('is told in the plan, for the service and for probes', async () => {
    const probe = { path: '/', hosts: ['*.example.com'], privateNetwork: true };
    const policy = { verify: { probe } };
    const config = {
      endpointUrl: URL_IN_CLUSTER,
      allowHttp: ['*.svc.cluster.local'],
      policies: { default: policy },
    };
    const { stdout, stderr } = await run(config, ['rollout', 'plan', 'shop', '--version', '2']);
    const told = stdout + stderr;
    expect(told).toMatch(/Service: http:\S+, over plain http/);
    expect(told).toMatch(/private networks too, over plain http at \*\.svc\.cluster\.local/);
  });
});
