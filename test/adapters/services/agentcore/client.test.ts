import { describe, expect, test } from '@jest/globals';
import type { ExchangeRecord } from '../../../../lib/adapters/http/connection.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import type { DoubleAnswer, DoubleOptions } from '../../../support/agentcore/double.ts';
import { CREDENTIALS } from '../../../support/agentcore/signature.ts';
import { closeDoublesAfterEach, openDouble } from './open-double.ts';

closeDoublesAfterEach();

const names = (endpoints: readonly { readonly name: string | null }[]) =>
  endpoints.map(({ name }) => name);

const json = (body: unknown, type = 'application/json'): DoubleAnswer => ({
  status: 200,
  headers: { 'content-type': type },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

const always = (answer: DoubleAnswer): Partial<DoubleOptions> => ({
  disturb: () => ({ kind: 'answer', answer }),
});

describe('a list', () => {
  test('has every endpoint of every page once, DEFAULT too, and names them by their names', async () => {
    const { service, id, double } = await openDouble({
      endpoints: { a: 1, b: 2, c: 1, d: 1, e: 3, f: 1 },
      pageSize: 3,
    });
    const endpoints = await service.list(id);

    expect(names(endpoints)).toEqual(['DEFAULT', 'a', 'b', 'c', 'd', 'e', 'f']);
    expect(endpoints[2]).toEqual({
      id: 'b',
      name: 'b',
      version: null,
      liveVersion: 2,
      targetVersion: 2,
      replicas: null,
      url: null,
      status: 'READY',
      statusReason: null,
    });
    expect(double.calls).toHaveLength(3);
  });

  test('can be read in pages, and says how many there are once it knows', async () => {
    const { service, id } = await openDouble({ endpoints: { a: 1, b: 1, c: 1 } });

    expect(await service.listPage(id, { page: 1, size: 3 })).toMatchObject({
      endpoints: [{ name: 'DEFAULT' }, { name: 'a' }, { name: 'b' }],
      totalPages: null,
      totalEndpoints: null,
    });
    const last = await service.listPage(id, { page: 2, size: 3 });
    expect(last).toMatchObject({ page: 2, size: 3, totalPages: 2, totalEndpoints: 4 });
    expect(names(last.endpoints)).toEqual(['c']);
    const behind = await service.listPage(id, { page: 5, size: 3 });
    expect(behind).toMatchObject({ endpoints: [], totalPages: 2, totalEndpoints: 4 });
  });

  test.each([
    ['no list', json({}), 'runtimeEndpoints: Invalid input'],
    ['a list of something else', json({ runtimeEndpoints: [{}] }), 'runtimeEndpoints.0.name'],
    [
      'a version that is none',
      json({ runtimeEndpoints: [{ name: 'a', status: 'READY', liveVersion: '1e3' }] }),
      'runtimeEndpoints.0.liveVersion: not a version',
    ],
    [
      'a version with a zero before it',
      json({ runtimeEndpoints: [{ name: 'a', status: 'READY', targetVersion: '01' }] }),
      'runtimeEndpoints.0.targetVersion: not a version',
    ],
    ['nothing', json(''), 'runtimeEndpoints'],
    ['a login page', json('<h1>Sign in</h1>', 'text/html'), 'text/html in place of JSON'],
    ['half of its JSON', json('{"runtimeEndpoints": ['), 'not JSON'],
  ])('is not understood from %s', async (_what, answer, message) => {
    const { service, id } = await openDouble(always(answer));

    await expect(service.list(id)).rejects.toMatchObject({
      name: ErrorName.UpstreamProtocol,
      message: expect.stringContaining(message),
    });
  });

  test('takes what it is not told for unknown, and ignores what it does not know', async () => {
    const row = { name: 'a', status: 'BRAND_NEW', somethingElse: { deep: true } };
    const { service, id } = await openDouble(always(json({ runtimeEndpoints: [row], more: 1 })));

    expect(await service.list(id)).toMatchObject([
      { name: 'a', status: 'BRAND_NEW', liveVersion: null, targetVersion: null },
    ]);
  });

  test('takes the live version for the target where an endpoint is ready and says none', async () => {
    const rows = [
      { name: 'a', status: 'READY', liveVersion: '3' },
      { name: 'b', status: 'READY', liveVersion: '3', targetVersion: '4' },
      { name: 'c', status: 'UPDATE_FAILED', liveVersion: '3' },
      { name: 'd', status: 'UPDATING', liveVersion: '3' },
      { name: 'e', status: 'READY' },
    ];
    const { service, id } = await openDouble(always(json({ runtimeEndpoints: rows })));
    const targets = (await service.list(id)).map(({ targetVersion }) => targetVersion);

    expect(targets).toEqual([3, 4, null, null, null]);
  });

  test('refuses ids that the service would refuse, before anything is sent', async () => {
    const { service, id, double } = await openDouble();

    for (const wrong of ['shop', '..', `arn:aws:bedrock-agentcore:x:1:runtime/${id}`, `${id}/`]) {
      await expect(service.list(wrong)).rejects.toMatchObject({
        name: ErrorName.InvalidEndpointId,
      });
    }
    await expect(service.listPage(id, { page: 1, size: 101 })).rejects.toMatchObject({
      name: ErrorName.InvalidInput,
    });
    expect(double.calls).toEqual([]);
  });
});

describe('the reason of a failure', () => {
  const failing = (disturb?: DoubleOptions['disturb']): Partial<DoubleOptions> => ({
    updateSeconds: 1,
    failure: (name) => ({ reason: `${name} ran out of memory.`, saysLive: true }),
    ...(disturb && { disturb }),
  });

  test('is asked for endpoints that failed, and for no others', async () => {
    const { service, id, clock, double } = await openDouble(failing());
    await service.roll(id, 'canary', 2);
    clock.advance(1_000);
    const endpoints = await service.list(id);

    expect(endpoints.find(({ id }) => id === 'canary')).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: 'canary ran out of memory.',
    });
    expect(endpoints.filter(({ statusReason }) => statusReason !== null)).toHaveLength(1);
    const asked = double.calls.filter(({ operation }) => operation === 'GetAgentRuntimeEndpoint');
    expect(asked).toMatchObject([{ endpoint: 'canary' }]);
  });

  test('is left out when it cannot be read: the list is complete without it', async () => {
    const { service, id, clock } = await openDouble(
      failing(({ operation }) =>
        operation === 'GetAgentRuntimeEndpoint'
          ? { kind: 'error', name: 'AccessDeniedException' }
          : null,
      ),
    );
    await service.roll(id, 'canary', 2);
    clock.advance(1_000);

    expect((await service.list(id)).find(({ id }) => id === 'canary')).toMatchObject({
      status: 'UPDATE_FAILED',
      statusReason: null,
    });
  });

  test('is asked ten times at most for a list', async () => {
    const endpoints = Object.fromEntries(
      Array.from({ length: 14 }, (_, nth) => [`live_${nth}`, 1]),
    );
    const { service, id, clock, double } = await openDouble({ ...failing(), endpoints });
    for (const name of Object.keys(endpoints)) await service.roll(id, name, 2);
    clock.advance(1_000);
    await service.list(id);

    const asked = double.calls.filter(({ operation }) => operation === 'GetAgentRuntimeEndpoint');
    expect(asked).toHaveLength(10);
  });
});

