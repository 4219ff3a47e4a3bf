import { describe, expect, test } from '@jest/globals';
import type * as z from 'zod';
import {
  createInputSchema,
  listInputSchema,
  rollInputSchema,
  stopInputSchema,
} from '../../../lib/contract/functions/operations.ts';
import { parseInput } from '../../../lib/contract/input/parse-input.ts';

const INPUTS = {
  list: [listInputSchema, { runtimeId: 'shop' }],
  create: [createInputSchema, { runtimeId: 'shop', name: 'web-1' }],
  roll: [rollInputSchema, { runtimeId: 'shop', version: 2, endpointIds: ['e1'] }],
  stop: [stopInputSchema, { runtimeId: 'shop', endpointIds: ['e1'] }],
} as const satisfies Record<string, readonly [z.ZodType, object]>;

const ALL = Object.entries(INPUTS).map(
  ([name, [schema, input]]) => [name, schema as z.ZodType, input] as const,
);

test('a page is the first one of 10 where nothing else is said', () => {
  expect(listInputSchema.parse({ runtimeId: 'shop' })).toEqual({
    runtimeId: 'shop',
    page: 1,
    size: 10,
  });
});

test('create leaves the version to the service', () => {
  const input = { runtimeId: 'shop', name: 'web-1' };
  expect(createInputSchema.parse(input)).toEqual(input);
  expect(createInputSchema.parse({ ...input, version: 2 })).toEqual({ ...input, version: 2 });
});

describe.each(ALL)('%s', (_, schema, input) => {
  test('is taken with the least that it needs', () => {
    expect(parseInput(schema, input, 'input')).toMatchObject(input);
  });

  test.each(Object.keys(input))('needs %s', (key) => {
    const rest = Object.fromEntries(Object.entries(input).filter(([name]) => name !== key));
    expect(() => parseInput(schema, rest, 'input')).toThrow(`${key}: missing`);
  });

  test.each(['endpointUrl', 'force', 'constructor', '__proto__'])('takes no %s', (key) => {
    const more = JSON.parse(`{${JSON.stringify(input).slice(1, -1)}, "${key}": {}}`);
    expect(() => parseInput(schema, more, 'input')).toThrow(`${key}: unknown key`);
  });

  test.each([
    ['.', 'it would address another path'],
    ['', 'it is empty'],
    [7, 'use a string'],
  ])('H31: refuses the runtime id %j', (runtimeId, fault) => {
    const refused = () => parseInput(schema, { ...input, runtimeId }, 'input');
    expect(refused).toThrow(`runtimeId: ${JSON.stringify(runtimeId)} is not allowed; ${fault}`);
  });
});

describe.each([
  ['roll', rollInputSchema, INPUTS.roll[1]],
  ['stop', stopInputSchema, INPUTS.stop[1]],
] as const)('%s', (_, schema: z.ZodType, input) => {
  const parse = (endpointIds: unknown) => parseInput(schema, { ...input, endpointIds }, 'input');

  test('H31: names every id that cannot stand in a path, and the others are fine', () => {
    expect(() => parse(['..', 'a/b', 'a\u0000', '%2f', '\ud800', 'é', 'x'.repeat(300)])).toThrow(
      /4 mistakes:\n {2}endpointIds\[0\]: .*another path\n {2}endpointIds\[2\]: .*control.*\n {2}endpointIds\[4\]: .*surrogate.*\n {2}endpointIds\[6\]: .*longer than 256/,
    );
    expect(parse(['a/b', '%2f', 'é'])).toMatchObject({ endpointIds: ['a/b', '%2f', 'é'] });
  });

  test('an id that is there twice is one mistake, which names it', () => {
    expect(() => parse(['b', 'a', 'b', 'a', 'b', 'c'])).toThrow(
      /1 mistake:\n {2}endpointIds: .*; use each id once: "b", "a"$/,
    );
  });

  test('takes 1 to 100 endpoints', () => {
    const ids = Array.from({ length: 101 }, (_, index) => `e${index}`);
    expect(parse(ids.slice(1))).toMatchObject({ endpointIds: { length: 100 } });
    expect(() => parse(ids)).toThrow('use a list of at most 100');
    expect(() => parse([])).toThrow('use a list of at least 1');
  });
});

test.each([0, -1, 1.5, '2', null, Number.POSITIVE_INFINITY, 2 ** 53])(
  'no version is %j',
  (version) => {
    for (const [schema, input] of [INPUTS.create, INPUTS.roll]) {
      expect(() => parseInput(schema as z.ZodType, { ...input, version }, 'input')).toThrow(
        'version: ',
      );
    }
  },
);
