import { describe, expect, test } from '@jest/globals';
import * as z from 'zod';
import { checkInput, parseInput } from '../../../lib/contract/input/parse-input.ts';
import { SteprollError } from '../../../lib/domain/errors.ts';

const Size = z.union([
  z.strictObject({ endpoints: z.int().min(1) }),
  z.strictObject({ percent: z.number().gt(0).lte(100) }),
]);
const Schema = z.strictObject({
  name: z.string().min(1).max(3).optional(),
  count: z.int().optional(),
  share: z.number().gt(0).lt(1).optional(),
  minutes: z.int().multipleOf(60).optional(),
  flag: z.boolean().optional(),
  mode: z.enum(['slow', 'fast']).default('slow'),
  list: z.array(z.string()).min(1).max(2).optional(),
  either: z.union([z.int().max(9), z.array(z.string())]).optional(),
  size: Size.optional(),
  kind: z
    .discriminatedUnion('kind', [
      z.strictObject({ kind: z.literal('a') }),
      z.strictObject({ kind: z.literal('b'), seconds: z.int().min(1) }),
    ])
    .optional(),
  custom: z
    .string()
    .refine((text) => text !== 'no', 'use another word')
    .optional(),
  clientSecret: z.string().optional(),
  byName: z.record(z.string().regex(/^\w+$/, 'use letters'), z.number()).optional(),
});

function messageFor(value: unknown): string {
  try {
    parseInput(Schema, value, 'thing');
  } catch (error) {
    expect(error).toBeInstanceOf(SteprollError);
    expect(error).toMatchObject({ name: 'InvalidInput' });
    return (error as Error).message;
  }
  throw new Error('it was accepted');
}

test('answers the value with its defaults', () => {
  expect(parseInput(Schema, { count: 1 }, 'thing')).toEqual({ count: 1, mode: 'slow' });
});

describe('one mistake', () => {
  test.each<[unknown, string]>([
    [{ name: 3 }, 'name: 3 is not allowed; use a string'],
    [{ name: '' }, 'name: "" is not allowed; use at least 1 character'],
    [{ name: 'long' }, 'name: "long" is not allowed; use at most 3 characters'],
    [{ count: 1.5 }, 'count: 1.5 is not allowed; use a whole number'],
    [{ count: '7' }, 'count: "7" is not allowed; use a number'],
    [{ count: null }, 'count: null is not allowed; use a number'],
    [{ count: Number.POSITIVE_INFINITY }, 'count: Infinity is not allowed; use a number'],
    [{ share: 0 }, 'share: 0 is not allowed; use a number of more than 0'],
    [{ share: 1 }, 'share: 1 is not allowed; use a number of less than 1'],
    [{ minutes: 61 }, 'minutes: 61 is not allowed; use a multiple of 60'],
    [{ flag: 'yes' }, 'flag: "yes" is not allowed; use true or false'],
    [
      { mode: 'slwo' },
      'mode: "slwo" is not allowed; use one of "slow", "fast" (did you mean slow?)',
    ],
    [{ list: {} }, 'list: an object is not allowed; use a list'],
    [{ list: [] }, 'list: an empty list is not allowed; use a list of at least 1'],
    [{ list: ['a', 1] }, 'list[1]: 1 is not allowed; use a string'],
    [{ either: 'x' }, 'either: "x" is not allowed; use a number or a list'],
    [{ either: 10 }, 'either: 10 is not allowed; use a number of at most 9'],
    [{ either: ['a', 2] }, 'either[1]: 2 is not allowed; use a string'],
    [{ size: { percent: 0 } }, 'size.percent: 0 is not allowed; use a number of more than 0'],
    [{ size: { percent: 'half' } }, 'size.percent: "half" is not allowed; use a number'],
    [{ kind: { kind: 'c' } }, 'kind.kind: "c" is not allowed; use one of "a", "b"'],
    [{ kind: {} }, 'kind.kind: missing; use one of "a", "b"'],
    [{ kind: { kind: 'b' } }, 'kind.seconds: missing; use a number'],
    [{ byName: { 'a b': 1 } }, 'byName["a b"]: "a b" is not allowed; use letters'],
    [{ custom: 'no' }, 'custom: "no" is not allowed; use another word'],
    [{ maxUnavaliable: 1 }, 'maxUnavaliable: unknown key'],
    [{ 'a b\u001b[2J': 1 }, '["a b\\u001b[2J"]: unknown key'],
    [JSON.parse('{"__proto__": {}}'), '__proto__: unknown key'],
    [{ clientSecret: 12345 }, 'clientSecret: (hidden) is not allowed; use a string'],
    [undefined, 'missing; use an object'],
    ['text', '"text" is not allowed; use an object'],
  ])('%j', (value, line) => {
    expect(messageFor(value)).toBe(`Invalid thing, 1 mistake:\n  ${line}`);
  });
});

