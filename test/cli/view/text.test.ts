import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { describeDuration } from '../../../lib/cli/view/describe-duration.ts';
import { cutTo, plainLines, plainText } from '../../../lib/cli/view/plain-text.ts';
import { renderTable } from '../../../lib/cli/view/table.ts';

describe('text for people', () => {
  test.each([
    [0, '0 s'],
    [8_400, '8 s'],
    [59_499, '59 s'],
    [60_000, '1 min'],
    [125_000, '2 min 5 s'],
    [3_600_000, '1 h'],
    [4_320_000, '1 h 12 min'],
  ])('%i ms is %s', (milliseconds, text) => {
    expect(describeDuration(milliseconds)).toBe(text);
  });

  test('C11: control and format characters are replaced, line ends only where lines are meant', () => {
    expect(plainText('a\u001b[2Jb\u202ec\n')).toBe('a\uFFFD[2Jb\uFFFDc\uFFFD');
    expect(plainLines('a\nb\u0007')).toBe('a\nb\uFFFD');
  });

  test('text is cut to a width, never within a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (text, width) => {
        const cut = cutTo(text, width);
        expect([...cut].length).toBeLessThanOrEqual(width);
        expect([...text].length <= width ? cut : cut.isWellFormed() || !text.isWellFormed()).toBe(
          [...text].length <= width ? text : true,
        );
      }),
    );
  });

  test('a table is as wide as its text, and never wider than it may be', () => {
    const columns = [{ title: 'Name' }, { title: 'Count', align: 'right' }] as const;
    expect(renderTable(columns, [['web-1', '3']], 80)).toEqual(['Name   Count', 'web-1      3']);
    expect(renderTable(columns, [['a-very-long-name', '3']], 14)).toEqual([
      'Name     Count',
      'a-very…      3',
    ]);
  });
});
