import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { textWidth } from '../../../lib/telling/width.ts';

test('every character takes as many cells as the library says', () => {
  const wrong = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(
    (character) => textWidth(character) !== stringWidth(character),
  );

  expect(wrong).toEqual([]);
});

test('so does every text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(textWidth(text)).toBe(stringWidth(text));
    }),
  );
});
