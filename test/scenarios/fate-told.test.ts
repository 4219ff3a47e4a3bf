import { describe, expect, test } from '@jest/globals';
import { renderFrame } from '../../lib/cli/live/frame.ts';
import { reportRollback } from '../../lib/domain/ending/conclude.ts';
import { describeWhereNow } from '../../lib/domain/ending/where-now.ts';
import { storyOf } from '../../lib/telling/story/story.ts';
import { toRolloutView } from '../../lib/telling/view/rollout-view.ts';
import { describeStory } from '../../lib/telling/words/story.ts';
import { fakeScreen } from '../cli/terminal/fake-screen.ts';
import {
  line,
  planBackOf,
  plannedBack,
  planOf,
  progressOf,
  recordOf,
  seen,
} from '../domain/examples.ts';
import { recordAt, recordOfEnd } from '../support/record-at.ts';
import type { Script } from '../support/run-scenario.ts';

const SAID = 'container exit code 137';
const broken: Script = { broken: [{ endpoint: 'endpoint-01', kind: 'fail', reason: SAID }] };

/** The lines about an endpoint below the heading of a section. */
function section(title: string, lines: readonly string[]): string {
  return lines.slice(lines.indexOf(title)).join('\n');
}

describe('why an endpoint has failed, in the words of its service', () => {
  test('stands beside it in the picture and in what is shown, while the rollout is under way', async () => {
    const at = await recordAt(12, broken);
    const story = storyOf(at.record, at.now);
    const frame = { story, seen: null, note: null, engine: '' };
    const row = renderFrame(frame, fakeScreen(120)).find((text) => text.startsWith('endpoint-01'));
    expect(row).toMatch(/in a failed state \(container exit code 137\) \d+ s$/);
    const shown = section('Endpoints now', describeStory(story, fakeScreen(120)));
    expect(shown).toMatch(
      /1 in a failed state \(container exit code 137\): endpoint-01; unchanged/,
    );
  });

  test.each(['hold', 'stop-old', 'roll-back'] as const)(
    'stands beside it after the end, whatever was done about it: %s',
    async (onFailure) => {
      const record = await recordOfEnd({ ...broken, policy: { onFailure, minServing: 0 } });
      const shown = describeStory(storyOf(record, record.endedAt ?? 0), fakeScreen(120));
      expect(section('Endpoints at its end', shown)).toContain(SAID);
      const [first, second] = toRolloutView(record, 0).endpoints;
      expect([first?.statusReason, second?.statusReason]).toEqual([SAID, null]);
    },
  );
});

test('an endpoint that may have been rolled is told as in mid-roll, although a second roll was refused', () => {
  const journal = [
    line('roll', 'web-1', 'intended'),
    line('roll', 'web-1', 'unknown'),
    line('roll', 'web-1', 'intended'),
    line('roll', 'web-1', 'rejected', 'UpstreamRejected'),
  ];
  const progress = progressOf(0, [seen('progressing', 2)]);
  const record = { ...recordOf(journal), plan: planOf([1]), progress };
  expect(toRolloutView(record, 0).endpoints).toMatchObject([{ fate: 'in-mid-roll' }]);
  expect(describeWhereNow(record)).toBe(' At its end, web-1 was in mid-roll.');
});

test('an endpoint that nobody has rolled and that is gone is gone in every sentence', () => {
  const journal = [line('roll', 'web-2', 'accepted')];
  const progress = progressOf(0, [seen('missing', 3), seen('converged', 2)]);
  const record = { ...recordOf(journal), plan: planOf([2]), progress };
  expect(toRolloutView(record, 0).endpoints[0]).toMatchObject({
    ...{ fate: 'lost', reason: 'missing' },
  });
  expect(describeWhereNow(record)).toContain('1 gone from the list (web-1)');
});

