import { expect, test } from '@jest/globals';
import { sameEndpoints } from '../../../lib/steps/opening/list.ts';
import { endpoint, live } from '../../domain/examples.ts';

const [a, b, c] = [endpoint('a'), endpoint('b'), endpoint('c')];

test.each([
  ['nothing and nothing', [], [], true],
  ['another order', [a, b], [b, a], true],
  ['another state', [a], [live('a')], true],
  ['H01: one more', [a, b], [a, b, c], false],
  ['H02: one less', [a, b], [a], false],
  ['one in place of another', [a, b], [a, c], false],
])('%s', (_, one, other, same) => {
  expect(sameEndpoints(one, other)).toBe(same);
});