describe('the versions of a runtime', () => {
  test('are whole numbers with what is known of them, from all pages', async () => {
    const { service, id } = await openDouble({
      versions: {
        1: 'READY',
        2: 'CREATING',
        3: 'UPDATE_FAILED',
        4: 'DELETING',
        5: 'NEW',
        12: 'READY',
      },
      pageSize: 2,
    });

    expect(await service.listVersions(id)).toEqual([
      { version: 1, state: 'ready' },
      { version: 2, state: 'making' },
      { version: 3, state: 'failed' },
      { version: 4, state: 'failed' },
      { version: 5, state: null },
      { version: 12, state: 'ready' },
    ]);
  });
});

describe('a roll', () => {
  test('carries the given token, and answers the endpoint', async () => {
    const { service, id, double } = await openDouble();
    const token = 'rollout-7f3a-wave-2-endpoint-canary-try-1';

    expect(await service.roll(id, 'canary', 2, undefined, token)).toMatchObject({
      id: 'canary',
      liveVersion: 1,
      targetVersion: 2,
      status: 'UPDATING',
    });
    await service.roll(id, 'canary', 2, undefined, token);
    expect(double.calls.map(({ clientToken }) => clientToken)).toEqual([token, token]);
    expect(double.updates).toEqual([{ endpoint: 'canary', version: 2 }]);
  });

  test('has a token of its own when none is given', async () => {
    const { service, id, double } = await openDouble();
    await service.roll(id, 'live_1', 2);
    await service.roll(id, 'live_2', 2);
    const tokens = double.calls.map(({ clientToken }) => clientToken);

    expect(new Set(tokens).size).toBe(2);
  });

  test('to DEFAULT is refused before anything is sent', async () => {
    const { service, id, double } = await openDouble();

    await expect(service.roll(id, 'DEFAULT', 2)).rejects.toMatchObject({
      name: ErrorName.InvalidEndpointId,
      message:
        '"DEFAULT" is not allowed: AgentCore moves this endpoint to every new version by itself',
    });
    await expect(service.create(id, { name: 'DEFAULT' })).rejects.toMatchObject({
      name: ErrorName.InvalidEndpointId,
    });
    expect(double.calls).toEqual([]);
  });

  test.each([0, 1.5, 100_000, Number.NaN])('to version %s is refused', async (version) => {
    const { service, id, double } = await openDouble();

    await expect(service.roll(id, 'canary', version)).rejects.toMatchObject({
      name: ErrorName.InvalidInput,
    });
    expect(double.calls).toEqual([]);
  });

  test('can be followed by no stop: nothing is sent, and nothing is deleted', async () => {
    const { service, id, double } = await openDouble();

    await expect(service.stop(id, 'canary')).rejects.toMatchObject({
      name: ErrorName.StopUnsupported,
    });
    expect(double.calls).toEqual([]);
    expect(double.violations).toEqual([]);
  });
});