test('lists every mistake at once', () => {
  expect(messageFor({ name: 1, mode: 'x', other: 1, another: 2 }).split('\n')).toEqual([
    'Invalid thing, 4 mistakes:',
    '  name: 1 is not allowed; use a string',
    '  mode: "x" is not allowed; use one of "slow", "fast"',
    '  other: unknown key',
    '  another: unknown key',
  ]);
});

test('cuts long values and long keys', () => {
  expect(messageFor({ mode: 'x'.repeat(100_000) })).toContain(`mode: "${'x'.repeat(59)}… is not`);
  expect(messageFor({ ['k'.repeat(100_000)]: 1 })).toContain(`  ${'k'.repeat(60)}…: unknown key`);
});

test('C08: a value nested 20,000 deep is refused', () => {
  const deep = JSON.parse(`${'['.repeat(20_000)}${']'.repeat(20_000)}`);
  expect(messageFor({ mode: deep })).toContain('mode: a list of 1 is not allowed');
});

describe('checkInput', () => {
  const schema = z.strictObject({ a: z.string(), b: z.strictObject({ c: z.int() }).optional() });

  test('answers the value, or the mistakes and what is only missing', () => {
    expect(checkInput(schema, { a: 'x' })).toEqual({ data: { a: 'x' } });
    expect(checkInput(schema, { b: { c: 'x' }, d: 1 })).toEqual({
      mistakes: [
        { key: 'a', text: 'a: missing; use a string', isMissing: true },
        { key: 'b', text: 'b.c: "x" is not allowed; use a number', isMissing: false },
        { key: 'd', text: 'd: unknown key', isMissing: false },
      ],
    });
  });

  test('calls a key by the name that people know', () => {
    const checked = checkInput(schema, { a: 1, b: { c: 'x' } }, (key) => `${key} in FILE`);
    expect('mistakes' in checked && checked.mistakes.map(({ text }) => text)).toEqual([
      'a in FILE: 1 is not allowed; use a string',
      'b in FILE.c: "x" is not allowed; use a number',
    ]);
  });
});

test.each([
  ['https://ops:sesame@prometheus.example.com/x', '"https://(hidden)@prometheus.example.com/x"'],
  ['https://ops:se/sa@me@prometheus.example.com', '"https://(hidden)@prometheus.example.com"'],
  ['https://sesame@prometheus.example.com', '"https://(hidden)@prometheus.example.com"'],
  ['ops:sesame@prometheus.example.com', '"(hidden)@prometheus.example.com"'],
  ['https://prometheus.example.com/x?key=sesame', '"https://prometheus.example.com/x?(hidden)"'],
  ['web@prod', '"web@prod"'],
])('a mistake about %s tells no password', (url, shown) => {
  const schema = z.object({ url: z.string().refine(() => false, 'use another one') });
  expect(() => parseInput(schema, { url }, 'input')).toThrow(
    `url: ${shown} is not allowed; use another one`,
  );
});

test('an unknown key that is very similar to one that may stand there says so, in a list, a record and a union', () => {
  const wave = z.union([
    z.strictObject({ percent: z.int() }),
    z.strictObject({ names: z.string() }),
  ]);
  const policy = z.strictObject({
    bakeSeconds: z.int().optional(),
    waves: z.array(wave).optional(),
  });
  const schema = z.strictObject({
    runtimes: z.record(z.string(), policy).optional(),
    policy: policy.optional(),
  });
  const mistakesIn = (value: unknown) => {
    const checked = checkInput(schema, value);
    return 'data' in checked ? [] : checked.mistakes.map(({ text }) => text);
  };
  expect(mistakesIn({ polcy: {} })).toEqual(['polcy: unknown key (did you mean policy?)']);
  expect(mistakesIn({ runtimes: { shop: { wavs: [] } } })).toEqual([
    'runtimes.shop.wavs: unknown key (did you mean waves?)',
  ]);
  expect(mistakesIn({ policy: { waves: [{ percent: 1, prcent: 2 }] } })).toEqual([
    'policy.waves[0].prcent: unknown key (did you mean percent?)',
  ]);
  expect(mistakesIn({ colour: 1 })).toEqual(['colour: unknown key']);
});
