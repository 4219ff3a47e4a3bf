import { expect, test } from '@jest/globals';
import { faultOfId } from '../../../lib/domain/endpoint/endpoint.ts';

test.each(['web-1', 'a/b', '%2f', '...', 'é', '😀', ' ', '?', 'x'.repeat(256)])(
  'H31: %j can stand in a path',
  (id) => {
    expect(faultOfId(id)).toBeNull();
  },
);

test.each([
  ['', 'it is empty'],
  ['.', 'it would address another path'],
  ['..', 'it would address another path'],
  ['a\u0000', 'it has control characters'],
  ['a\n', 'it has control characters'],
  ['a\u0085', 'it has control characters'],
  ['\ud83d', 'it has half a surrogate pair'],
  ['x'.repeat(257), 'it is longer than 256 characters'],
])('H31: %j cannot', (id, fault) => {
  expect(faultOfId(id)).toBe(fault);
});