describe('a creation', () => {
  test('answers the endpoint, which has no live version yet', async () => {
    const { service, id } = await openDouble();

    expect(await service.create(id, { name: 'blue', version: 2 })).toMatchObject({
      id: 'blue',
      name: 'blue',
      targetVersion: 2,
      liveVersion: null,
      status: 'CREATING',
    });
  });

  test('is in doubt when its answer is lost, and not sent again', async () => {
    const { service, id, double } = await openDouble({
      disturb: (_call, nth) => (nth === 1 ? { kind: 'lost', carriedOut: true } : null),
    });

    await expect(service.create(id, { name: 'blue' })).rejects.toMatchObject({
      name: 'OutcomeUnknown',
    });
    expect(double.calls).toHaveLength(1);
  });
});

describe('--debug', () => {
  test('shows every exchange without its secrets', async () => {
    const exchanges: ExchangeRecord[] = [];
    const { service, id } = await openDouble({}, { onExchange: (one) => exchanges.push(one) });
    await service.list(id);
    await service.roll(id, 'canary', 2);
    const shown = JSON.stringify(exchanges);

    expect(exchanges).toMatchObject([
      { method: 'POST', status: 200 },
      { method: 'PUT', status: 202, path: `/runtimes/${id}/runtime-endpoints/canary/` },
    ]);
    expect(exchanges[0]?.requestHeaders).toMatchObject({
      authorization: '[hidden]',
      'x-amz-security-token': '[hidden]',
    });
    for (const secret of [CREDENTIALS.sessionToken, CREDENTIALS.secretAccessKey, 'Signature=']) {
      expect(shown).not.toContain(secret);
    }
  });

  test('hides the session token in what the service says, too', async () => {
    const said = { ...json({ message: `canonical: ${CREDENTIALS.sessionToken}` }), status: 400 };
    const { service, id } = await openDouble(always(said));

    await expect(service.list(id)).rejects.toMatchObject({
      name: ErrorName.UpstreamRejected,
      message: expect.not.stringContaining(CREDENTIALS.sessionToken),
    });
  });
});
