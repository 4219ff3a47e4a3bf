import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { wireMappingSchema } from '../../../../lib/contract/service/wire.ts';
import { clientOf, sendJson, startHttpServer, thrownBy } from '../../http/fault-server.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

const SAYS = 'GET /agent-runtimes/r1/endpoints?page=1&size=100: not what the interface says: ';
const row = { id: 'a', name: 'web', targetVersion: 1, liveVersion: 1 };

async function client(body: unknown, wire: object = {}) {
  const server = await startHttpServer((_, response) => {
    if (body === undefined) response.end();
    else sendJson(response, body);
  });
  return clientOf(server.url, { wire: wireMappingSchema.parse(wire) });
}

describe('an answer of another shape is told by its keys, with the setting that names them', () => {
  test.each<[string, unknown, object, string]>([
    [
      'a bare list',
      [row],
      {},
      'a list of 1 came, use an object with "listData", or set wire.page.endpoints to null',
    ],
    [
      'another name of the list',
      { items: [row], total: 1 },
      {},
      '"listData" (wire.page.endpoints) is missing; the keys that came are "items", "total"',
    ],
    ['null', null, {}, 'null came, use an object with "listData"'],
    ['nothing', undefined, {}, 'nothing came, use an object with "listData"'],
    [
      'an object in place of a bare list',
      { items: [row] },
      { page: { endpoints: null } },
      'an object came, use a list, or name its key with wire.page.endpoints',
    ],
    [
      'no id, told once',
      { listData: [row, { key: 'a' }, { key: 'b' }] },
      {},
      'listData[1]: "id" (wire.endpoint.id) is missing; the keys that came are "key"',
    ],
    [
      'other types, all at once, and a long text is not quoted',
      {
        listData: [{ ...row, live: '1', status: 'x'.repeat(99), targetVersion: 'y'.repeat(99) }, 7],
        totalItem: '1',
      },
      { endpoint: { liveVersion: 'live' } },
      'listData[0]: "targetVersion" (wire.endpoint.targetVersion): a text came, use a whole number from 0 to 9007199254740991; ' +
        'listData[0]: "live" (wire.endpoint.liveVersion): "1" came, use a whole number from 0 to 9007199254740991; ' +
        'listData[1]: 7 came, use an object with "id"; ' +
        '"totalItem" (wire.page.totalEndpoints): "1" came, use a whole number from 0 to 9007199254740991',
    ],
    [
      'a list in a list of another name',
      [[row]],
      { page: { endpoints: null } },
      '[0]: a list of 1 came, use an object with "id"',
    ],
  ])('%s', async (_, body, wire, message) => {
    const error = await thrownBy((await client(body, wire)).list('r1'));
    expect(error).toMatchObject({ name: 'UpstreamProtocol', message: SAYS + message });
  });

  test('of an endpoint that a write answers too', async () => {
    const error = await thrownBy((await client({ data: row })).roll('r1', 'a', 2));
    expect(error).toMatchObject({
      name: 'OutcomeUnknown',
      httpStatus: 200,
      message: expect.stringContaining(
        '"id" (wire.endpoint.id) is missing; the keys that came are "data"',
      ),
    });
  });
});

describe('null in place of the list', () => {
  test.each([{ totalItem: 0 }, { totalPage: 0 }])(
    'is an empty list when %j says so',
    async (total) => {
      expect(await (await client({ listData: null, ...total })).list('r1')).toEqual([]);
    },
  );

  test.each([{}, { totalItem: 3 }])('is none with %j', async (total) => {
    const error = await thrownBy((await client({ listData: null, ...total })).list('r1'));
    expect(error.message).toBe(`${SAYS}"listData" (wire.page.endpoints): null came, use a list`);
  });
});

describe('whether a list could show a rollout that a version went live', () => {
  const fault = async (listData: object[], wire: object = {}) => {
    const service = await client({ listData, totalItem: listData.length }, wire);
    await service.list('r1');
    return service.faultOfLists?.();
  };

  test.each<[string, object[], object]>([
    ['there is no endpoint', [], {}],
    [
      'one endpoint has both keys, even if nothing is known yet',
      [{ id: 'a' }, { id: 'b', targetVersion: null, liveVersion: null }],
      {},
    ],
    [
      'wire names them',
      [{ id: 'a', want: 1, have: 1 }],
      { endpoint: { targetVersion: 'want', liveVersion: 'have' } },
    ],
    [
      'the live version alone tells where an endpoint is',
      [{ id: 'a', liveVersion: 1 }],
      { endpoint: { targetVersion: null } },
    ],
    [
      'the target of one endpoint at rest is told',
      [
        { id: 'a', targetVersion: null, liveVersion: 1 },
        { id: 'b', targetVersion: 1, liveVersion: 1 },
      ],
      {},
    ],
    ['nothing is live yet', [{ id: 'a', targetVersion: null, liveVersion: 0 }], {}],
  ])('it could, when %s', async (_, rows, wire) => {
    expect(await fault(rows, wire)).toBeNull();
  });

  test('not when the target of all that is live is null, unless on the way', async () => {
    const atRest = { id: 'a', targetVersion: null, liveVersion: 1 };
    const onItsWay = { id: 'b', targetVersion: 2, liveVersion: 1 };
    expect(await fault([atRest, onItsWay])).toBe(
      'Of every endpoint of the list that is live, "targetVersion" (wire.endpoint.targetVersion) is null, so a rollout could not see a version go live. If the service tells it only while an endpoint is on its way, set wire.endpoint.targetVersion to null: then the live version alone counts.',
    );
  });

  test('else the keys that came are told, and the settings', async () => {
    expect(await fault([{ id: 'a', want: 1, have: 1 }])).toBe(
      'No endpoint of the list has "targetVersion" (wire.endpoint.targetVersion) and "liveVersion" (wire.endpoint.liveVersion), so a rollout could not see a version go live. The keys that came are "id", "want", "have": say with wire which of them it is.',
    );
    expect(await fault([{ ...row, have: 1 }], { endpoint: { liveVersion: null } })).toMatch(
      /^No endpoint of the list has a live version \(wire\.endpoint\.liveVersion is null\), so .* "liveVersion", "have": say/,
    );
  });
});
