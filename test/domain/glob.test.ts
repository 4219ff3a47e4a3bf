import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { matchesGlob } from '../../lib/domain/glob.ts';

describe('matchesGlob', () => {
  test.each<[pattern: string, text: string, matches: boolean]>([
    ['ERROR', 'ERROR', true],
    ['ERROR', 'ERRORS', false],
    ['ERROR', 'error', false],
    ['', '', true],
    ['', 'a', false],
    ['*', '', true],
    ['*', 'anything', true],
    ['**', 'a', true],
    ['*_FAILED', 'UPDATE_FAILED', true],
    ['*_FAILED', '_FAILED', true],
    ['*_FAILED', 'FAILED', false],
    ['*_FAILED', 'UPDATE_FAILED_ONCE', false],
    ['canary-*', 'canary-1', true],
    ['canary-*', 'a-canary-1', false],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'a-b-b-c', true],
    ['a*b*c', 'a-c-b', false],
    ['*ab*ab*', 'aab-ab', true],
    ['*ab*ab*', 'abab', true],
    ['*ab*ab*', 'aab', false],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['a?', 'ab', false],
  ])('%j on %j: %j', (pattern, text, matches) => {
    expect(matchesGlob(pattern, text)).toBe(matches);
  });

  test('says the same as the plain recursive definition', () => {
    const letters = fc.constantFrom('a', 'b', '*');
    fc.assert(
      fc.property(
        fc.string({ unit: letters, maxLength: 8 }),
        fc.string({ unit: letters, maxLength: 10 }),
        (pattern, text) => {
          expect(matchesGlob(pattern, text)).toBe(matchesByDefinition(pattern, text));
        },
      ),
      { numRuns: 3000 },
    );
  });

  test.each([
    ['*a*a*a… on a long run of a, without the end', `${'*a'.repeat(500)}*b`, 'a'.repeat(100_000)],
    ['more parts than the text has letters', `${'*a'.repeat(2000)}*`, 'a'.repeat(1999)],
    ['a part that is nowhere', '*ab*ab*c', 'ab'.repeat(50_000)],
  ])('C08: looks at each character about once: %s', (_, pattern, text) => {
    const counted = new CountedText(text);
    expect(matchesGlob(pattern, counted as unknown as string)).toBe(false);
    expect(counted.looks).toBeLessThanOrEqual(2 * (text.length + pattern.length));
  });
});

function matchesByDefinition(pattern: string, text: string): boolean {
  if (pattern === '') return text === '';
  if (pattern.startsWith('*')) {
    const rest = pattern.slice(1);
    return (
      matchesByDefinition(rest, text) ||
      (text !== '' && matchesByDefinition(pattern, text.slice(1)))
    );
  }
  return text[0] === pattern[0] && matchesByDefinition(pattern.slice(1), text.slice(1));
}

/** A text that counts the characters that a search has to look at. */
class CountedText extends String {
  looks = 0;

  override startsWith(part: string): boolean {
    this.looks += part.length;
    return super.startsWith(part);
  }

  override endsWith(part: string): boolean {
    this.looks += part.length;
    return super.endsWith(part);
  }

  override indexOf(part: string, from = 0): number {
    const found = super.indexOf(part, from);
    this.looks += (found < 0 ? this.length : found + part.length) - from;
    return found;
  }

  override slice(from?: number, to?: number): string {
    const part = super.slice(from, to);
    this.looks += part.length;
    return part;
  }
}
