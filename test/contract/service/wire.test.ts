import { describe, expect, test } from '@jest/globals';
import {
  DEFAULT_WIRE,
  parseEndpoint,
  parseEndpointPage,
  wireMappingSchema,
} from '../../../lib/contract/service/wire.ts';

const ROW = {
  id: 'e1',
  agentRuntimeId: 'r1',
  name: 'canary',
  version: 3,
  targetVersion: 3,
  liveVersion: 2,
  currentReplicaCount: 4,
  url: 'https://e1.example',
  status: 'UPDATING',
  displayStatus: 'Updating',
};

const ENDPOINT = {
  id: 'e1',
  name: 'canary',
  version: 3,
  targetVersion: 3,
  liveVersion: 2,
  replicas: 4,
  url: 'https://e1.example',
  status: 'UPDATING',
  statusReason: null,
};

const read = (row: unknown, wire = DEFAULT_WIRE) => parseEndpoint(row, wire, 'GET /list');
const refusal = (message: string) =>
  expect.objectContaining({ name: 'UpstreamProtocol', message: expect.stringContaining(message) });

describe('an endpoint', () => {
  test('is read under the default names, whatever else is sent', () => {
    expect(read(ROW)).toEqual(ENDPOINT);
  });

  test.each(['name', 'version', 'targetVersion', 'liveVersion', 'url', 'status'])(
    'H23: %s is unknown when it is missing or null',
    (field) => {
      const unknown = { ...ENDPOINT, [field]: null };
      expect(read({ ...ROW, [field]: null })).toEqual(unknown);
      expect(read({ ...ROW, [field]: undefined })).toEqual(unknown);
    },
  );

  test('H23: a live version of 0 is what some services say before the first one', () => {
    expect(read({ ...ROW, liveVersion: 0 })).toMatchObject({ liveVersion: 0 });
  });

  test.each(['version', 'targetVersion', 'liveVersion', 'currentReplicaCount'])(
    'H23: %s is never coerced',
    (field) => {
      const values = ['3', '', 3.5, -1, true, [3], {}, 2 ** 53, JSON.parse('1e400')];
      for (const value of values) {
        expect(() => read({ ...ROW, [field]: value })).toThrow(refusal('GET /list: '));
      }
    },
  );

  test.each([
    ['a number that JSON has rounded', JSON.parse('9007199254740993')],
    ['a small number', 7],
    ['empty', ''],
    ['null', null],
    ['missing', undefined],
  ])('H32: an id that is %s is refused', (_, id) => {
    expect(() => read({ ...ROW, id })).toThrow(refusal('"id" (wire.endpoint.id)'));
  });

  test.each([
    ['name', 5],
    ['url', {}],
    ['status', false],
  ])('%s of another type is refused', (field, value) => {
    expect(() => read({ ...ROW, [field]: value })).toThrow(
      refusal(`"${field}" (wire.endpoint.${field}): `),
    );
  });

  test.each([undefined, null, 'e1', 5, [ROW]])('%j is no endpoint', (row) => {
    expect(() => read(row)).toThrow(refusal(' came, use an object with "id"'));
  });

  test.each(['name', 'url', 'status'])('%s may be empty', (field) => {
    expect(read({ ...ROW, [field]: '' })).toEqual({ ...ENDPOINT, [field]: '' });
  });

  test('two fields may have one name', () => {
    const wire = wireMappingSchema.parse({ endpoint: { name: 'id', version: 'targetVersion' } });
    expect(read(ROW, wire)).toEqual({ ...ENDPOINT, name: 'e1', version: 3 });
  });

  test('a field that has no name is unknown', () => {
    const wire = wireMappingSchema.parse({ endpoint: { status: null, replicas: null } });
    expect(read({ ...ROW, null: 'x', '': 'x' }, wire)).toEqual({
      ...{ ...ENDPOINT, status: null, replicas: null },
    });
  });

  test('a reason for the status is known only where it has a name', () => {
    const row = { ...ROW, statusReason: 'no room', failureReason: 'no image' };
    expect(read(row)).toEqual(ENDPOINT);
    const wire = wireMappingSchema.parse({ endpoint: { statusReason: 'failureReason' } });
    expect(read(row, wire)).toEqual({ ...ENDPOINT, statusReason: 'no image' });
    expect(read(ROW, wire)).toEqual(ENDPOINT);
  });

  test('the prototype of a row is its own business', () => {
    expect(read(JSON.parse('{"id":"e1","__proto__":{"status":"ACTIVE"}}'))).toMatchObject({
      status: null,
    });
  });
});

