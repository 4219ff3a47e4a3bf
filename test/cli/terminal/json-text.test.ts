import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { jsonText } from '../../../lib/telling/text.ts';

describe('JSON on a terminal', () => {
  test('C11: parses to the very same value, and has nothing that a terminal would obey', () => {
    fc.assert(
      fc.property(fc.record({ name: fc.string({ unit: 'binary' }) }), (value) => {
        const text = jsonText(value);
        expect(JSON.parse(text)).toEqual(value);
        expect(text).not.toMatch(/(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  test.each(['\u001b[2J', '\u009b2J', '\u202e', '\u{e0001}', '\u007f', '\u2028', '\u2029'])(
    '%j is escaped',
    (name) => {
      expect(jsonText(name)).toMatch(/^"(\\u[0-9a-f]{4}|[\x20-\x7e])+"$/);
      expect(JSON.parse(jsonText(name))).toBe(name);
    },
  );

  test.each(['##[set-env name=X]y', '##vso[task.setvariable]y', 'a ###[b]', '\\##teamcity[c]'])(
    'C11: %j has nothing that a CI runner would obey, and is the same value',
    (name) => {
      const text = jsonText({ [name]: name });
      expect(text).not.toMatch(/##\w*\[/);
      expect(JSON.parse(text)).toEqual({ [name]: name });
    },
  );

  test('nothing is null', () => {
    expect(jsonText(undefined)).toBe('null');
  });
});
