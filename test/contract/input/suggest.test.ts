import { expect, test } from '@jest/globals';
import { suggest } from '../../../lib/contract/input/suggest.ts';

const KNOWN = ['--waves', '--version', '--poll', '--on-failure'];

test.each([
  ['--wavse', '--waves'],
  ['--wave', '--waves'],
  ['--verson', '--version'],
  ['--pol', '--poll'],
  ['--onfailure', '--on-failure'],
])('%s is taken for %s', (word, meant) => {
  expect(suggest(word, KNOWN)).toBe(` (did you mean ${meant}?)`);
});

test.each(['--xyz', '-x', 'something else', ''])('%j is taken for nothing', (word) => {
  expect(suggest(word, KNOWN)).toBe('');
});

test('without candidates there is nothing to suggest', () => {
  expect(suggest('--waves', [])).toBe('');
});
