import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { renderTable } from '../../../lib/telling/table.ts';
import { listNames, plainLines, plainText } from '../../../lib/telling/text.ts';
import { cutTo, wrapLines, wrapText } from '../../../lib/telling/width.ts';

describe('text for people', () => {
  test('C11: control and format characters are replaced, line ends only where lines are meant', () => {
    expect(plainText('a\u001b[2Jb\u202ec\n')).toBe('a\uFFFD[2Jb\uFFFDc\uFFFD');
    expect(plainLines('a\nb\u0007')).toBe('a\nb\uFFFD');
  });

  test.each([
    ['::add-mask::x', '\uFFFD:add-mask::x'],
    ['  ::add-mask::x', '  \uFFFD:add-mask::x'],
    ['it says ::stop-commands::x', 'it says \uFFFD:stop-commands::x'],
    [':::x', '\uFFFD::x'],
    ['##[set-env name=X]y', '\uFFFD#[set-env name=X]y'],
    ['a ##vso[task.setvariable]b', 'a \uFFFD#vso[task.setvariable]b'],
    ['###teamcity[x]', '#\uFFFD#teamcity[x]'],
    ['a\u2028::b\u2029c', 'a\uFFFD::b\uFFFDc'],
    ['Endpoint::web, [::1] and # 7 ## [x]', 'Endpoint::web, [::1] and # 7 ## [x]'],
  ])('C11: %j has nothing that a CI runner would obey', (text, plain) => {
    expect(plainText(text)).toBe(plain);
  });

  test('C11: no text makes a line that a CI runner obeys, however it is broken', () => {
    const word = fc.constantFrom(
      ':',
      '::',
      ' ',
      '\n',
      '\t',
      '#',
      '##',
      '[',
      'vso',
      'x',
      '\u2028',
      '\u200b',
    );
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 20 }), (hostile, width) => {
        for (const line of wrapText(plainText(hostile), width)) {
          expect(line).not.toMatch(/^\s*::|##\w*\[|[\r\n\u2028\u2029]/);
        }
      }),
    );
  });

  test('text is cut to a width, never within a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(30), (text, width) => {
        const cut = cutTo(plainText(text), width);
        expect(stringWidth(cut)).toBeLessThanOrEqual(width);
        expect(cut.isWellFormed() || !text.isWellFormed()).toBe(true);
        if (stringWidth(plainText(text)) <= width) expect(cut).toBe(plainText(text));
      }),
    );
  });

  test('a character that takes two cells counts as two', () => {
    expect(cutTo('東京-web', 5)).toBe('東京…');
    expect(renderTable([{ title: 'a' }, { title: 'b' }], [['東', '1']], 80)).toEqual([
      'a   b',
      '東  1',
    ]);
  });

  test.each([
    ['a bc def', 5, '  ', ['a bc', '  def']],
    ['  a bc', 4, '    ', ['  a', '    bc']],
    ['an-id-that-is-long and', 8, '', ['an-id-that-is-long', 'and']],
    ['', 8, '', ['']],
  ])('%j in lines of %i cells', (text, width, hanging, lines) => {
    expect(wrapText(text, width, hanging)).toEqual(lines);
  });

  test('lines that are broken go on below their indent, and below the text behind a time', () => {
    const lines = ['  one two three four', '  12:00:00Z  one two', 'one'];
    expect(wrapLines(lines, 16)).toEqual([
      '  one two three',
      '    four',
      '  12:00:00Z  one',
      '             two',
      'one',
    ]);
    expect(wrapLines(lines, Number.POSITIVE_INFINITY)).toEqual(lines);
  });

  test('names are listed up to five, and the rest is counted', () => {
    expect(listNames(['a', 'b\u001b'])).toBe('a, b\uFFFD');
    expect(listNames(['a', 'b', 'c', 'd', 'e', 'f', 'g'])).toBe('a, b, c, d, e and 2 more');
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
