import { expect, test } from '@jest/globals';
import { PROMISES, pageOf } from './promises.ts';

test.each(PROMISES)(
  'what simulated rollouts are held to is in the docs, word for word: %s',
  (promise) => {
    expect(pageOf(promise)).toMatch(/\.md$/);
  },
);

test('nothing else is', () => {
  expect(pageOf('A rollout makes coffee.')).toBeUndefined();
});
