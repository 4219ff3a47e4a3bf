import { expect, test } from '@jest/globals';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { describeSent } from '../../../lib/telling/words/sent.ts';

const said = (kind: Signal['kind'], by: string, more: Partial<Signal> = {}): Signal => ({
  ...{ kind, by, at: 0, wave: kind === 'abort' ? null : 0, reason: '' },
  ...more,
});
const APPROVAL = said('approve', 'ann');
const REJECTION = said('reject', 'ben', { onFailure: 'roll-back', reason: 'too slow' });
const HOLD = said('abort', 'cat', { onFailure: 'hold' });
const BACK = said('abort', 'dan', { onFailure: 'roll-back' });
const NOT = 'This was written down and does not count, because';

test.each<[string, Signal, readonly Signal[], string]>([
  ['an approval', APPROVAL, [APPROVAL], 'Approved wave 1. The next one follows.'],
  ['a rejection', REJECTION, [APPROVAL, REJECTION], 'Rejected wave 1. The rollout fails, and what'],
  [
    'an approval after it',
    APPROVAL,
    [REJECTION, APPROVAL],
    `${NOT} ben rejected wave 1: too slow.`,
  ],
  [
    'a second one',
    said('reject', 'eve'),
    [REJECTION, said('reject', 'eve')],
    `${NOT} ben rejected`,
  ],
  ['one of another wave', APPROVAL, [{ ...REJECTION, wave: 1 }, APPROVAL], 'Approved wave 1.'],
  ['an abort', HOLD, [APPROVAL, HOLD], 'Asked to abort. Nothing more is rolled, rolled back or'],
  [
    'an answer after it',
    APPROVAL,
    [HOLD, APPROVAL],
    `${NOT} cat asked to abort. Of several aborts`,
  ],
  ['an abort before another', HOLD, [HOLD, BACK], `${NOT} dan asked to abort and roll back. Of`],
])('%s: what follows is what decides', (_, sent, signals, words) => {
  expect(describeSent(sent, signals, null)).toContain(words);
});

test('an abort that takes the place of another one says so', () => {
  expect(describeSent(BACK, [HOLD, BACK], null)).toMatch(
    /^Asked to abort\. .* goes back to the versions before\. Before, cat asked to abort\. Of several/,
  );
});
