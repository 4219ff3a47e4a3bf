import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type JournalEntry, WRITE_RESULTS } from '../../../lib/domain/endpoint/journal.ts';
import { findStopsSent, stopHistories } from '../../../lib/domain/endpoint/stops.ts';

const line = (result: JournalEntry['result'], said: Partial<JournalEntry> = {}): JournalEntry => ({
  at: 0,
  operation: 'stop',
  endpointId: 'one',
  result,
  ...said,
});

describe('what the journal says of stops', () => {
  test.each<[string, JournalEntry['result'][], boolean]>([
    ['meant, and the process died', ['intended'], true],
    ['accepted', ['intended', 'accepted'], true],
    ['without an answer', ['intended', 'unknown'], true],
    ['without an answer, and then kept back', ['intended', 'unknown', 'kept'], true],
    ['meant, and called off before it was sent', ['intended', 'kept'], false],
    ['refused', ['intended', 'rejected'], false],
    ['kept back', ['kept'], false],
    ['refused, and then meant once more', ['intended', 'rejected', 'intended'], true],
  ])('one that was %s may have been carried out: %j is %p', (_, results, wasSent) => {
    const journal = results.map((result) => line(result));

    expect(stopHistories(journal).get('one')).toMatchObject({
      wasSent,
      last: journal.at(-1),
      meant: results.filter((result) => result === 'intended').length,
    });
  });

  test('rolls are none of them', () => {
    expect(stopHistories([line('accepted', { operation: 'roll' })]).size).toBe(0);
  });

  test('one that was answered with yes, or with nothing, stays sent whatever follows', () => {
    const results = fc.array(fc.constantFrom(...WRITE_RESULTS));
    fc.assert(
      fc.property(
        results,
        fc.constantFrom('accepted', 'unknown'),
        results,
        (before, yes, after) => {
          const journal = [...before, yes, ...after].map((result) => line(result as 'accepted'));
          expect(findStopsSent(journal)).toEqual(new Set(['one']));
        },
      ),
    );
  });
});
