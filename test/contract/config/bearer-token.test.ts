import { expect, test } from '@jest/globals';
import { checkBearerToken } from '../../../lib/contract/config/auth.ts';

test('a token of visible ASCII is answered as it is', () => {
  expect(checkBearerToken('aB9-._~+/=')).toBe('aB9-._~+/=');
});

test.each(['', 'canary\n', ' canary', 'can ary', 'canáry', 'can\u0000ary'])(
  'C09: %j is refused by the name of its place, and not shown',
  (token) => {
    expect(() => checkBearerToken(token, 'STEPROLL_TOKEN')).toThrow(
      expect.objectContaining({
        name: 'InvalidCredential',
        message: 'STEPROLL_TOKEN: the token must be visible ASCII, without white space',
      }),
    );
  },
);
