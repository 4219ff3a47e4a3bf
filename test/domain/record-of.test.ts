import { expect, test } from '@jest/globals';
import * as z from 'zod';
import { recordOf } from '../../lib/domain/stored.ts';

const WORDS = ['__proto__', 'constructor', 'a'];
const json = JSON.stringify(Object.fromEntries(WORDS.map((word) => [word, 1])));
const numbers = recordOf(z.string().regex(/^\w+$/), z.number());

test.each([
  ['itself', numbers],
  [
    'with a description, a check and a default',
    numbers
      .describe('x')
      .refine(() => true)
      .default({}),
  ],
  [
    'within an object, a union and an optional field',
    z.object({ in: z.union([numbers, z.null()]).optional() }),
  ],
] as const)('every key has its value: %s', (name, schema) => {
  const isWithin = name.startsWith('within');
  const parsed: unknown = schema.parse(JSON.parse(isWithin ? `{"in": ${json}}` : json));
  const found = isWithin ? (parsed as { readonly in: object }).in : (parsed as object);
  expect(Object.entries(found).toSorted()).toEqual(WORDS.map((word) => [word, 1]).toSorted());
  expect(Object.getPrototypeOf(found)).toBe(Object.prototype);
});

test('a value and a key that are not allowed are refused, at their place', () => {
  const { error } = recordOf(z.string(), z.object({ x: z.number() })).safeParse(
    JSON.parse('{"__proto__": {"x": "one"}}'),
  );
  expect(error?.issues).toMatchObject([{ code: 'invalid_type', path: ['__proto__', 'x'] }]);
  const letters = recordOf(z.string().regex(/^[a-z]+$/), z.number());
  expect(letters.safeParse(JSON.parse('{"__proto__": 1}')).success).toBe(false);
});

test('what inherits the key has none', () => {
  expect(Object.keys(numbers.parse({ a: 1 }))).toEqual(['a']);
  expect(numbers.safeParse([]).success).toBe(false);
});

test('programs are told the same of it as of any other', () => {
  expect(z.toJSONSchema(numbers)).toEqual(
    z.toJSONSchema(z.record(z.string().regex(/^\w+$/), z.number())),
  );
});
