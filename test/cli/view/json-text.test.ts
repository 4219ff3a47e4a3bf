import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonText } from '../../../lib/cli/view/json-text.ts';

describe('JSON on a terminal', () => {
  test('C11: parses to the very same value, and has nothing that a terminal would obey', () => {
    fc.assert(
      fc.property(fc.record({ name: fc.string({ unit: 'binary' }) }), (value) => {
        const text = jsonText(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}]/u);
      }),
    );
  });

  test.each(['\u001b[2J', '\u009b2J', '\u202e', '\u{e0001}', '\u007f'])('%j is escaped', (name) => {
    expect(jsonText(name)).toMatch(/^"(\\u[0-9a-f]{4}|[\x20-\x7e])+"$/);
    expect(JSON.parse(jsonText(name))).toBe(name);
  });

  test('nothing is null', () => {
    expect(jsonText(undefined)).toBe('null');
  });
});
