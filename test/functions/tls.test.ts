import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import * as list from '../../functions/list.ts';
import * as roll from '../../functions/roll.ts';
import { parseConfig } from '../../lib/contract/config/config.ts';
import { pageOf, rowOf, rowsOf } from '../adapters/http/fault-server.ts';
import { createAuthority } from '../support/certificates.ts';
import {
  type FakeSecretsManager,
  SECRET_ARN,
  startSecretsManager,
} from '../support/secrets-manager.ts';
import { silenceLogs } from '../support/silence-logs.ts';
import { writeStepEnv } from '../support/step-env.ts';

const authority = createAuthority();
const client = authority.issue('the functions');
/** One secret for all of it. */
const PEM = client.cert + client.key + authority.cert;
const asked: unknown[] = [];

let aws: FakeSecretsManager;
const service = createServer(
  {
    ...authority.issue('service', ['127.0.0.1']),
    ...{ requestCert: true, rejectUnauthorized: true, ca: authority.cert },
  },
  ({ method, url = '', socket }, answer) => {
    asked.push([method, (socket as TLSSocket).getPeerCertificate().subject.CN]);
    const query = new URL(url, 'http://service').searchParams;
    answer.setHeader('content-type', 'application/json');
    answer.end(JSON.stringify(method === 'GET' ? pageOf(rowsOf(2), query) : rowOf('e1')));
  },
);
service.on('tlsClientError', () => undefined);

beforeAll(async () => {
  silenceLogs();
  aws = await startSecretsManager(PEM);
  service.listen(0, '127.0.0.1');
  await new Promise((resolve) => service.once('listening', resolve));
  const secret = { awsSecret: SECRET_ARN };
  const config = parseConfig({
    endpointUrl: `https://127.0.0.1:${(service.address() as AddressInfo).port}`,
    tls: { ca: secret, cert: secret, key: secret },
  });
  Object.assign(process.env, { ...aws.env, ...writeStepEnv(config), AWS_REGION: 'us-east-1' });
});
afterAll(async () => {
  service.closeAllConnections();
  await new Promise((resolve) => service.close(resolve));
  await aws.close();
});

test('functions trust and show what is in Secrets Manager, and read it once', async () => {
  expect(await list.handler({ runtimeId: 'shop' })).toMatchObject({ totalEndpoints: 2 });
  expect(await roll.handler({ runtimeId: 'shop', version: 2, endpointIds: ['e1'] })).toHaveLength(
    1,
  );

  expect(asked).toContainEqual(['GET', 'the functions']);
  expect(asked).toContainEqual(['PUT', 'the functions']);
  // Each of the two functions has read it for itself.
  expect(aws.requests.length).toBe(2);
});
