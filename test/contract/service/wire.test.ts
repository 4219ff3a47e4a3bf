import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  DEFAULT_WIRE,
  pageSchema,
  parseEndpoint,
  parseEndpointPage,
  type WireMapping,
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

  test('has attributes if some are mapped: what no policy can name is as if it was not there', () => {
    const attributes = { tier: 'serviceTier', cell: 'cell', big: 'isBig', no: 'no', of: 'tags' };
    const wire = wireMappingSchema.parse({ endpoint: { attributes } });
    const sent = { id: 'a', serviceTier: 'free', cell: 7, isBig: false, no: '', tags: ['x'] };
    expect(parseEndpoint(sent, wire, 'GET').attributes).toEqual({
      ...{ tier: 'free', cell: '7', big: 'false' },
    });
    expect(parseEndpoint({ id: 'a' }, wire, 'GET').attributes).toEqual({});
    expect(parseEndpoint(sent, DEFAULT_WIRE, 'GET')).not.toHaveProperty('attributes');
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

describe('H23: a page with any values', () => {
  const others = wireMappingSchema.parse({
    endpoint: { name: null, liveVersion: 'targetVersion', statusReason: 'reason' },
    page: { totalPages: null, totalEndpoints: 'total' },
  });
  const bare = wireMappingSchema.parse({ page: { endpoints: null } });

  const value = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(null, undefined) },
    { weight: 1, arbitrary: fc.constantFrom('', -0, -1, 0.5, 2 ** 53, Number.POSITIVE_INFINITY) },
    { weight: 1, arbitrary: fc.jsonValue() },
  );
  const mostly = (usual: fc.Arbitrary<unknown>) =>
    fc.oneof({ weight: 12, arbitrary: usual }, { weight: 1, arbitrary: value });
  const id = mostly(fc.string({ maxLength: 5 }));
  const text = mostly(fc.string());
  const count = mostly(fc.maxSafeNat());
  const isCount = (field: string) => /version|replicas|page|size|total/i.test(field);

  const namesIn = ({ endpoint: { attributes: _, ...names } }: WireMapping) => names;

  /** The fields under the names of the service, and under ours. */
  function fieldsUnder(names: Readonly<Record<string, string | null>>) {
    const values = Object.entries(names).map(([field, name]) => [
      name ?? 'not sent',
      field === 'id' ? id : isCount(field) ? count : text,
    ]);
    return fc.record(Object.fromEntries(values)).map((sent: Record<string, unknown>) => ({
      sent,
      ours: Object.fromEntries(
        Object.entries(names).map(([field, name]) => [field, (name && sent[name]) ?? null]),
      ),
    }));
  }

  const page = fc.constantFrom(DEFAULT_WIRE, others, bare).chain((wire) => {
    const { paged: _, endpoints, ...counts } = wire.page;
    const noRow = fc.jsonValue().filter((row) => Object(row) !== row || Array.isArray(row));
    const row = fc.oneof(
      { weight: 30, arbitrary: fieldsUnder(namesIn(wire)) },
      { weight: 1, arbitrary: noRow.map((row) => ({ sent: row, ours: row })) },
    );
    return fc.tuple(fc.array(row, { maxLength: 4 }), fieldsUnder(counts)).map(([rows, about]) => {
      const sent = rows.map((row) => row.sent);
      return {
        wire,
        body: endpoints === null ? sent : { ...about.sent, [endpoints]: sent },
        ours: {
          ...(endpoints === null ? NO_COUNTS : about.ours),
          endpoints: rows.map((row) => row.ours),
        },
      };
    });
  });
  const NO_COUNTS = { page: null, size: null, totalPages: null, totalEndpoints: null };

  test('is what the schema makes of it: the same value, or a refusal', () => {
    const seen = new Set<string>();
    fc.assert(
      fc.property(page, ({ wire, body, ours }) => {
        const read = outcomeOf(() => parseEndpointPage(body, wire, 'GET /list'));
        const made = pageSchema.safeParse(ours);
        expect(read).toStrictEqual(made.success ? made.data : expect.any(String));
        seen.add(typeof read);
      }),
      { numRuns: 2_000 },
    );
    expect(seen).toEqual(new Set(['object', 'string']));
  });

  function outcomeOf(read: () => unknown): unknown {
    try {
      return read();
    } catch (error) {
      return String(error);
    }
  }
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

test.each([401, 403, 404, 408, 425, 429, 399, 500])(
  '%i cannot mean that an endpoint is busy',
  (status) => {
    expect(wireMappingSchema.safeParse({ laterStatuses: [status] }).success).toBe(false);
  },
);
