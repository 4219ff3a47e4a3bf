import { expect, test } from '@jest/globals';
import { replaceMarked } from './marked-part.ts';

const TEXT = [
  'before',
  '<!-- list: written by npm run docs -->',
  'old',
  '<!-- end of list -->',
  'after',
].join('\n');

test('a part takes the place of the one before, and leaves the rest alone', () => {
  const once = replaceMarked(TEXT, 'list', 'new $1');
  expect(once).toBe(TEXT.replace('old', () => '\nnew $1\n'));
  expect(replaceMarked(once, 'list', 'new $1')).toBe(once);
});

test.each([
  ['another part', TEXT.replaceAll('list', 'table')],
  ['no end', TEXT.replace('<!-- end of list -->', '')],
  ['the part twice', `${TEXT}\n${TEXT}`],
])('a text with %s is refused', (_, text) => {
  expect(() => replaceMarked(text, 'list', 'new')).toThrow('The marks of list');
});
