import { userInfo } from 'node:os';
import { expect, test } from '@jest/globals';
import { userName } from '../../../lib/adapters/machine/environment.ts';

test('the person at this machine has the name that the operating system gives them', () => {
  expect(userName()).toBe(userInfo().username);
});
