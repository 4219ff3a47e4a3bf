import { describe, expect, test } from '@jest/globals';
import { rowsAnswerSchema } from '../../lib/contract/functions/operations.ts';
import { REST_ABILITIES, SERVICES, type ServiceKind } from '../../lib/contract/service/services.ts';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import {
  createEndpoint,
  listEndpoints,
  rollEndpoints,
  stopEndpoints,
} from '../../lib/handlers/endpoints.ts';
import type { EndpointService } from '../../lib/ports/endpoint-service.ts';

function endpoint(
  id: string,
  targetVersion: number | null,
  said: Partial<Endpoint> = {},
): Endpoint {
  const unknown = { name: null, version: null, liveVersion: null, replicas: null };
  return { id, targetVersion, ...unknown, url: null, status: null, statusReason: null, ...said };
}

interface FakeService extends EndpointService {
  readonly calls: readonly (readonly unknown[])[];
}

/** Writes to the ids in `refused` fail with the error's name there. */
function createService(
  endpoints: readonly Endpoint[] = [],
  refused: Readonly<Record<string, ErrorName>> = {},
): FakeService {
  const calls: unknown[][] = [];
  const record = (...call: unknown[]) => {
    calls.push(call);
    const name = refused[String(call[2])];
    if (name !== undefined) throw new SteprollError(name, 'refused');
  };
  return {
    url: 'https://endpoints.example.com',
    abilities: REST_ABILITIES,
    calls,
    async listPage(runtimeId, query) {
      record('listPage', runtimeId, query);
      return { endpoints, page: 1, size: 10, totalPages: null, totalEndpoints: null };
    },
    async list(runtimeId) {
      record('list', runtimeId);
      return endpoints;
    },
    async create(runtimeId, input) {
      record('create', runtimeId, input);
      return endpoint('new', null);
    },
    async roll(...call) {
      record('roll', ...call);
      return null;
    },
    async stop(...call) {
      record('stop', ...call);
    },
    listVersions: () => Promise.reject(new Error('No operation lists versions.')),
  };
}

test('list asks for the page that the input says', async () => {
  const service = createService();
  await listEndpoints({ runtimeId: 'shop' }, service);
  await listEndpoints({ runtimeId: 'shop', page: 3, size: 50 }, service);
  expect(service.calls).toEqual([
    ['listPage', 'shop', { page: 1, size: 10 }],
    ['listPage', 'shop', { page: 3, size: 50 }],
  ]);
});

test('create hands on the name, and the version where there is one', async () => {
  const service = createService();
  expect(await create({ runtimeId: 'shop', name: 'web-1' }, service)).toMatchObject({ id: 'new' });
  await create({ runtimeId: 'shop', name: 'web-1', version: 2 }, service);
  expect(service.calls.filter(([operation]) => operation === 'create')).toEqual([
    ['create', 'shop', { name: 'web-1' }],
    ['create', 'shop', { name: 'web-1', version: 2 }],
  ]);
});

function roll(input: unknown, service: EndpointService, kind: ServiceKind = 'rest') {
  return rollEndpoints(input, { service, statuses: SERVICES[kind].policy.statuses });
}

function create(input: unknown, service: EndpointService) {
  return createEndpoint(input, { service, clock: { sleep: () => Promise.resolve() } });
}

describe('roll', () => {
  const input = { runtimeId: 'shop', version: 2, endpointIds: ['gone', 'b', 'there', 'a', 'c'] };
  const fleet = [
    endpoint('a', 1),
    endpoint('b', null),
    endpoint('c', 1),
    endpoint('there', 2, { liveVersion: 2 }),
  ];

  test('reads the list, rolls what is not there yet, and answers in the order of the input', async () => {
    const service = createService(fleet, { a: ErrorName.OutcomeUnknown });
    const rows = await roll(input, service);
    expect(rows).toEqual([
      { endpointId: 'gone', result: 'not-sent', reason: 'UpstreamNotFound' },
      { endpointId: 'b', result: 'accepted' },
      { endpointId: 'there', result: 'not-sent', reason: 'at-version' },
      { endpointId: 'a', result: 'unknown', reason: 'OutcomeUnknown', message: 'refused' },
      { endpointId: 'c', result: 'accepted' },
    ]);
    expect(rowsAnswerSchema.parse(rows)).toEqual(rows);
    expect(service.calls).toEqual([
      ['list', 'shop'],
      ['roll', 'shop', 'b', 2],
      ['roll', 'shop', 'a', 2],
      ['roll', 'shop', 'c', 2],
    ]);
  });

  test.each<[string, Partial<Endpoint>]>([
    ['is on its way', { liveVersion: 1 }],
    ['is on its way, and nothing is live', {}],
    ['has failed on the way', { liveVersion: 1, status: 'ERROR' }],
    ['is live, and failed', { liveVersion: 2, status: 'ERROR' }],
    ['is live, and stopped', { liveVersion: 2, status: 'STOPPED' }],
  ])('says not-live of one that has the target and %s, and sends nothing', async (_, said) => {
    const service = createService([endpoint('a', 2, said)]);
    const rows = await roll({ ...input, endpointIds: ['a'] }, service);
    expect(rows).toEqual([{ endpointId: 'a', result: 'not-sent', reason: 'not-live' }]);
    expect(service.calls).toEqual([['list', 'shop']]);
  });

  test.each<[ServiceKind, string, string]>([
    ['agentcore', 'READY', 'at-version'],
    ['agentcore', 'DELETING', 'not-live'],
    ['agentcore', 'UPDATE_FAILED', 'not-live'],
    ['rest', 'DELETING', 'at-version'],
  ])(
    'on %s, one that is live on the version with the status %s is %s',
    async (kind, status, reason) => {
      const service = createService([endpoint('a', 2, { liveVersion: 2, status })]);
      expect(await roll({ ...input, endpointIds: ['a'] }, service, kind)).toMatchObject([
        { reason },
      ]);
    },
  );

  test('sends nothing when the list cannot be read', async () => {
    const service = createService(fleet);
    const failing: EndpointService = {
      ...service,
      list: () => Promise.reject(new SteprollError(ErrorName.ListUnstable, 'twice')),
    };
    await expect(roll(input, failing)).rejects.toMatchObject({ name: 'ListUnstable' });
    expect(service.calls).toEqual([]);
  });
});

test('stop stops at once, without a list, and answers in the order of the input', async () => {
  const service = createService([], { b: ErrorName.UpstreamNotFound });
  const rows = await stopEndpoints({ runtimeId: 'shop', endpointIds: ['c', 'b', 'a'] }, service);
  expect(rows).toEqual([
    { endpointId: 'c', result: 'accepted' },
    { endpointId: 'b', result: 'rejected', reason: 'UpstreamNotFound', message: 'refused' },
    { endpointId: 'a', result: 'accepted' },
  ]);
  expect(rowsAnswerSchema.parse(rows)).toEqual(rows);
  expect(service.calls.map(([operation]) => operation)).toEqual(['stop', 'stop', 'stop']);
});

test.each([
  ['list', listEndpoints, {}],
  ['create', create, { name: 'web-1' }],
  ['roll', roll, { version: 2, endpointIds: ['a'] }],
  ['stop', stopEndpoints, { endpointIds: ['a'] }],
] as const)(
  'H31: %s with an id that cannot stand in a path sends nothing',
  async (_, run, rest) => {
    const service = createService();
    await expect(run({ runtimeId: '..', ...rest }, service)).rejects.toMatchObject({
      name: 'InvalidInput',
      message: expect.stringContaining('runtimeId: ".." is not allowed'),
    });
    expect(service.calls).toEqual([]);
  },
);
