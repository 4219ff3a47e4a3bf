import { describe, expect, test } from '@jest/globals';
import { createLineView } from '../../../lib/cli/live/lines.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import { linesOfWait } from '../../../lib/domain/rollout/opening.ts';
import { describeOutcome } from '../../../lib/telling/words/outcome.ts';
import {
  afterLook,
  line,
  planOf,
  progressOf,
  recordOf,
  seen,
  signal,
} from '../../domain/examples.ts';
import { notBegun } from '../../support/not-begun.ts';
import { type RecordAt, recordsAt } from '../../support/record-at.ts';
import type { Script } from '../../support/run-scenario.ts';
import { scenarioNow } from '../../support/scenario-time.ts';
import { fakeScreen } from '../terminal/fake-screen.ts';

const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };
const PLAN_LINES = 9;
/** The present phase stands before the plan where a rollout is watched from somewhere on. */
const PRESENT_LINES = 1;

/** What a view writes that sees the record at each of these seconds, and then its end. */
async function linesAt(seconds: readonly number[], script: Script = {}): Promise<string[]> {
  const screen = fakeScreen(80);
  let now = 0;
  const view = createLineView({ screen, clock: { now: () => now } });
  const { records, end } = await recordsAt(seconds, script);
  for (const at of records) {
    ({ now } = at);
    view.update(at.record);
    view.update(at.record);
  }
  view.update(end);
  return screen.lines.slice(PRESENT_LINES + PLAN_LINES);
}

