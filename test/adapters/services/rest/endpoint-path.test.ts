import { describe, expect, test } from '@jest/globals';
import { endpointPath } from '../../../../lib/adapters/services/rest/client.ts';

const BASE = 'https://service.example/runtime';

test('builds the three paths below the prefix of the base URL', () => {
  expect(endpointPath(BASE, 'r1')).toBe('/runtime/agent-runtimes/r1/endpoints');
  expect(endpointPath(BASE, 'r1', 'e1')).toBe('/runtime/agent-runtimes/r1/endpoints/e1');
  expect(endpointPath(BASE, 'r1', 'e1', 'stop')).toBe(
    '/runtime/agent-runtimes/r1/endpoints/e1/stop',
  );
  expect(endpointPath('https://service.example', 'r1')).toBe('/agent-runtimes/r1/endpoints');
});

test.each([
  ['a/b', 'a%2Fb'],
  ['%2f', '%252f'],
  ['%2e%2e', '%252e%252e'],
  ['a\\b', 'a%5Cb'],
  ['a?b#c', 'a%3Fb%23c'],
  ['a b', 'a%20b'],
  ['...', '...'],
  ['é😀', '%C3%A9%F0%9F%98%80'],
  ['x'.repeat(256), 'x'.repeat(256)],
])('H31: the id %j is one path segment', (id, segment) => {
  expect(endpointPath(BASE, 'r1', id, 'stop')).toBe(
    `/runtime/agent-runtimes/r1/endpoints/${segment}/stop`,
  );
  expect(endpointPath(BASE, id)).toBe(`/runtime/agent-runtimes/${segment}/endpoints`);
});

describe.each([
  ['empty', ''],
  ['one dot', '.'],
  ['two dots', '..'],
  ['NUL', 'a\0b'],
  ['a newline', 'a\n'],
  ['DEL', 'a\x7f'],
  ['a C1 control character', 'a\x85b'],
  ['a lone high surrogate', 'a\ud800'],
  ['a lone low surrogate', '\udc00a'],
  ['300 characters', 'x'.repeat(300)],
])('H31: an id with %s', (_, id) => {
  test('is refused for a runtime and for an endpoint', () => {
    const refusal = expect.objectContaining({ name: 'InvalidEndpointId' });
    expect(() => endpointPath(BASE, id)).toThrow(refusal);
    expect(() => endpointPath(BASE, 'r1', id)).toThrow(refusal);
  });
});

test.each(['.', '..'])('H31: the message says why %j is refused', (id) => {
  expect(() => endpointPath(BASE, id)).toThrow('it would address another path');
});

test('H31: the message shows a hostile id without its control characters', () => {
  expect(() => endpointPath(BASE, 'a\u001b[31m')).toThrow(/"a\\u001b\[31m" cannot be an id/);
});