describe('a page', () => {
  const readPage = (body: unknown, wire = DEFAULT_WIRE) =>
    parseEndpointPage(body, wire, 'GET /list');

  test('is read under the default names', () => {
    const body = { listData: [ROW], page: 1, pageSize: 10, totalPage: 1, totalItem: 1, more: true };
    expect(readPage(body)).toEqual({
      endpoints: [ENDPOINT],
      page: 1,
      size: 10,
      totalPages: 1,
      totalEndpoints: 1,
    });
  });

  test('that does not count itself has unknown counts', () => {
    expect(readPage({ listData: [] })).toEqual({
      endpoints: [],
      page: null,
      size: null,
      totalPages: null,
      totalEndpoints: null,
    });
  });

  test('H23: names the row and the field that is wrong', () => {
    expect(() => readPage({ listData: [ROW, { ...ROW, liveVersion: '3' }] })).toThrow(
      refusal('listData[1]: "liveVersion" (wire.endpoint.liveVersion): "3" came, '),
    );
  });

  test.each(['page', 'pageSize', 'totalPage', 'totalItem'])('%s is never coerced', (field) => {
    for (const value of ['3', 3.5, -1, true, [3], {}, 2 ** 53, JSON.parse('1e400')]) {
      expect(() => readPage({ listData: [], [field]: value })).toThrow(refusal('GET /list: '));
    }
  });

  test.each([
    ['no list', {}],
    ['a list of another type', { listData: {} }],
    ['null in place of a list', { listData: null }],
    ['a row that is no object', { listData: ['e1'] }],
    ['a total in words', { listData: [], totalItem: '0' }],
    ['an array', []],
    ['nothing', undefined],
    ['null', null],
  ])('%s is refused', (_, body) => {
    expect(() => readPage(body)).toThrow(refusal('GET /list: '));
  });

  test('may have other names', () => {
    const wire = wireMappingSchema.parse({ page: { endpoints: 'items', totalEndpoints: 'total' } });
    expect(readPage({ items: [ROW], total: 1 }, wire)).toMatchObject({
      endpoints: [ENDPOINT],
      totalEndpoints: 1,
      totalPages: null,
    });
  });

  test('may be a bare array', () => {
    const wire = wireMappingSchema.parse({ page: { endpoints: null } });
    expect(readPage([ROW], wire)).toMatchObject({ endpoints: [ENDPOINT], totalEndpoints: null });
    expect(() => readPage({ listData: [ROW] }, wire)).toThrow(
      refusal('an object came, use a list'),
    );
  });
});

describe('the mapping', () => {
  test('a name that is left out keeps its default', () => {
    const wire = wireMappingSchema.parse({ endpoint: { replicas: 'replicaCount' } });
    expect(wire).toEqual({
      ...DEFAULT_WIRE,
      endpoint: { ...DEFAULT_WIRE.endpoint, replicas: 'replicaCount' },
    });
  });

  test.each([
    { endpoint: { replicaCount: 'x' } },
    { pages: {} },
    { endpoint: { id: null } },
    { endpoint: { name: '' } },
    { endpoint: { name: 'toString' } },
    { endpoint: { id: 'constructor' } },
    JSON.parse('{"page":{"endpoints":"__proto__"}}'),
  ])('C04: %j is refused', (mapping) => {
    expect(wireMappingSchema.safeParse(mapping).success).toBe(false);
  });
});
