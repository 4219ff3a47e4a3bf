// An endpoint service in one Lambda function, for trying steproll out in an account. CloudFormation takes this file as text.
const { DynamoDBClient, GetItemCommand, PutItemCommand } = require('@aws-sdk/client-dynamodb');

const NAMES = ['web-1', 'web-2', 'web-3'];
const ROLL_MS = 20_000;
/** It never gets live. */
const BAD_VERSION = 13;
const LIST = '/agent-runtimes/shop/endpoints';

exports.createService = (database, { TABLE, TOKEN }, now = Date.now) => {
  async function read(id) {
    const Key = { id: { S: id } };
    const query = new GetItemCommand({ TableName: TABLE, Key, ConsistentRead: true });
    const { Item } = await database.send(query);
    if (Item === undefined) return { target: 1, before: 1, at: 0 };
    return { target: Number(Item.target.N), before: Number(Item.before.N), at: Number(Item.at.N) };
  }

  function rowOf(id, { target, before, at }) {
    const isOver = now() >= at + ROLL_MS;
    const liveVersion = isOver && target !== BAD_VERSION ? target : before;
    const settled = liveVersion === target ? 'ACTIVE' : 'ERROR';
    const status = isOver ? settled : 'UPDATING';
    const versions = { version: target, targetVersion: target, liveVersion };
    return { id, name: id, agentRuntimeId: 'shop', ...versions, currentReplicaCount: 1, status };
  }

  async function list({ page = '1', size = '10' }) {
    const rows = await Promise.all(NAMES.map(async (name) => rowOf(name, await read(name))));
    const listData = page === '1' ? rows : [];
    const totals = { totalPage: 1, totalItem: rows.length };
    return { listData, page: Number(page), pageSize: Number(size), ...totals };
  }

  async function roll(id, version) {
    const before = rowOf(id, await read(id)).liveVersion;
    const state = { target: Number(version), before, at: now() };
    const fields = Object.entries(state).map(([field, value]) => [field, { N: String(value) }]);
    const Item = { id: { S: id }, ...Object.fromEntries(fields) };
    await database.send(new PutItemCommand({ TableName: TABLE, Item }));
    return rowOf(id, state);
  }

  return async ({ rawPath, headers, queryStringParameters: query = {}, requestContext }) => {
    const answer = (statusCode, body) => ({
      ...{ statusCode, body: JSON.stringify(body) },
      headers: { 'content-type': 'application/json' },
    });
    if (headers.authorization !== `Bearer ${TOKEN}`) return answer(401, {});
    const { method } = requestContext.http;
    if (method === 'GET' && rawPath === LIST) return answer(200, await list(query));
    const id = NAMES.find((name) => rawPath === `${LIST}/${name}`);
    if (method !== 'PUT' || id === undefined) return answer(404, {});
    return answer(200, await roll(id, query.version));
  };
};

exports.handler = exports.createService(new DynamoDBClient({}), process.env);
