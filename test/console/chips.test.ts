import { expect, test } from '@jest/globals';
import { chipOf, chipsOf, withChip, withoutChip, wordsOf } from '../../lib/console/pages/chips.ts';

const KNOWN = { runtimes: ['shop', '77', 'group:prod'] };

test.each([
  ['shop', 'runtime', 'shop'],
  ['77', 'runtime', '77'],
  ['5', 'version', '5'],
  ['v5', 'version', '5'],
  ['version:5', 'version', '5'],
  ['Failed', 'outcome', 'Failed'],
  ['failed', 'outcome', 'Failed'],
  ['outcome:failed', 'outcome', 'Failed'],
  ['by:ann', 'who', 'ann'],
  ['group:prod', 'group', 'prod'],
  ['2026-01-31', 'from', '2026-01-31'],
  ['to:2026-01-31', 'to', '2026-01-31'],
  ['cart-v2-3f9a', 'id', 'cart-v2-3f9a'],
  ['id:5', 'id', '5'],
  ['runtime:any', 'runtime', 'any'],
  ['runtime:group:prod', 'runtime', 'group:prod'],
])('who types %s means the %s %s', (text, name, value) => {
  expect(chipOf(text, KNOWN)).toEqual({ name, value });
});

test('filters stand in the address one by one, outcomes beside each other', () => {
  const version = withChip('?endpoint=web', { name: 'version', value: '5' });
  const two = withChip(withChip(version, chipOf('failed', KNOWN)), chipOf('aborted', KNOWN));
  expect(two).toBe('?endpoint=web&version=5&outcome=Failed%2CAborted');
  expect(withChip(two, { name: 'version', value: '6' })).toContain('version=6');
  expect(chipsOf(two).map(wordsOf)).toEqual(['version 5', 'outcome Failed', 'outcome Aborted']);
  expect(withoutChip(two, { name: 'outcome', value: 'Failed' })).toBe(
    '?endpoint=web&version=5&outcome=Aborted',
  );
  expect(withoutChip('?outcome=Failed', { name: 'outcome', value: 'Failed' })).toBe('');
  expect(withoutChip('?who=a%2Cb', { name: 'who', value: 'a,b' })).toBe('');
});
