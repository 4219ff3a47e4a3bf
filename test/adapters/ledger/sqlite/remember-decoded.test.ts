import { expect, test } from '@jest/globals';
import * as z from 'zod';
import { rememberDecoded } from '../../../../lib/adapters/ledger/sqlite/storage.ts';
import { encodeRecord } from '../../../../lib/contract/ledger/envelope.ts';

const schema = z.strictObject({ name: z.string() });
const one = encodeRecord({ name: 'one' });
const two = encodeRecord({ name: 'two' });

test('answers every text decoded, in their order', () => {
  const decode = rememberDecoded(schema);
  expect(decode([one, two, one])).toEqual([{ name: 'one' }, { name: 'two' }, { name: 'one' }]);
  expect(decode([])).toEqual([]);
});

test('does not decode again what it decoded the time before, and forgets what is older', () => {
  const decode = rememberDecoded(schema);
  const [first] = decode([one]);
  const [second] = decode([one, two]);
  expect(second).toBe(first);
  decode([two]);
  expect(decode([one])[0]).not.toBe(first);
});

test('throws for a text that is none of ours, and remembers nothing of it', () => {
  const decode = rememberDecoded(schema);
  const broken = encodeRecord({ name: 1 });
  for (const _ of [1, 2]) {
    expect(() => decode([one, broken])).toThrow(
      expect.objectContaining({ name: 'IncompatibleState' }),
    );
  }
});
