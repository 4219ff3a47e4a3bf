import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import stringWidth from 'string-width';
import {
  type Course,
  courseAhead,
  courseOf,
  SPAN_KINDS,
} from '../../../lib/telling/story/course.ts';
import { drawCourse } from '../../../lib/telling/words/draw-course.ts';
import { fakeScreen } from '../../cli/terminal/fake-screen.ts';
import { recordAt, recordOfEnd } from '../../support/record-at.ts';

const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] } as const;

describe('a rollout in time', () => {
  test('that turns back has the way forward, the failure and the way back', async () => {
    const record = await recordOfEnd({ ...stuck, policy: { onFailure: 'roll-back' } });
    expect(drawCourse(courseOf(record, 0), fakeScreen(80))).toEqual([
      '        0                                   16 min 15 s',
      'Wave 1  █░░░░░░░░░░░░░░░                                 rolls 25 s, bakes 5 min',
      'Wave 2                  ██████████████████████████████   rolls 10 min 25 s',
      'Back 1                                                █  rolls 25 s',
      '        █ rolls   ░ bakes',
    ]);
  });

  test('keeps its waves where the clock was set back by an hour in a bake', async () => {
    const record = await recordOfEnd({ ...stuck, policy: { onFailure: 'roll-back' } });
    const bakesFrom = record.events.find(({ kind }) => kind === 'wave-converged')?.at ?? 0;
    const later = (at: number) => (at > bakesFrom ? at - 3_600_000 : at);
    const events = record.events.map((event) => ({ ...event, at: later(event.at) }));
    const course = courseOf({ ...record, events, endedAt: later(record.endedAt ?? 0) }, 0);
    // Only the bake in which the clock went back has no length.
    expect(drawCourse(course, fakeScreen(80))).toEqual([
      expect.stringMatching(/ 11 min 15 s$/),
      expect.stringMatching(/^Wave 1 .+ rolls 25 s$/),
      expect.stringMatching(/^Wave 2 .+ rolls 10 min 25 s$/),
      expect.stringMatching(/^Back 1 .+ rolls 25 s$/),
      '        █ rolls',
    ]);
  });

  test('that waits for an approval ends now', async () => {
    const { record, now } = await recordAt(400, {
      policy: {
        verify: {
          probe: null,
          alarms: [],
          metrics: [],
          approval: { timeoutSeconds: 900, onTimeout: 'reject' },
        },
      },
    });
    expect(drawCourse(courseOf(record, now), fakeScreen(80))).toEqual([
      '        0        6 min 40 s',
      'Wave 1  █░░░░░░░░░░░░░░▒▒▒▒  rolls 25 s, bakes 5 min, awaits approval 1 min 15 s',
      '        █ rolls   ░ bakes   ▒ awaits approval',
    ]);
  });

  test('that has waited for its turn begins when it was asked for', async () => {
    const record = await recordOfEnd(stuck);
    const { request, startedAt } = record;
    const asked = { ...request.startedBy, at: startedAt - 600_000 };
    const course = courseOf({ ...record, request: { ...request, startedBy: asked } }, 0);
    expect(drawCourse(course, fakeScreen(80)).slice(0, 2)).toEqual([
      '        0                                   25 min 50 s',
      'Wait    ··················                               waits 10 min',
    ]);
  });

  test('that is planned outside of its window shows the wait', () => {
    const waves = [{ startsAt: 0, convergesAt: 60, endsAt: 360 }];
    expect(
      drawCourse(courseAhead({ waves, waits: [], seconds: 360 }, 240_000, 0), fakeScreen(60)),
    ).toEqual([
      '        0                   10 min',
      'Wait    ··········                  waits 4 min',
      'Wave 1            ███░░░░░░░░░░░░░  rolls 1 min, bakes 5 min',
      '        · waits   █ rolls   ░ bakes',
    ]);
  });

  test('that has done nothing yet has no picture', () => {
    expect(drawCourse({ stages: [], totalMs: 0 }, fakeScreen(80))).toEqual([]);
  });

  test('is told in words alone where there is no room for a picture', async () => {
    const record = await recordOfEnd(stuck);
    expect(drawCourse(courseOf(record, 0), fakeScreen(40))).toEqual([
      'Wave 1  rolls 25 s, bakes 5 min',
      'Wave 2  rolls 10 min 25 s',
    ]);
  });
});

describe('every picture', () => {
  /** Stages of up to three spans, one after another. */
  const courses: fc.Arbitrary<Course> = fc
    .array(
      fc.array(
        fc.record({ kind: fc.constantFrom(...SPAN_KINDS), ms: fc.integer({ min: 1, max: 9e7 }) }),
        { minLength: 1, maxLength: 3 },
      ),
      { minLength: 1, maxLength: 12 },
    )
    .map((stages) => {
      let now = 0;
      return {
        stages: stages.map((spans, index) => ({
          stage: 'forward' as const,
          wave: index + 1,
          spans: spans.map(({ kind, ms }) => {
            const fromMs = now;
            now += ms;
            return { kind, fromMs, toMs: now };
          }),
        })),
        totalMs: now,
      };
    });

  test('fits, is as wide as its axis, and has a cell for every span, in their order', () => {
    fc.assert(
      fc.property(courses, fc.integer({ min: 40, max: 200 }), (course, columns) => {
        const lines = drawCourse(course, fakeScreen(columns));
        if (lines.length === course.stages.length) return;
        const [axis = '', ...rest] = lines;
        const from = axis.indexOf('0');
        const to = stringWidth(axis);
        expect(to).toBeLessThanOrEqual(columns);
        course.stages.forEach(({ spans }, index) => {
          const line = rest[index] ?? '';
          const bar = line.slice(from, to).trim();
          expect(stringWidth(line)).toBeLessThanOrEqual(columns);
          expect(bar.replace(/(.)\1*/g, '$1')).toBe(
            spans
              .map(({ kind }) => CELLS[kind])
              .join('')
              .replace(/(.)\1*/g, '$1'),
          );
          expect(bar.length).toBeGreaterThanOrEqual(spans.length);
        });
      }),
    );
  });

  const CELLS = { waiting: '·', held: '≡', rolling: '█', baking: '░', approval: '▒', failing: '▓' };
});
