import { describe, expect, test } from '@jest/globals';
import { renderFrame } from '../../../lib/cli/live/frame.ts';
import { createLineView } from '../../../lib/cli/live/lines.ts';
import type { Hold } from '../../../lib/domain/holds/hold.ts';
import type { GateCourse } from '../../../lib/domain/rollout/gates.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { LogLine, RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { toSummary } from '../../../lib/ledger/record.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { rolloutViewSchema } from '../../../lib/telling/view/rollout-view.ts';
import { describeStory } from '../../../lib/telling/words/story.ts';
import { presentOf, viewOf } from '../../../lib/telling/words/view.ts';
import { fakeScreen } from '../../cli/terminal/fake-screen.ts';
import { line, planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';

const MINUTE_MS = 60_000;
const AWS = ' --engine aws --stack Prod';
const PAUSE: Hold = {
  ...{ id: 'h1', kind: 'pause', scope: {}, by: 'ann', reason: 'patching' },
  ...{ at: MINUTE_MS, until: 60 * MINUTE_MS },
};
const HELD: LogLine = { kind: 'held', at: MINUTE_MS, holds: [PAUSE] };

/** The second of two endpoints has been in mid-roll for ten minutes. */
function stuck(said: Partial<RolloutRecord> = {}): RolloutRecord {
  const at = 10 * MINUTE_MS;
  const first = { ...seen('converged', 2), changedAt: 20_000 };
  return {
    ...recordOf(['web-1', 'web-2'].map((name) => line('roll', name, 'accepted'))),
    plan: planOf([2]),
    progress: {
      ...progressOf(0, [first, seen('progressing')]),
      ...{ clock: { at, watched: at }, readAt: at },
    },
    wait: waitFor('roll', { until: 20 * MINUTE_MS, lookAt: at + 5_000 }),
    ...said,
  };
}
const NOW = 10 * MINUTE_MS;
/** Too early for anything to be stuck. */
const SOON = 50_000;

describe('what is stuck', () => {
  test('is said by the picture, the lines, the page and the JSON, with the whole command that ends it', () => {
    const record = stuck();
    const story = storyOf(record, NOW);
    const command = `steproll rollout abort rollout-1${AWS}`;
    const screen = fakeScreen(80);
    const lines = createLineView({ screen, clock: { now: () => NOW }, engine: AWS });
    lines.update(record);
    const view = rolloutViewSchema.parse(viewOf(story, AWS));
    const frame = { story, seen: null, note: null, engine: AWS };

    for (const told of [
      renderFrame(frame, fakeScreen(80)),
      screen.lines,
      describeStory(story, fakeScreen(80), viewOf(story, AWS)),
    ]) {
      expect(told.join(' ').replaceAll(/\s+/g, ' ')).toContain('web-2 has been in mid-roll since');
      expect(told.join('\n')).toContain(command);
    }
    expect(view.stuck?.message).toContain('web-2');
    expect(view.wants).toMatchObject([{ kind: 'stuck', commands: [command] }]);
  });

  test('is not hidden by a pause', () => {
    const { wants, stuck: told } = presentOf(storyOf(stuck({ lines: [HELD] }), NOW), '');

    expect(told?.message).toContain('web-2');
    expect(wants.map(({ kind }) => kind)).toEqual(['hold', 'stuck']);
  });
});

describe('what holds it', () => {
  test('is told with the command that lifts it, from the log as from the holds', () => {
    const says = 'Held by the pause h1 of everything until 1970-01-01 01:00Z, from ann: patching.';
    const told = {
      ...{ kind: 'hold', says, purpose: 'To lift it' },
      commands: [`steproll hold lift h1 --reason WHY${AWS}`],
    };
    const ofLog = presentOf(storyOf(stuck({ lines: [HELD] }), SOON), AWS);
    const ofHolds = presentOf(storyOf(stuck(), SOON), AWS, { holds: [PAUSE] });
    const lifted = presentOf(storyOf(stuck({ lines: [HELD] }), SOON), AWS, { holds: [] });

    expect(ofLog.wants).toEqual([told]);
    expect(ofHolds.wants).toEqual([told]);
    expect(lifted.wants).toEqual([]);
  });

  test('is told once by the lines, with that command, and so is its end', () => {
    const screen = fakeScreen(80);
    const lines = createLineView({ screen, clock: { now: () => SOON }, engine: AWS });
    const free: LogLine = { kind: 'free', at: SOON, lifted: [] };
    lines.update(stuck({ lines: [{ ...HELD, at: 40_000 }] }));
    lines.update(stuck({ lines: [{ ...HELD, at: 40_000 }, free] }));

    const told = screen.lines.join('\n');
    expect(told.match(/Held by the pause h1/g)).toHaveLength(1);
    expect(told).toContain(`steproll hold lift h1 --reason WHY${AWS}`);
    expect(told).toContain('Held no longer: it was over.');
  });

  test('is told afterwards too, with who has lifted it', () => {
    const lines: LogLine[] = [
      HELD,
      { kind: 'free', at: 5 * MINUTE_MS, lifted: [{ id: 'h1', by: 'bob', reason: 'done' }] },
    ];
    const { holds } = viewOf(storyOf(stuck({ lines }), NOW), '');

    expect(holds).toEqual([
      {
        ...{ holdId: 'h1', holdKind: 'pause', scope: 'everything', by: 'ann', reason: 'patching' },
        ...{ until: '1970-01-01T01:00:00.000Z', from: '1970-01-01T00:01:00.000Z' },
        ...{ to: '1970-01-01T00:05:00.000Z', lifted: { by: 'bob', reason: 'done' } },
      },
    ]);
  });
});

describe('a gate that flaps', () => {
  test('is told in numbers, with its last no, however narrow the terminal is', () => {
    const course: GateCourse = {
      ...{ gate: 'alarm errors', wave: 1, verdict: 'pass', since: NOW, lastNoAt: NOW - 30_000 },
      ...{ asked: 120, noes: 40, silent: 0, lines: 2, lineAt: NOW },
    };
    const record = stuck({
      progress: { ...progressOf(0, [seen('converged', 2)]), bakedMs: 1, gateCourses: [course] },
      wait: waitFor('bake', { until: NOW + MINUTE_MS, lookAt: NOW + 5_000 }),
      lines: [
        {
          ...{ kind: 'gate', gate: 'alarm errors', wave: 1, at: NOW - 30_000 },
          ...{ verdict: 'fail', detail: '5 of 9 requests failed in the last minute' },
        },
      ],
    });
    const frame = { story: storyOf(record, NOW), seen: null, note: null, engine: '' };
    const told = renderFrame(frame, fakeScreen(80));

    expect(told.join(' ').replaceAll(/\s+/g, ' ')).toContain(
      'Gate alarm errors: yes since 00:10:00Z, no at 40 of 120 looks, the last time at 00:09:30Z: 5 of 9 requests failed in the last minute',
    );
    expect(Math.max(...told.map((text) => text.length))).toBeLessThanOrEqual(80);
  });
});

describe('what will come', () => {
  test('is told as times while it bakes, and not where nobody can know', () => {
    const plan = planOf([1, 1]);
    const progress = {
      ...progressOf(0, [seen('converged', 2)]),
      ...{ bakedMs: 1, fastestRollMs: 20_000 },
    };
    const wait = waitFor('bake', { until: NOW + MINUTE_MS, lookAt: NOW + 5_000 });
    const baking = stuck({ plan, progress, wait });
    const { forecast } = presentOf(storyOf(baking, NOW), '');

    expect(forecast?.waveAt).toBe('1970-01-01T00:11:00.000Z');
    const bakeMs = (plan.waves[1]?.bakeSeconds ?? 0) * 1000;
    const least = NOW + MINUTE_MS + 20_000 + bakeMs;
    expect(Date.parse(forecast?.endAt ?? '')).toBeGreaterThanOrEqual(least);
    expect(Date.parse(forecast?.endAt ?? '')).toBeLessThan(least + 2 * MINUTE_MS);
    const unseen = { ...baking, progress: { ...progress, fastestRollMs: null } };
    expect(presentOf(storyOf(unseen, NOW), '').forecast).toBeNull();
    expect(presentOf(storyOf(baking, NOW, true), '').forecast).toBeNull();
  });
});

describe('what came after it', () => {
  const outcome: Outcome = {
    ...{ outcome: 'Failed', failure: 'stuck', reason: 'Stalled', cleanup: 'none' },
    message: 'It stalled.',
  };
  const record = stuck({ outcome, wait: null, endedAt: NOW });
  const next = recordOf();
  const newer = toSummary({
    ...next,
    request: { ...next.request, rolloutId: 'rollout-2', desiredVersion: 6 },
    startedAt: NOW + MINUTE_MS,
    endedAt: NOW + 2 * MINUTE_MS,
    outcome: { outcome: 'Succeeded', reason: 'Succeeded', cleanup: 'none', message: 'Done.' },
  });

  test('is told of one that has ended, and what helps is to be seen there', () => {
    const view = rolloutViewSchema.parse(
      viewOf(storyOf(record, 60 * MINUTE_MS), AWS, { newer: [newer] }),
    );

    expect(view.later).toMatchObject({
      ...{ rolloutId: 'rollout-2', version: 6, outcome: 'Succeeded' },
      message:
        'Since then shop was rolled to version 6: Succeeded at 1970-01-01 00:12Z (rollout-2).',
    });
    expect(view.next.map(({ command }) => command)).toEqual([
      `steproll rollout show rollout-2${AWS}`,
    ]);
  });

  test('is nothing where the newer ones have another runtime or were before', () => {
    const before = { ...newer, startedAt: -1 };
    const other = { ...newer, runtimeId: 'docs' };
    const { later, next } = viewOf(storyOf(record, NOW), '', { newer: [before, other] });

    expect(later).toBeNull();
    expect(next.map(({ step }) => step)).not.toContain(null);
  });
});
