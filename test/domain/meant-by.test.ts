import { expect, test } from '@jest/globals';
import { asRead, describeMeant, meantBy } from '../../lib/domain/spelling.ts';

const NAMES = ['web-1', 'web-2', 'café', 'canary-eu', 'api gateway'];

test.each([
  ['wbe-*', 'perhaps "web-1" is meant'],
  ['Web-1', 'perhaps "web-1" is meant, which differs in case'],
  ['web-1 ', 'perhaps "web-1" is meant, which differs in spaces'],
  ['web-1\u200b', 'perhaps "web-1" is meant, which differs in spaces'],
  ['cafe\u0301', 'perhaps "café" is meant, which differs in Unicode form'],
  [' WEB-*', 'perhaps "web-1" is meant, which differs in case and spaces'],
  ['canray-*', 'perhaps "canary-eu" is meant'],
  ['canary_eu', 'perhaps "canary-eu" is meant'],
  ['apigateway', 'perhaps "api gateway" is meant, which differs in spaces'],
])('what %j was meant to be', (word, words) => {
  const meant = meantBy(word, NAMES);
  expect(meant && describeMeant(meant)).toBe(words);
});

test.each(['web-3', 'web-12', 'payment', 'ab', 'x*', 'db-1'])(
  'another name or number is near to nothing: %j',
  (word) => {
    expect(meantBy(word, NAMES)).toBeNull();
  },
);

test('names that look the same are read the same', () => {
  expect(new Set(['a b', ' a\u00a0b', 'a  b\u200d', 'ａ b'].map(asRead))).toEqual(new Set(['a b']));
  expect(asRead('Web')).not.toBe(asRead('web'));
});
