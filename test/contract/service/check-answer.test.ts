import { describe, expect, test } from '@jest/globals';
import { endpointSchema, pageSchema } from '../../../lib/contract/service/wire.ts';
import { checkAnswer } from '../../../lib/contract/service/wire-faults.ts';

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
const PAGE = { endpoints: [ENDPOINT], page: 1, size: 10, totalPages: 1, totalEndpoints: 1 };

const IDS = ['e1', ' ', '..'];
const TEXTS = [...IDS, '', null];
const COUNTS = [0, 3, 3.0, Number.MAX_SAFE_INTEGER, null];
const NEITHER = [
  ...[undefined, true, {}, [], ['e1'], 3.5, -1, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY],
  ...[3n, Symbol('e1'), () => 'e1', new String('e1'), new Number(3)],
];
const VALUES = [...new Set([...TEXTS, ...COUNTS, ...NEITHER])];

describe.each([
  ['id', IDS],
  ['name', TEXTS],
  ['version', COUNTS],
  ['targetVersion', COUNTS],
  ['liveVersion', COUNTS],
  ['replicas', COUNTS],
  ['url', TEXTS],
  ['status', TEXTS],
] as const)('the %s of an endpoint', (field, allowed) => {
  test.each(VALUES)('H23, H32: %p is what it is or refused', (value) => {
    const endpoint = { ...ENDPOINT, [field]: value };
    if ((allowed as readonly unknown[]).includes(value)) {
      expect(checkAnswer(endpointSchema, endpoint, 'GET /list')).toEqual(endpoint);
    } else {
      const refusal = { name: 'UpstreamProtocol', message: expect.stringContaining(`${field}: `) };
      expect(() => checkAnswer(endpointSchema, endpoint, 'GET /list')).toThrow(
        expect.objectContaining(refusal),
      );
    }
  });
});

describe.each(['page', 'size', 'totalPages', 'totalEndpoints'])('the %s of a page', (field) => {
  test.each(VALUES)('%p is what it is or refused', (value) => {
    const page = { ...PAGE, [field]: value };
    if ((COUNTS as readonly unknown[]).includes(value)) {
      expect(checkAnswer(pageSchema, page, 'GET /list')).toEqual(page);
    } else {
      expect(() => checkAnswer(pageSchema, page, 'GET /list')).toThrow(`${field}: `);
    }
  });
});
