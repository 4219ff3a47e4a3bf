import { describe, expect, test } from '@jest/globals';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { describeStateInFull } from '../../../lib/telling/words/mid-roll.ts';
import { line, planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';

const MINUTE_MS = 60_000;

/** Three endpoints, of which the second one does not get there. */
function tell(
  at: number,
  { isAbandoned = false, more = [] as JournalEntry[], deadlineSeconds = 600 } = {},
): string {
  const rolls = ['web-1', 'web-2'].map((name) => ({ ...line('roll', name, 'accepted'), at: 0 }));
  const progress = progressOf(0, [seen('converged', 2), seen('progressing'), seen('pending')]);
  const known = recordOf([...rolls, ...more]);
  const policy = { ...known.request.policy, progressDeadlineSeconds: deadlineSeconds };
  const request = { ...known.request, policy };
  const wait = waitFor('roll', { until: deadlineSeconds * 1_000 });
  const record = { ...known, request, plan: planOf([3]), progress, wait };
  return describeStateInFull(storyOf(record, at, isAbandoned));
}

describe('the state of a rollout', () => {
  test('names the endpoint whose roll takes a minute or longer, and for how long', () => {
    expect(tell(3 * MINUTE_MS)).toMatch(/: web-2 in mid-roll for 3 min, deadline in /);
    expect(tell(MINUTE_MS)).toContain('web-2 in mid-roll for 1 min');
  });

  test('names a deadline from a day before it', () => {
    const deadlineSeconds = 7 * 24 * 3_600;
    expect(tell(3 * MINUTE_MS, { deadlineSeconds })).toMatch(/: web-2 in mid-roll for 3 min$/);
    expect(tell(1_000, { deadlineSeconds })).toMatch(/: rolling$/);
    expect(tell(3 * MINUTE_MS, { deadlineSeconds: 24 * 3_600 })).toMatch(/, deadline in 2\d h/);
  });

  test('names none before that', () => {
    expect(tell(MINUTE_MS - 1)).toMatch(/: rolling, deadline in /);
  });

  test('says of a dead one when it was heard of, and of one that is locked out why', () => {
    expect(tell(3 * MINUTE_MS, { isAbandoned: true })).toContain('last heard of');
    const refused = { ...line('roll', 'web-3', 'rejected', ErrorName.UpstreamAuth), at: MINUTE_MS };
    expect(tell(3 * MINUTE_MS, { more: [refused] })).toContain('refused');
  });
});
