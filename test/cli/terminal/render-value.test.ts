import { describe, expect, test } from '@jest/globals';
import { renderValue } from '../../../lib/cli/terminal/print-result.ts';

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
      'id                    name   status …',
      `${'a'.repeat(20)}  web-1  ACTIVE`,
    ]);
  });

  test('where not even id, name and status have room, a row takes several lines, and its id is whole', () => {
    const id = '3aa8aaad-6961-8838-842d-1faa046ae5ca';
    const rows = [
      { id, name: 'endpoint-01', status: 'ACTIVE', liveVersion: 1, url: 'u'.repeat(60) },
      { id: 'b', name: 'endpoint-02', status: null, liveVersion: 1, url: null },
    ];
    expect(renderValue(rows, 40)).toEqual([
      id,
      '  name endpoint-01, status ACTIVE,',
      '  liveVersion 1, url',
      `  ${'u'.repeat(36)}…`,
      'b',
      '  name endpoint-02, status -,',
      '  liveVersion 1, url -',
    ]);
    for (const width of [36, 40, 50, 58, 59, 80, 120]) {
      const lines = renderValue(rows, width);
      expect(lines.filter((line) => line.length > width)).toEqual([]);
      expect(lines.join('\n')).toContain(id);
      expect(lines.join('\n')).toContain('ACTIVE');
    }
  });

  test('the mark of what is left out has room too', () => {
    const rows = [{ a: 'a'.repeat(10), b: 'b'.repeat(10), c: 'c'.repeat(10), d: 'd'.repeat(10) }];
    expect(renderValue(rows, 46)[0]).toMatch(/d$/);
    expect(renderValue(rows, 45)[0]).toMatch(/c …$/);
    expect(renderValue(rows, 36)[0]).toMatch(/c …$/);
    expect(renderValue(rows, 35)).toEqual([
      'a'.repeat(10),
      `  b ${'b'.repeat(10)}, c ${'c'.repeat(10)}, d`,
      `  ${'d'.repeat(10)}`,
    ]);
  });

  test('of one object, a value that has no room goes below its name', () => {
    const id = '3aa8aaad-6961-8838-842d-1faa046ae5ca';
    expect(renderValue({ id, targetVersion: 3 }, 52)[1]).toBe(`id             ${id}`);
    expect(renderValue({ id, targetVersion: 3 }, 40)).toEqual([
      'field          value',
      'id',
      `  ${id}`,
      'targetVersion  3',
    ]);
  });
});
