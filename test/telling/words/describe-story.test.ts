import { describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { describeStory } from '../../../lib/telling/words/story.ts';
import { fakeScreen } from '../../cli/terminal/fake-screen.ts';
import { recordOf, signal } from '../../domain/examples.ts';
import { recordAt, recordOfEnd } from '../../support/record-at.ts';

const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };

function story(record: RolloutRecord, columns = 80, now = 0): string {
  return describeStory(storyOf(record, now), fakeScreen(columns)).join('\n');
}

describe('the story of a rollout', () => {
  test('that failed fits 80 columns, and says what was done, when and why', async () => {
    const text = story(await recordOfEnd(stuck)).replace(/Plan [0-9a-f]{16}/, 'Plan 0123');
    expect(text).toBe(`shop to version 2
Rollout rollout-1
Started by hand, 2026-01-01 00:00:00Z
Ended 2026-01-01 00:15:50Z

✘ Failed (stuck) in 15 min 50 s
  Wave 2 of 3 made no progress for 10 min: endpoint-03 is not live on version 2.
  Stopped: endpoint-03. At its end, 2 of 12 endpoints were on version 2, 9 on
  version 1, 1 stopped (endpoint-03). To create a new one: "steproll agent
  runtime endpoint create shop --name NAME --version N".

Plan
  Plan 0123: shop to version 2, 12 of 12 endpoints in 3 waves
    Service: https://endpoints.example.com
    Wave 1: 1 (endpoint-01), bake 5 min
    Wave 2: 2 (endpoint-02, endpoint-03), bake 5 min
    Wave 3: 9 (endpoint-04, endpoint-05, endpoint-06, endpoint-07, endpoint-08
      and 4 more), bake 5 min
    At most 3 in mid-roll at once, progress deadline 10 min
    If an endpoint gets stuck: what was rolled and is not live on the version is
      stopped, where that is safe (stop-old)
    If the version is bad: what was rolled goes back to the versions before
      (roll-back)
    Nothing checks whether version 2 works: it counts as good when it is live
    Version before 1: 12 (endpoint-01, endpoint-02, endpoint-03, endpoint-04,
      endpoint-05 and 7 more)

In time
          0                                 15 min 50 s
  Wave 1  █░░░░░░░░░░░░░░                                rolls 25 s, bakes 5 min
  Wave 2                 ██████████████████████████████  rolls 10 min 25 s
          █ rolls   ░ bakes

What happened, in UTC
  00:00:00Z  Rolling 12 endpoints to version 2 in 3 waves. Started by hand.
  00:00:00Z  Wave 1 of 3, rolling 1 endpoint to version 2.
  00:00:00Z  Wave 1 of 3: endpoint-01 rolls to version 2
  00:00:25Z  Wave 1 of 3 has converged, 1 endpoint, baking for 5 min.
  00:05:25Z  Wave 2 of 3, rolling 2 endpoints to version 2.
  00:05:25Z  Wave 2 of 3: endpoint-02, endpoint-03 roll to version 2
  00:15:50Z  Failed. Wave 2 of 3 made no progress for 10 min: endpoint-03 is not
             live on version 2. 1 endpoint is stopped now, where that is safe.
  00:15:50Z  Wave 2 of 3: endpoint-03 was stopped
  00:15:50Z  Ended as Failed.

Writes
  Wave  Endpoints  Rolled  Stopped
     1          1       1
     2          2       2        1
     3          9       0

Endpoints at its end
  1 stopped (was in mid-roll): endpoint-03
  2 live on version 2: endpoint-01, endpoint-02
  9 not rolled: endpoint-04, endpoint-05, endpoint-06, endpoint-07, endpoint-08
    and 4 more`);
  });

  test('that is under way says what it is at', async () => {
    const { record, now } = await recordAt(340);
    const text = story(record, 80, now);
    expect(text).toContain('● Begun 5 min 40 s ago\n  Wave 2 of 3: rolling, deadline in 9 min');
    expect(text).toContain(
      'Endpoints now\n  2 in mid-roll: endpoint-02, endpoint-03; endpoint-02 unchanged since\n    2026-01-01 00:05:35Z\n',
    );
  });

  test('that has ended does not say since when an endpoint in mid-roll is unchanged: nobody looks any more', async () => {
    const { record, now } = await recordAt(340);
    const end = {
      outcome: 'Aborted',
      reason: 'Aborted',
      message: 'Aborted.',
      cleanup: 'none',
    } as const;
    const text = story({ ...record, outcome: end, endedAt: now }, 80, now);
    expect(text).toContain('2 in mid-roll: endpoint-02, endpoint-03\n');
    expect(text).not.toContain('unchanged since');
  });

  test('whose process is dead ends, in time too, where it was last heard of', async () => {
    const { record, now } = await recordAt(340);
    const linesAt = (later: number) =>
      describeStory(storyOf(record, now + later, true), fakeScreen(80))
        .join('\n')
        .split('In time')[1];
    expect(linesAt(3_600_000)).toBe(linesAt(0));
  });

  test('says what its gates answered, when and why, and lets no name of one do harm', async () => {
    let looks = 0;
    const record = await recordOfEnd({
      policy: { verify: { probe: null, alarms: ['er\u001brors'], metrics: [], approval: null } },
      // Before anything is rolled it is not raised.
      gates: {
        alarm: async () =>
          looks++ === 0 ? { verdict: 'pass', detail: 'OK' } : { verdict: 'fail', detail: 'ALARM' },
      },
    });
    expect(story(record)).toMatch(
      /Gates, in UTC\n {2}2026-01-01 00:00:\d\dZ {2}Wave 1: alarm er\u{FFFD}rors: no, ALARM\n/u,
    );
  });

  test('of a refusal and of a stop that was kept back says the reasons', async () => {
    const record = await recordOfEnd({
      broken: [
        { endpoint: 'endpoint-02', kind: 'refuse', httpStatus: 422 },
        { endpoint: 'endpoint-03', kind: 'stuck' },
      ],
      policy: { protect: ['endpoint-03'] },
    });
    const text = story(record);
    expect(text).toContain(
      'endpoint-02 was asked to roll, refused: the service\n             said no\n',
    );
    expect(text).toMatch(/Kept +Refused\n/);
    expect(text).toContain('1 not rolled (the service said no): endpoint-02\n');
    expect(text).toContain('1 not stopped (protected by the policy): endpoint-03\n');
  });

  test('that waited, took days and came from two versions says so', async () => {
    const record = await recordOfEnd();
    const day = 86_400_000;
    const [first, ...others] = record.plan?.endpoints ?? [];
    const text = story({
      ...record,
      request: {
        ...record.request,
        startedBy: { kind: 'release', name: 'r-7', at: record.startedAt - 120_000 },
      },
      plan: record.plan && {
        ...record.plan,
        endpoints: [...(first ? [{ ...first, previousVersion: null }] : []), ...others],
      },
      signals: [signal('abort', { at: record.startedAt + 3 * day })],
    });
    expect(text).toContain('Started by release r-7, 2025-12-31 23:58:00Z\nWaited 2 min for its');
    expect(text).toContain('Version before 1: 11 (endpoint-02,');
    expect(text).toContain('Version before not known: 1 (endpoint-01)');
    expect(text).toContain('  2026-01-04\n  00:00:00Z  ann asked to abort: not today\n');
  });

  test('without a plan is short', () => {
    expect(story(recordOf())).toBe(`shop to version 3
Rollout rollout-1
Started by hand, 1970-01-01 00:00:00Z

● Begun 0 s ago
  Reading the list, making the plan`);
  });

  test.each([40, 80, 160])('keeps to %i columns', async (columns) => {
    for (const script of [stuck, { ...stuck, policy: { onFailure: 'roll-back' } as const }]) {
      for (const line of story(await recordOfEnd(script), columns).split('\n')) {
        expect(stringWidth(line)).toBeLessThanOrEqual(columns);
      }
    }
  });

  test('C11: nothing in it can send escape codes to the terminal', async () => {
    const record = await recordOfEnd(stuck);
    const evil = '\u001b[31mevil\u0007';
    const endpoints = record.plan?.endpoints.map((planned) => ({ ...planned, name: evil })) ?? [];
    const text = story({
      ...record,
      request: {
        ...record.request,
        rolloutId: evil,
        runtimeId: evil,
        startedBy: { kind: 'person', name: evil, at: 0 },
      },
      plan: record.plan && { ...record.plan, endpoints },
      events: record.events.map((event) => ({ ...event, message: evil })),
      signals: [signal('reject', { by: evil, reason: evil })],
      journal: record.journal.map((entry) => ({ ...entry, result: 'rejected', reason: evil })),
      outcome: record.outcome && { ...record.outcome, message: evil, reason: evil },
    });
    expect(text.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  });
});
