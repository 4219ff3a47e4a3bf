import { expect, test } from '@jest/globals';
import { type ItemCondition, isMet } from '../../lib/ledger/condition.ts';

const APPROVE = { kind: 'approve', wave: 0 };
const item = { epoch: 2, leaseUntil: 10, understands: ['abort', 'hold'], signals: [APPROVE] };

test.each<[string, ItemCondition, boolean]>([
  ['nothing is asked', {}, true],
  ['a field is there', { epoch: 'present', outcome: 'absent' }, true],
  ['a field is not there', { epoch: 'absent' }, false],
  ['a field is missing', { outcome: 'present' }, false],
  ['a value is the same', { epoch: { is: 2 } }, true],
  ['a value is another one', { epoch: { is: 1 } }, false],
  ['a number is lower', { leaseUntil: { below: 11 } }, true],
  ['a number is the same', { leaseUntil: { below: 10 } }, false],
  ['a number is missing', { startedAt: { below: 10 } }, false],
  ['all words are there', { understands: { has: ['hold', 'abort'] } }, true],
  ['a word is not there', { understands: { has: ['abort', 'pause'] } }, false],
  ['a list has so many records', { signals: { size: 1 } }, true],
  ['a list has more records', { signals: { size: 0 } }, false],
  ['a list has none', { journal: { size: 0 } }, true],
  [
    'a record is there, with its fields in another order',
    { signals: { lacks: { wave: 0, kind: 'approve' } } },
    false,
  ],
  ['a record is not there', { signals: { lacks: { ...APPROVE, wave: 1 } } }, true],
  ['one of two tests fails', { epoch: { is: 2 }, leaseUntil: 'absent' }, false],
])('%s', (_, only, expected) => {
  expect(isMet(only, item)).toBe(expected);
});
