import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { pageOf, rowsOf, sendJson, startHttpServer } from '../adapters/http/fault-server.ts';
import { startProxy } from '../adapters/http/proxy-server.ts';
import { createAuthority } from '../support/certificates.ts';
import { ended, killPrograms, startProgram } from './program-process.ts';

// A process of its own trusts the authority of this test by a variable that Node reads when it starts.

const AGENTCORE = 'bedrock-agentcore-control.eu-central-1.amazonaws.com';
const SECRETS = 'secretsmanager.eu-central-1.amazonaws.com';
const home = mkdtempSync(join(tmpdir(), 'steproll-aws-proxy-'));
const authority = createAuthority();
const hosts: (string | undefined)[] = [];
const aws = createServer(authority.issue('AWS', [AGENTCORE, SECRETS]), (request, response) => {
  hosts.push(request.headers.host);
  const endpoint = {
    name: 'live',
    id: 'live-a1B2c3D4e5',
    status: 'READY',
    ...{ liveVersion: '3', targetVersion: '3' },
    ...{ createdAt: '2026-01-01T00:00:00Z', lastUpdatedAt: '2026-01-01T00:00:00Z' },
    ...{ agentRuntimeArn: 'arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/shop' },
    agentRuntimeEndpointArn:
      'arn:aws:bedrock-agentcore:eu-central-1:123456789012:runtime/shop/runtime-endpoint/live',
  };
  response.setHeader('content-type', 'application/json');
  const isSecret = request.headers.host === SECRETS;
  response.end(
    JSON.stringify(isSecret ? { SecretString: 'sesame' } : { runtimeEndpoints: [endpoint] }),
  );
});
aws.on('tlsClientError', () => undefined);

beforeAll(async () => {
  writeFileSync(join(home, 'ca.pem'), authority.cert);
  aws.listen(0, '127.0.0.1');
  await once(aws, 'listening');
});
afterAll(() => {
  killPrograms();
  aws.closeAllConnections();
  aws.close();
  rmSync(home, { recursive: true });
});

async function runBehindProxy(args: readonly string[]) {
  hosts.length = 0;
  const port = (aws.address() as AddressInfo).port;
  const proxy = await startProxy({ to: `https://127.0.0.1:${port}` });
  const { code, stdout, stderr } = await ended(
    startProgram(home, args, 'steproll', {
      HTTPS_PROXY: proxy.url,
      NODE_EXTRA_CA_CERTS: join(home, 'ca.pem'),
      ...{ AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'example' },
    }),
  );
  return { code, stdout, stderr, asked: [...new Set(proxy.asked)] };
}

const LIST = ['agent', 'runtime', 'endpoint', 'list'];

test('AgentCore is called through the proxy, and by no other way', async () => {
  const place = ['--service', 'agentcore', '--region', 'eu-central-1'];
  const { code, stdout, asked } = await runBehindProxy([...LIST, 'shop-a1B2c3D4e5', ...place]);

  expect({ code, asked }).toEqual({ code: 0, asked: [`CONNECT ${AGENTCORE}:443`] });
  expect(stdout).toContain('live');
  expect(hosts).toEqual([AGENTCORE]);
});

test('so is a client of the AWS SDK, which reads a secret', async () => {
  const authorizations: unknown[] = [];
  const service = await startHttpServer(({ query, headers }, response) => {
    authorizations.push(headers.authorization);
    sendJson(response, pageOf(rowsOf(1), query));
  });
  const awsSecret = 'arn:aws:secretsmanager:eu-central-1:123456789012:secret:token-AbCdEf';
  const config = { endpointUrl: service.url, auth: { kind: 'bearer', secret: { awsSecret } } };
  writeFileSync(join(home, 'config.json'), JSON.stringify(config));

  const { code, asked } = await runBehindProxy([...LIST, 'shop', '--config', 'config.json']);

  expect({ code, asked }).toEqual({ code: 0, asked: [`CONNECT ${SECRETS}:443`] });
  expect(new Set(authorizations)).toEqual(new Set(['Bearer sesame']));
  expect(hosts).toEqual([SECRETS]);
});
