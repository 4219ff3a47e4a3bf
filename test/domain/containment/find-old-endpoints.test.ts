import { describe, expect, test } from '@jest/globals';
import { findOldEndpoints } from '../../../lib/domain/containment/old-endpoints.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import { line, planOf, progressOf, seen } from '../examples.ts';

const plan = planOf([1, 2]);
const rolled = plan.ids.map((id) => line('roll', id, 'accepted'));
const converged = seen('converged', 2);
const progressing = seen('progressing');
const pending = seen('pending');

describe('findOldEndpoints', () => {
  test.each<[string, JournalEntry[], Observation[], number[]]>([
    ['rolled and live', rolled, [converged, converged, converged], []],
    ['rolled and live on one read', rolled, [converged, converged, seen('converged', 1)], []],
    ['rolled and not live', rolled, [converged, progressing, seen('requested')], [1, 2]],
    [
      'H07: rolled and not live, in a wave before',
      rolled,
      [progressing, converged, converged],
      [0],
    ],
    ['rolled and failed', rolled, [converged, converged, seen('failed', 2)], [2]],
    ['rolled, and moved by somebody else', rolled, [converged, seen('superseded'), converged], [1]],
    ['rolled and never read since', rolled, [converged], [1, 2]],
    ['not rolled', [], [progressing, pending, pending], []],
    ['refused', [line('roll', 'web-1', 'rejected')], [seen('failed', 2)], []],
    ['not sent', [line('roll', 'web-1', 'not-sent')], [pending], []],
    ['H11: rolled without an answer', [line('roll', 'web-1', 'unknown')], [seen('requested')], [0]],
    ['A01: died around the roll', [line('roll', 'web-1', 'intended')], [progressing], [0]],
    ['H06: rolled and not in the list', rolled.slice(1, 2), [converged, seen('missing', 3)], [1]],
  ])('%s', (_, journal, observations, indexes) => {
    expect(findOldEndpoints({ journal }, plan, progressOf(0, observations))).toEqual(indexes);
  });

  test('in a wave that was verified, one read against an endpoint that was live may be old', () => {
    const seenIn = (first: Observation) => progressOf(1, [first, converged, seen('progressing')]);
    const rolled = plan.ids.map((id) => line('roll', id, 'accepted'));
    const find = (first: Observation) => findOldEndpoints({ journal: rolled }, plan, seenIn(first));
    expect(find({ ...seen('progressing', 1), wasConverged: true })).toEqual([2]);
    expect(find(seen('progressing', 2))).toEqual([0, 2]);
    // The read before had already spoken against it, in another way.
    expect(find(seen('missing', 1))).toEqual([0, 2]);
  });
});
