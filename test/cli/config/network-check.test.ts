import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pageOf, rowsOf, sendJson, startHttpServer } from '../../adapters/http/fault-server.ts';
import { startProxy } from '../../adapters/http/proxy-server.ts';
import { createAuthority } from '../../support/certificates.ts';
import { runHere } from '../run-here.ts';

const home = mkdtempSync(join(tmpdir(), 'steproll-network-'));
const file = join(home, 'prod.json');
const authority = createAuthority();
const server = authority.issue('service', ['endpoints.example.com', 'login.example.com']);
const client = authority.issue('the client');
const PEMS = { 'ca.pem': authority.cert, 'cert.pem': client.cert, 'key.pem': client.key };
const TLS = { ca: { file: 'ca.pem' }, cert: { file: 'cert.pem' }, key: { file: 'key.pem' } };

const service = createServer(
  { ...server, requestCert: true, rejectUnauthorized: true, ca: authority.cert },
  ({ url = '' }, answer) => {
    const query = new URL(url, 'http://service').searchParams;
    const token = { access_token: 'minted', token_type: 'Bearer' };
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify(url === '/token' ? token : pageOf(rowsOf(3), query)));
  },
);
service.on('tlsClientError', () => undefined);

beforeAll(async () => {
  for (const [name, text] of Object.entries(PEMS)) writeFileSync(join(home, name), text);
  writeFileSync(join(home, 'client'), '{"clientId":"me","clientSecret":"mine"}');
  service.listen(0, '127.0.0.1');
  await new Promise((resolve) => service.once('listening', resolve));
});
afterAll(async () => {
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
  rmSync(home, { recursive: true });
});

const urlOfService = () => `https://127.0.0.1:${(service.address() as AddressInfo).port}`;

async function check(config: object, variables: Record<string, string> = {}) {
  writeFileSync(file, JSON.stringify(config));
  const { code, stdout, stderr } = await runHere(['config', 'check', file, '-o', 'json'], {
    STEPROLL_STATE_DIR: join(home, 'state'),
    STEPROLL_PROFILES_FILE: join(home, 'profiles'),
    ...variables,
  });
  const checks: readonly { check: string; of: string | null; result: string; message: string }[] =
    stdout === '' ? [] : JSON.parse(stdout).checks;
  const of = (name: string) => checks.filter((one) => one.check === name);
  return { code, stdout, stderr, of };
}

const secret = { file: 'client' };
const CONFIG = {
  endpointUrl: 'https://endpoints.example.com',
  auth: { kind: 'client-credentials', tokenUrl: 'https://login.example.com/token', secret },
  tls: TLS,
  policies: {
    shop: {
      verify: { probe: { path: '/', hosts: ['*.shop.example.com', 'www.example.org'] } },
    },
  },
  runtimes: { shop: { policy: 'shop' } },
};

test('says which calls go through which proxy, and whom they trust and show', async () => {
  const proxy = await startProxy({ to: urlOfService() });
  const HTTPS_PROXY = proxy.url.replace('//', '//me:canary@');

  const { stdout, of } = await check(CONFIG, { HTTPS_PROXY, NO_PROXY: '.example.org' });

  expect(stdout).not.toMatch(/canary|PRIVATE KEY/);
  expect(of('service')).toMatchObject([{ result: 'ok' }]);
  expect(proxy.asked.toSorted()).toEqual([
    'CONNECT endpoints.example.com:443',
    'CONNECT login.example.com:443',
  ]);
  const [general, probes] = of('proxy').map(({ message }) => message);
  expect(general).toContain(`through ${proxy.url} (HTTPS_PROXY)`);
  expect(probes).toMatch(
    /\*\.shop\.example\.com directly, .*www\.example\.org directly \(NO_PROXY/,
  );
  expect(of('tls')).toMatchObject([{ result: 'ok' }]);
  expect(of('tls')[0]?.message).toContain('CN=the client');
});

test('AWS is asked through the proxy, too', async () => {
  const proxy = await startProxy({ to: urlOfService(), refuse: 403 });
  const policies = { default: { verify: { alarms: ['errors'] } } };
  const runtimes = { shop: {} };
  const aws = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'key' };
  const service = await startHttpServer(({ query }, response) =>
    sendJson(response, pageOf(rowsOf(3), query)),
  );

  await check({ endpointUrl: service.url, policies, runtimes }, { ...aws, HTTPS_PROXY: proxy.url });

  expect(new Set(proxy.asked)).toEqual(
    new Set(['CONNECT monitoring.eu-central-1.amazonaws.com:443']),
  );
});

test('says nothing of proxies and certificates where there are none', async () => {
  const { of } = await check({ endpointUrl: 'http://127.0.0.1:1' });

  expect([...of('proxy'), ...of('tls')]).toEqual([]);
});

test('a proxy that cannot be used is a mistake, and so is a key that fits no certificate', async () => {
  const socks = await check(CONFIG, { https_proxy: 'socks5://me:canary@127.0.0.1:1' });
  expect(socks.code).toBe(2);
  expect(socks.stderr).toContain('https_proxy: ');
  expect(socks.stderr).not.toContain('canary');

  writeFileSync(join(home, 'other.pem'), authority.issue('other').key);
  const tls = { ...TLS, key: { file: 'other.pem' } };
  const other = await check({ ...CONFIG, tls, endpointUrl: urlOfService() });
  expect(other.code).toBe(2);
  expect(other.of('tls')).toMatchObject([{ result: 'fault' }]);
});

test('the client certificate of a configuration is for its service alone', async () => {
  const { STEPROLL_TOKEN, ...variables } = { STEPROLL_TOKEN: 't', STEPROLL_CONFIG: file };
  writeFileSync(file, JSON.stringify({ ...CONFIG, auth: undefined }));
  const list = ['agent', 'runtime', 'endpoint', 'list', 'shop'];
  const at = [...list, '--endpoint-url', urlOfService()];

  const { code, stderr } = await runHere(at, { ...variables, STEPROLL_TOKEN });

  expect(code).toBe(2);
  expect(stderr).toContain(
    `tls.cert: it is for https://endpoints.example.com, and is not sent to ${urlOfService()}`,
  );
});

test.each([
  [{ cert: { file: 'c' } }, 'tls.key: missing'],
  [{ key: { file: 'k' } }, 'tls.cert: missing'],
  [{ ca: 'ca.pem' }, 'tls.ca: "ca.pem" is not allowed'],
  [{ ca: { file: 'c', environment: 'C' } }, 'tls.ca: '],
])('C04: tls %j is refused: %s', async (tls, message) => {
  const { code, stderr } = await check({ ...CONFIG, tls });

  expect(code).toBe(2);
  expect(stderr).toContain(message);
});