describe('lines for a log', () => {
  test('tell each change once, with its time, and leave the end to the result', async () => {
    expect(await linesAt([12, 60, 100, 326, 340], stuck)).toEqual([
      '00:00:00Z  Rolling 12 endpoints to version 2 in 3 waves. Started by hand.',
      '00:00:00Z  Wave 1 of 3, rolling 1 endpoint to version 2.',
      '00:00:00Z  Wave 1 of 3: endpoint-01 rolls to version 2',
      '00:00:10Z  Wave 1 of 3: 1 in mid-roll',
      '00:00:25Z  Wave 1 of 3 has converged, 1 endpoint, baking for 5 min.',
      '00:00:25Z  Wave 1 of 3: 1 live on version 2',
      '00:05:25Z  Wave 2 of 3, rolling 2 endpoints to version 2.',
      '00:05:25Z  Wave 2 of 3: endpoint-02, endpoint-03 roll to version 2',
      '00:05:35Z  Wave 2 of 3: 2 in mid-roll',
      '00:15:50Z  Failed. Wave 2 of 3 made no progress for 10 min: endpoint-03 is not live on version 2. 1 endpoint is stopped now, where that is safe.',
      '00:15:50Z  Wave 2 of 3: endpoint-03 was stopped',
    ]);
  });

  test('begin with the plan', async () => {
    const screen = fakeScreen(80);
    const view = createLineView({ screen, clock: { now: () => 0 } });
    view.update((await recordsAt([])).end);
    expect(screen.lines.slice(0, PLAN_LINES)).toEqual([
      expect.stringMatching(
        /^00:00:00Z {2}Plan [0-9a-f]{16}: shop to version 2, 12 of 12 endpoints in 3 waves$/,
      ),
      '00:00:00Z    Service: https://endpoints.example.com',
      '00:00:00Z    Wave 1: 1 (endpoint-01), bake 5 min',
      '00:00:00Z    Wave 2: 2 (endpoint-02, endpoint-03), bake 5 min',
      expect.stringContaining('Wave 3: 9 (endpoint-04,'),
      expect.stringContaining('At most 3 in mid-roll at once'),
      expect.stringContaining('If an endpoint gets stuck: '),
      expect.stringContaining('If the version is bad: '),
      expect.stringContaining('Nothing checks whether version 2 works'),
    ]);
  });

  test('of a rollout that goes on have its plan, and nothing that was told before', async () => {
    const { records, end } = await recordsAt([340], stuck);
    const { record: known, now } = records[0] as RecordAt;
    const screen = fakeScreen(80);
    const view = createLineView({ screen, clock: { now: () => now }, known });
    view.update(known);
    expect(screen.lines[0]).toMatch(/^Now {8}Wave 2 of 3: rolling, deadline in /);
    expect(screen.lines.slice(PRESENT_LINES + PLAN_LINES)).toEqual([
      '00:05:35Z  Wave 2 of 3: 2 in mid-roll',
    ]);
    view.update(end);
    expect(screen.lines.at(-1)).toBe('00:15:50Z  Wave 2 of 3: endpoint-03 was stopped');
    expect(screen.lines.join()).not.toContain('Wave 1 of 3,');
  });

  test('tell the way back once: why, how many, which, and how far it is', async () => {
    const lines = await linesAt([958], { ...stuck, policy: { onFailure: 'roll-back' } });
    expect(lines.slice(-4)).toEqual([
      '00:15:50Z  Failed. Wave 2 of 3 made no progress for 10 min: endpoint-03 is not live on version 2. What was rolled goes back now.',
      '00:15:50Z  Wave 1 of 1 on the way back, rolling 3 endpoints to the versions before.',
      '00:15:50Z  Rollback: endpoint-03, endpoint-01, endpoint-02 roll back to version 1',
      '00:15:55Z  Rollback: 3 in mid-roll',
    ]);
  });

  test('tell an abort once, and no more of it when it was followed', async () => {
    const onTheWayBack = [130, 140, 150, 160, 170, 180];
    const lines = await linesAt([101, ...onTheWayBack], {
      async beside(stage) {
        await stage.until(100);
        const said = signal('abort', { at: scenarioNow(), onFailure: 'roll-back' });
        await stage.ledger.signal('rollout-1', said);
      },
    });
    expect(lines.filter((line) => /abort/i.test(line))).toEqual([
      '00:01:40Z  ann asked to abort and roll back: not today; at its next look what was rolled goes back to the versions before',
      expect.stringMatching(/Z {2}Aborted by ann: not today\. What was rolled goes back now\.$/),
    ]);
  });

  test('say a wait once, in whole sentences, however its end moves', () => {
    const screen = fakeScreen(80);
    const view = createLineView({ screen, clock: { now: () => 0 }, known: recordOf() });
    const waits = (until: number) => {
      const waiting = notBegun(0, { for: 'list', of: 'No answer: ECONNREFUSED', until });
      return { ...waiting, lines: linesOfWait(waiting) };
    };
    view.update({ ...recordOf(), ...waits(60_000) });
    view.update({ ...recordOf(), ...waits(61_000) });
    expect(screen.lines.filter((line) => line.includes('ECONNREFUSED'))).toEqual([
      expect.stringMatching(/ECONNREFUSED\. It looks again at .*Z, and waits until .*Z at most\.$/),
    ]);
  });

  test('say how to lift the hold that keeps it from beginning', () => {
    const screen = fakeScreen(80);
    const view = createLineView({ screen, clock: { now: () => 0 }, engine: ' --engine aws' });
    const of = 'Held by the freeze h1 of everything until 10:00Z, from ann: patching.';
    view.update({ ...recordOf(), ...notBegun(0, { for: 'hold', of, until: 60_000 }) });
    expect(screen.lines.map((line) => line.slice('00:00:00Z  '.length))).toEqual(
      expect.arrayContaining([
        of,
        'To lift a hold: steproll hold lift ID --reason WHY --engine aws',
      ]),
    );
  });

  test('say once which gate gives no answer, and until when it is asked', () => {
    const screen = fakeScreen(80);
    const view = createLineView({ screen, clock: { now: () => 0 } });
    const look = (unsaidMs: number, readAt: number) => {
      const silent = {
        kind: 'alarm',
        name: 'errors',
        verdict: 'unknown',
        detail: 'no data',
      } as const;
      const gates = { wave: 1, at: readAt, answers: [silent] };
      const watch = { dueAt: 0, cursor: 0, noes: [], unsaidMs };
      const doubt = { bakedMs: 300_000, watch, readAt, gates };
      const looked = afterLook(
        progressOf(0, [seen('converged', 2)], doubt),
        'alarm errors: no data',
      );
      view.update({ ...recordOf(), plan: planOf([1, 2]), ...looked });
    };
    look(0, 0);
    look(5_000, 5_000);
    expect(screen.lines.filter((line) => line.includes('gates'))).toEqual([
      'Now        Wave 1 of 2: baked, no answer from its gates, deadline in 10 min: alarm errors: no data',
    ]);
  });

  test('call a rollout quiet that nothing was heard of, but never the one that runs here', () => {
    const linesAbout = (engine: string | null) => {
      const screen = fakeScreen(80);
      const view = createLineView({ screen, clock: { now: () => 3_600_000 }, engine });
      view.update(recordOf());
      return screen.lines.join('\n');
    };
    expect(linesAbout('')).toContain('Nothing was heard of it since');
    expect(linesAbout(null)).not.toContain('Nothing was heard of it since');
  });

  test('are in the order of their times, and begin with the present phase', () => {
    const screen = fakeScreen(80);
    const view = createLineView({ screen, clock: { now: () => 60_000 } });
    const clock = { at: 30_000, watched: 30_000 };
    const said = { readAt: 30_000, stuckMs: 30_000, looks: 1, clock };
    const looked = afterLook(progressOf(0, [seen('progressing')], said));
    const signals = [signal('abort', { at: 40_000 })];
    view.update({ ...recordOf(), plan: planOf([1]), ...looked, signals });
    expect(screen.lines[0]).toBe('Now        Wave 1 of 1: rolling, deadline in 9 min');
    expect(screen.lines.slice(-2)).toEqual([
      '00:00:30Z  Wave 1 of 1: 1 in mid-roll',
      '00:00:40Z  ann asked to abort: not today; it ends at its next look',
    ]);
  });

  test('say when reads of the list begin to fail, and when they work again', () => {
    const screen = fakeScreen(80);
    let now = 0;
    const view = createLineView({ screen, clock: { now: () => now } });
    const look = (at: number, readAt: number, silentMs: number | null) => {
      now = at;
      const unread = silentMs !== null && { silentMs, readFault: 'UpstreamTimeout' };
      const said = { readAt, ...unread, looks: at, clock: { at, watched: at } };
      const looked = afterLook(progressOf(0, [seen('progressing')], said));
      view.update({ ...recordOf(), plan: planOf([1]), ...looked });
    };
    look(1_000, 1_000, null);
    look(22_000, 1_000, 0);
    look(32_000, 1_000, 10_000);
    look(42_000, 42_000, null);
    expect(screen.lines.filter((line) => line.includes('readable'))).toEqual([
      '00:00:22Z  Wave 1 of 1: the list has not been readable for 21 s, deadline in 10 min',
      '00:00:42Z  Wave 1 of 1: the list is readable again',
    ]);
  });

  test('say since when the credentials are refused, in reads and in rolls, and when they are accepted again', () => {
    const screen = fakeScreen(80);
    let now = 0;
    const view = createLineView({ screen, clock: { now: () => now } });
    const look = (at: number, said: object, journal: readonly JournalEntry[] = []) => {
      now = at;
      const times = { readAt: at, stuckMs: at, looks: at, clock: { at, watched: at } };
      const looked = afterLook(progressOf(0, [seen('pending')], { ...times, ...said }));
      view.update({ ...recordOf(), plan: planOf([1]), ...looked, journal });
    };
    const refused = { ...line('roll', 'web-1', 'rejected', 'UpstreamAuth'), at: 42_000 };
    const accepted = { ...line('roll', 'web-1', 'accepted'), at: 60_000 };
    look(1_000, {});
    look(22_000, { readAt: 1_000, readFault: 'SecretUnavailable' });
    look(42_000, {}, [refused]);
    look(52_000, {}, [refused]);
    look(60_000, {}, [refused, accepted]);
    expect(
      screen.lines.filter(
        (text) => text.includes('credentials have been') || text.includes('accepted again'),
      ),
    ).toEqual([
      '00:00:22Z  Wave 1 of 1: the list has not been readable for 21 s, the credentials have been refused since 00:00:01Z (SecretUnavailable), deadline in 10 min',
      '00:00:42Z  Wave 1 of 1: rolling, the credentials have been refused since 00:00:42Z (UpstreamAuth), deadline in 9 min 18 s',
      '00:01:00Z  Wave 1 of 1: the credentials are accepted again',
    ]);
  });

  test('say once a minute what is in mid-roll when nothing else happens', () => {
    const screen = fakeScreen(80);
    let now = 0;
    const view = createLineView({ screen, clock: { now: () => now }, engine: null });
    const roll = { ...line('roll', 'web-1', 'accepted'), at: 0 };
    const progress = progressOf(0, [seen('progressing')], { looks: 1 });
    const record = { ...recordOf([roll]), plan: planOf([1]), ...afterLook(progress) };
    view.update(record);
    const before = screen.lines.length;
    for (now = 5_000; now <= 125_000; now += 5_000) {
      view.update({ ...record, progress: { ...progress, readAt: now } });
    }
    expect(screen.lines.slice(before)).toEqual([
      '00:01:00Z  Wave 1 of 1: web-1 in mid-roll for 1 min, deadline in 9 min',
      '00:02:00Z  Wave 1 of 1: web-1 in mid-roll for 2 min, deadline in 8 min',
    ]);
  });

  test('of a rollout that is resumed begin with the phase with which it goes on', () => {
    const screen = fakeScreen(80);
    const progress = progressOf(0, [seen('converged', 2)], { bakedMs: 60_000 });
    const known = { ...recordOf(), plan: planOf([1]), ...afterLook(progress) };
    const view = createLineView({ screen, clock: { now: () => 0 }, known, engine: null });
    view.update(known);
    expect(screen.lines[0]).toBe('Now        Wave 1 of 1: baking');
  });

  test('say what is wanted of people, once', async () => {
    const approval = { timeoutSeconds: 86_400, onTimeout: 'approve' } as const;
    const policy = { verify: { probe: null, alarms: [], metrics: [], approval } };
    const lines = await linesAt([330, 400], { policy });
    expect(lines.filter((line) => line.includes('rollout approve'))).toEqual([
      '00:05:30Z    steproll rollout approve rollout-1 --wave 1',
    ]);
  });

  test.each<[Parameters<typeof signal>, string]>([
    [
      ['abort', { onFailure: 'roll-back' }],
      'ann asked to abort and roll back: not today; at its next look what was rolled goes back to the versions before',
    ],
    [
      ['abort', { onFailure: 'stop-old', reason: '' }],
      'ann asked to abort and stop the old endpoints; at its next look what was rolled and is not live on the version is stopped, where that is safe',
    ],
    [['abort', { by: '', reason: '' }], 'Somebody asked to abort; it ends at its next look'],
    [['approve', { wave: 1 }], 'ann approved wave 2: not today'],
    [['reject'], 'ann rejected wave 1: not today'],
    [['give-way', { by: 'r-2' }], 'The newer rollout r-2 waits for this one to give way'],
  ])('a word to the rollout: %j', (said, line) => {
    const screen = fakeScreen(80);
    const view = createLineView({ screen, clock: { now: () => 0 }, known: recordOf() });
    view.update({ ...recordOf(), signals: [signal(...said)] });
    expect(screen.lines).toContainEqual(`00:00:00Z  ${line}`);
  });

  test('a note is told once, until another one or none was there in between', () => {
    const screen = fakeScreen(80);
    const view = createLineView({ screen, clock: { now: () => 0 } });
    for (const note of ['away', 'away', null, 'away\u001b']) view.note(note);
    expect(screen.lines).toEqual(['00:00:00Z  away', '00:00:00Z  away\uFFFD']);
  });

  test('of an abort the outcome is its own reason', () => {
    const outcome = {
      outcome: 'Aborted',
      reason: 'Aborted',
      cleanup: 'none',
      message: 'm',
    } as const;
    expect(describeOutcome(outcome, 1_000, fakeScreen(80))[0]).toBe('⚠ Aborted in 1 s');
  });

  test('the outcome says kind, reason, duration, cleanup and the sentence', () => {
    const outcome = {
      outcome: 'Failed',
      reason: 'Stalled',
      cleanup: 'kept',
      message: 'Nothing moved.\u001b',
    } as const;
    expect(describeOutcome(outcome, 65_000, fakeScreen(80))).toEqual([
      '✘ Failed in 1 min 5 s',
      '  Nothing moved.\uFFFD',
    ]);
    const narrow = { ...fakeScreen(20), isLive: true };
    expect(describeOutcome(outcome, 65_000, narrow)).toEqual([
      '✘ Failed in 1 min 5',
      '  s',
      '  Nothing moved.\uFFFD',
    ]);
  });

  test('the advice of an error is on a line of its own', () => {
    const outcome = {
      outcome: 'Errored',
      reason: 'UpstreamAuth',
      cleanup: 'none',
      message: 'GET /x: 403 Expired.\nSign in to AWS.',
    } as const;
    expect(describeOutcome(outcome, 0, fakeScreen(80)).slice(1)).toEqual([
      '  GET /x: 403 Expired.',
      '  Sign in to AWS.',
    ]);
  });
});
