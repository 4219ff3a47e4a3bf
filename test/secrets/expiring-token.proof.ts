import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openAuth } from '../../lib/adapters/credentials/authorization.ts';
import { createLocalBus } from '../../lib/adapters/events/local-bus.ts';
import { openGates } from '../../lib/adapters/gates/gates.ts';
import { openSqliteLedger } from '../../lib/adapters/ledger/sqlite/ledger.ts';
import { systemClock } from '../../lib/adapters/machine/clock.ts';
import { createEndpointClient } from '../../lib/adapters/services/rest/client.ts';
import { DEFAULT_POLICY } from '../../lib/domain/rollout/default-policy.ts';
import { createInterpreter } from '../../lib/embedded/interpreter/engine.ts';
import { startRollout } from '../../lib/embedded/run-workflow.ts';
import { type GuardedService, startGuardedService } from '../support/guarded-service.ts';
import {
  type FakeSecretsManager,
  SECRET_ARN,
  startSecretsManager,
} from '../support/secrets-manager.ts';

const ENDPOINTS = 400;
const IN_FLIGHT = 8;

let aws: FakeSecretsManager;
let service: GuardedService;
let client: ReturnType<typeof createEndpointClient>;

beforeEach(async () => {
  aws = await startSecretsManager('{"clientId":"steproll","clientSecret":"sesame"}');
  Object.assign(process.env, aws.env);
  service = await startGuardedService({
    runtimes: [
      { id: 'large', endpoints: ENDPOINTS },
      { id: 'shop', version: 1, endpoints: 4, rollSeconds: 0.1 },
    ],
  });
  client = createEndpointClient({
    baseUrl: service.url,
    auth: openAuth({
      kind: 'client-credentials',
      tokenUrl: service.tokenUrl,
      secret: { awsSecret: SECRET_ARN },
    }),
    clock: systemClock,
    pageSize: 10,
    maxPagesInFlight: IN_FLIGHT,
  });
});

afterEach(async () => {
  await Promise.all([client.close(), service.close(), aws.close()]);
});

describe('a token that expires in mid-sweep', () => {
  const pages = ENDPOINTS / 10;
  const expireAtPage = (page: number, how: 'expire' | 'revoke') => {
    let asked = 0;
    service.onRequest = () => {
      asked += 1;
      if (asked === page) service[how]();
    };
  };

  test('H17: the pages that are being read mint one more, together, and the sweep is complete', async () => {
    expireAtPage(20, 'expire');
    const endpoints = await client.list('large');
    expect(new Set(endpoints.map(({ id }) => id)).size).toBe(ENDPOINTS);
    expect(service.minted()).toBe(2);
    const refused = service.requests.filter(({ status }) => status === 401);
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(IN_FLIGHT);
    expect(service.requests).toHaveLength(pages + refused.length);
    expect(aws.requests).toHaveLength(2);
  });

  test('H18: without another token the sweep is UpstreamAuth, and no page is asked for again', async () => {
    expireAtPage(20, 'revoke');
    await expect(client.list('large')).rejects.toMatchObject({ name: 'UpstreamAuth' });
    const refused = service.requests.filter(({ status }) => status === 401);
    expect(refused.length).toBeLessThanOrEqual(IN_FLIGHT);
  });
});

describe('a token that expires in mid-rollout', () => {
  test('H17: the rollout goes on, and no endpoint is rolled twice', async () => {
    const expireBefore = ['PUT', 'GET', 'PUT'];
    service.onRequest = (method) => {
      if (method === expireBefore[0]) {
        expireBefore.shift();
        service.expire();
      }
    };
    expect((await roll()).outcome).toMatchObject({ outcome: 'Succeeded', cleanup: 'none' });
    expect(expireBefore).toEqual([]);
    expect(service.minted()).toBe(4);
    const rolled = service.requests.filter(
      ({ method, status }) => method === 'PUT' && status === 200,
    );
    expect(new Set(rolled.map(({ url }) => url)).size).toBe(4);
    expect(rolled).toHaveLength(4);
  });

  test('H18: without another token nothing more is written up to the deadline, and the outcome says why', async () => {
    service.onRequest = (method) => {
      if (method === 'PUT') service.revoke();
    };
    const { outcome, journal } = await roll();
    expect(outcome).toMatchObject({ outcome: 'Errored', reason: 'UpstreamAuth', cleanup: 'none' });
    expect(outcome.message).toContain('POST /oauth/token: 401');
    expect(journal.at(-1)).toMatchObject({ result: 'rejected', reason: 'UpstreamAuth' });
    // The first roll of a rollout goes alone: the one that was refused, with its token and without.
    const writes = service.requests.filter(({ method }) => method !== 'GET');
    expect(writes.map(({ status }) => status)).toEqual([401]);
  });
});

async function roll() {
  const { ledger, end } = openSqliteLedger(':memory:');
  const policy = {
    ...DEFAULT_POLICY,
    waves: [{ endpoints: 1 }, { percent: 100 }],
    maxUnavailable: { percent: 100 },
    pollSeconds: 1,
    progressDeadlineSeconds: 3,
    bakeSeconds: 0,
  };
  const outcome = await startRollout({
    engine: createInterpreter({ clock: systemClock }),
    rolloutId: 'r',
    input: { schemaVersion: 1, runtimeId: 'shop', version: 2 },
    context: {
      service: client,
      ledger,
      clock: systemClock,
      gates: openGates(),
      events: createLocalBus(),
      policyOf: () => policy,
    },
  });
  const { journal } = await ledger.read('r');
  end();
  return { outcome, journal };
}
