import { describe, expect, test } from '@jest/globals';
import { renderValue } from '../../../lib/cli/terminal/table.ts';

describe('values for people', () => {
  test.each([
    ['nothing', null, []],
    ['an empty list', [], []],
    ['an empty object', {}, []],
    ['a word', 'a\u001bb', ['a\uFFFDb']],
    ['a number', 2, ['2']],
    ['words', ['a', null, true], ['a', '-', 'true']],
    ['lists', [['a', 1]], ['["a",1]']],
    ['an object', { id: 'a', n: 1 }, ['field  value', 'id     a', 'n      1']],
    ['objects', [{ n: 1 }, { id: 'a' }], ['n  id', '1  -', '-  a']],
  ])('%s', (_, value, lines) => {
    expect(renderValue(value, 80)).toEqual(lines);
  });

  test('where there is no room, whole columns give way, and that is shown', () => {
    const rows = [{ id: 'a'.repeat(20), name: 'web-1', status: 'ACTIVE', url: 'u'.repeat(60) }];
    expect(renderValue(rows, 200)[0]).toMatch(/url$/);
    expect(renderValue(rows, 40)).toEqual([
      'id                    name   status  …',
      `${'a'.repeat(20)}  web-1  ACTIVE`,
    ]);
    for (const width of [1, 10, 20, 40]) {
      for (const line of renderValue(rows, width))
        expect(line.length).toBeLessThanOrEqual(Math.max(width, 7));
    }
  });
});
