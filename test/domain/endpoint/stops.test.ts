import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type JournalEntry, WRITE_RESULTS } from '../../../lib/domain/endpoint/journal.ts';
import { findStopsSent, stopHistories } from '../../../lib/domain/endpoint/stops.ts';

const line = (result: JournalEntry['result'], said: Partial<JournalEntry> = {}): JournalEntry => ({
  at: 0,
  watched: 0,
  operation: 'stop',
  endpointId: 'one',
  result,
  ...said,
});

describe('what the journal says of stops', () => {
  test.each<[string, JournalEntry['result'][], number, number]>([
    ['meant, and the process died', ['intended'], 1, 1],
    ['accepted', ['intended', 'accepted'], 1, 1],
    ['without an answer', ['intended', 'unknown'], 1, 1],
    ['meant, and called off before it was sent', ['intended', 'kept'], 0, 0],
    ['refused', ['intended', 'rejected'], 1, 0],
    ['kept back', ['kept'], 0, 0],
    ['refused, and then kept back', ['intended', 'rejected', 'kept'], 1, 0],
    ['refused, and called off', ['intended', 'rejected', 'intended', 'kept'], 1, 0],
    ['refused, and then meant once more', ['intended', 'rejected', 'intended'], 2, 1],
    ['sent, and sent once more, which was refused', ['intended', 'intended', 'rejected'], 2, 1],
    ['refused twice', ['intended', 'rejected', 'intended', 'rejected'], 2, 0],
    [
      'meant twice, before a process that stood still, and called off',
      ['intended', 'intended', 'kept'],
      0,
      0,
    ],
    ['sent twice without an answer', ['intended', 'intended', 'unknown'], 2, 2],
  ])(
    'one that was %s: %j may have been sent %i times, %i of them carried out',
    (_, results, sent, possible) => {
      const journal = results.map((result) => line(result));

      expect(stopHistories(journal).get('one')).toMatchObject({
        last: journal.at(-1),
        sent,
        possible,
      });
      expect(findStopsSent(journal).has('one')).toBe(possible > 0);
    },
  );

  test('rolls are none of them', () => {
    expect(stopHistories([line('accepted', { operation: 'roll' })]).size).toBe(0);
  });

  test('one that was accepted, or has no answer, stays sent whatever comes of other tries', () => {
    // What was sent is never kept back.
    const ends = WRITE_RESULTS.filter((result) => result !== 'kept');
    const tries = fc.array(fc.constantFrom(...ends).map((end) => ['intended', end]));
    const open = fc.constantFrom(['intended'], ['intended', 'accepted'], ['intended', 'unknown']);
    fc.assert(
      fc.property(tries, open, tries, (before, one, after) => {
        const results = [...before, one, ...after].flat() as JournalEntry['result'][];
        expect(findStopsSent(results.map((result) => line(result)))).toEqual(new Set(['one']));
      }),
    );
  });
});