test('an endpoint that only one look has shown back is not told as back anywhere', () => {
  const cause = { outcome: 'Failed', reason: 'r', message: 'm' } as const;
  const rollback = { cause, seen: [], plan: planBackOf(1) };
  const progress = { ...progressOf(0, [seen('converged', 1)]), direction: 'back' as const };
  const journal = [line('roll', 'web-1', 'accepted'), line('roll-back', 'web-1', 'accepted')];
  const outcome = { ...cause, cleanup: 'incomplete' } as const;
  const record = { ...recordOf(journal), plan: planOf([1]), rollback, progress, outcome };
  expect(reportRollback(rollback, progress).words).toContain('not back: web-1');
  expect(toRolloutView(record, 0).endpoints).toMatchObject([{ fate: 'not-back' }]);
  expect(describeWhereNow(record)).toBe(' At its end, web-1 was in mid-roll.');
});

test('an endpoint that fails on its way back is told with what its service says of that, not of what was before', () => {
  const cause = { outcome: 'Failed', reason: 'r', message: 'm' } as const;
  const failed = (statusReason: string) => ({ ...seen('failed', 2), statusReason });
  const rollback = { cause, seen: [failed('no memory')], plan: planBackOf(1) };
  const progress = { ...progressOf(0, [failed('no image')]), direction: 'back' as const };
  const journal = [line('roll', 'web-1', 'accepted'), line('roll-back', 'web-1', 'accepted')];
  const record = { ...recordOf(journal), plan: planOf([1]), rollback, progress };
  expect(toRolloutView(record, 0).endpoints[0]?.statusReason).toBe('no image');
});

test('an endpoint that was on the version before the rollout counts among those that are on it at the end', () => {
  const leftOut = [{ endpointId: 'web-9', name: 'web-9', reason: 'at-version' }] as const;
  const progress = progressOf(0, [seen('converged', 2), seen('pending')]);
  const journal = [line('roll', 'web-1', 'accepted')];
  const record = { ...recordOf(journal), plan: planOf([1, 1], { leftOut }), progress };
  expect(describeWhereNow(record)).toMatch(/\b2 of 3\b.*\bversion 3\b/);
});

describe('on a way back', () => {
  const cause = { outcome: 'Failed', reason: 'r', message: 'm' } as const;
  const journal = [line('roll', 'web-1', 'accepted')];

  test.each([
    ['that was live, on the version', {}, /\bon version 3\b/],
    ['that nobody has seen live, in mid-roll', { leftAs: 'unsettled' } as const, /\bin mid-roll\b/],
    ['that is broken, in mid-roll', { leftAs: 'broken' } as const, /\bin mid-roll\b/],
  ])('an endpoint that nothing was asked of yet is told %s', (_, said, place) => {
    const plan = { ...planBackOf(1), endpoints: [plannedBack('web-1', said)] };
    const rollback = { cause, seen: [], plan };
    const record = { ...recordOf(journal), plan: planOf([1]), rollback };
    expect(describeWhereNow(record)).toMatch(place);
  });

  test.each([
    ['moved', { fate: 'lost', reason: 'superseded' }],
    ['at-version', { fate: 'lost', reason: 'taken-back' }],
    ['previous-unknown', { fate: 'not-back', reason: 'previous-unknown' }],
  ] as const)('an endpoint that is left out is told with the reason: %s', (reason, told) => {
    const leftOut = [{ endpointId: 'web-1', name: 'web-1', reason }];
    const rollback = { cause, seen: [], plan: { ...planBackOf(0), leftOut } };
    const record = { ...recordOf(journal), plan: planOf([1]), rollback };
    expect(toRolloutView(record, 0).endpoints).toMatchObject([told]);
  });
});

test.each([
  ['went-live', /\bon version 3\b/],
  ['not-rolled', /\bon version 2\b/],
  ['recovering', /\bin mid-roll\b/],
  ['never-seen-moving', /\bin doubt\b/],
  ['vanished', /\bgone from the list\b/],
  ['moved', /\belsewhere\b/],
  ['stopped-already', /\bstopped\b/],
])(
  'an endpoint whose stop was kept back is told where the list has shown it: %s',
  (reason, place) => {
    const journal = [line('roll', 'web-1', 'accepted'), line('stop', 'web-1', 'kept', reason)];
    const progress = progressOf(0, [seen('progressing', 2)]);
    expect(describeWhereNow({ ...recordOf(journal), plan: planOf([1]), progress })).toMatch(place);
  },
);
