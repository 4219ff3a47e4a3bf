import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { sectionFor } from '../../lib/console/pages/runbook-section.ts';
import { decideAbandoned } from '../../lib/domain/ending/abandoned.ts';
import { recordOf } from '../domain/examples.ts';

test.each(['TIMED_OUT', 'FAILED', 'NOT_FOUND', 'SUCCEEDED'] as const)(
  'what the janitor closes after %s has the section of the janitor',
  (status) => {
    const decided = decideAbandoned({ status }, recordOf());
    if (decided.next !== 'close') throw new Error('it was not closed');
    expect(sectionFor(decided.outcome, false)).toBe('The janitor had work');
  },
);

test('every section that an end names is in the runbook', () => {
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  for (const reason of ['TimedOut', 'Stalled']) {
    for (const runsHere of [true, false]) {
      const title = sectionFor({ outcome: 'Failed', reason }, runsHere);
      expect(runbook.split('\n')).toContain(`## ${title}`);
    }
  }
  expect(sectionFor({ outcome: 'Succeeded', reason: 'Completed' }, false)).toBeNull();
});
