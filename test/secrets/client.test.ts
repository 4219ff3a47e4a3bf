import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openAuth } from '../../lib/adapters/credentials/authorization.ts';
import type { AuthSettings } from '../../lib/contract/config/auth.ts';
import { clientOf, OPERATIONS, run, sendJson } from '../adapters/http/fault-server.ts';
import { realClock } from '../adapters/http/test-clock.ts';
import { CANARIES, CLIENT, expectNoCanary, textOfError } from './canary.ts';
import { HOSTILE_ANSWERS, type HostileService, startHostileService } from './hostile-service.ts';

let service: HostileService;

beforeEach(async () => {
  service = await startHostileService();
  process.env.CANARY_TOKEN = CANARIES.bearerToken;
  process.env.CANARY_CLIENT = JSON.stringify(CLIENT);
});

afterEach(() => {
  delete process.env.CANARY_TOKEN;
  delete process.env.CANARY_CLIENT;
});

const bearer = (): AuthSettings => ({
  kind: 'bearer',
  secret: { environment: 'CANARY_TOKEN' },
});
const clientCredentials = (): AuthSettings => ({
  kind: 'client-credentials',
  tokenUrl: service.tokenUrl,
  scope: 'endpoints',
  secret: { environment: 'CANARY_CLIENT' },
});

describe.each([
  ['a bearer token', bearer, CANARIES.bearerToken],
  ['client credentials', clientCredentials, CANARIES.mintedToken],
] as const)('%s', (_, settings, token) => {
  test('is sent, and seen by nobody else', async () => {
    expectNoCanary(await textOfAll(settings()));
    const sent = service.received.filter(({ url }) => !url.startsWith('/oauth'));
    expect(sent).toHaveLength(OPERATIONS.length);
    expect(sent.every(({ headers }) => headers.authorization === `Bearer ${token}`)).toBe(true);
  });

  test.each(Object.entries(HOSTILE_ANSWERS))('is not given away by %s', async (name, answer) => {
    service.answer = answer;
    expectNoCanary(await textOfAll(settings()));
    expect([name, service.received.length > 0]).toEqual([name, true]);
  });
});

describe('a client secret', () => {
  test.each(Object.entries(HOSTILE_ANSWERS))(
    'is not given away by a mint with %s',
    async (_, answer) => {
      service.mint = answer;
      expectNoCanary(await textOfAll(clientCredentials()));
    },
  );

  test.each([
    ['is wrapped', { access_token: { value: CANARIES.mintedToken } }],
    ['has a newline', { access_token: `${CANARIES.mintedToken}\n` }],
    [
      'is of another type',
      { access_token: CANARIES.mintedToken, token_type: CANARIES.mintedToken },
    ],
    ['is named otherwise', { id_token: CANARIES.mintedToken }],
  ])('a minted token that %s is not shown', async (_, answer) => {
    service.mint = (_request, response) => sendJson(response, answer);
    expectNoCanary(await textOfAll(clientCredentials()));
  });
});

test.each([
  ['a token with a newline', () => ({ CANARY_TOKEN: `${CANARIES.bearerToken}\n` }), bearer],
  ['a client that is no JSON', () => ({ CANARY_CLIENT: CANARIES.clientSecret }), clientCredentials],
  [
    'a client without its id',
    () => ({ CANARY_CLIENT: JSON.stringify({ clientSecret: CANARIES.clientSecret }) }),
    clientCredentials,
  ],
])('%s is refused without being shown', async (_, environment, settings) => {
  Object.assign(process.env, environment());
  const text = await textOfAll(settings());
  expect(text).toContain('InvalidCredential');
  expectNoCanary(text);
});

const DEADLINE_MS = 60_000;

/** All that the four operations give away to their caller: answers, errors, exchanges. */
async function textOfAll(settings: AuthSettings): Promise<string> {
  const exchanges: unknown[] = [];
  const client = clientOf(service.url, {
    auth: openAuth(settings),
    clock: { ...realClock, sleep: sleepAsLittleAsPossible },
    deadlineMs: DEADLINE_MS,
    onExchange: (exchange) => exchanges.push(exchange),
  });
  const texts = await Promise.all(
    OPERATIONS.map((operation) =>
      run(client, operation).then((answer) => JSON.stringify(answer) ?? '', textOfError),
    ),
  );
  await client.close();
  return [...texts, JSON.stringify(exchanges)].join('\n');
}

/**
 * Retries hardly wait. A deadline comes soon after somebody has asked the service that never answers, and not before,
 * however slow the machine is.
 */
async function sleepAsLittleAsPossible(milliseconds: number, signal?: AbortSignal): Promise<void> {
  if (milliseconds < DEADLINE_MS) return realClock.sleep(Math.min(milliseconds, 300), signal);
  const end = realClock.now() + milliseconds;
  while (!service.isSilent && realClock.now() < end) await realClock.sleep(20, signal);
  await realClock.sleep(300, signal);
}
