import { stripVTControlCharacters } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import stringWidth from 'string-width';
import { type Frame, renderFrame } from '../../../lib/cli/live/frame.ts';
import type { RolloutRecord } from '../../../lib/domain/rollout/record.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { endpoint, live, moving, recordOf, signal } from '../../domain/examples.ts';
import { notBegun } from '../../support/not-begun.ts';
import { type RecordAt, recordAt, recordOfEnd } from '../../support/record-at.ts';
import { fakeScreen } from '../terminal/fake-screen.ts';

const stuck = { broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }] };

const manyWaves = {
  endpoints: 20,
  policy: {
    waves: Array.from({ length: 10 }, (_, index) => ({ percent: (index + 1) * 10 })),
  },
};

function frameOf({ record, now }: RecordAt, said: Partial<Frame> = {}): Frame {
  return { story: storyOf(record, now), seen: null, note: null, engine: '', ...said };
}

function drawn(at: RecordAt, columns: number, rows = 40): string {
  return renderFrame(frameOf(at), fakeScreen(columns, rows)).join('\n');
}

describe('a frame', () => {
  test('shows waves, endpoints, what happened last and what goes on now', async () => {
    const at = await recordAt(340);
    expect(drawn(at, 80, 20)).toBe(
      `shop → version 2
Started by hand at 00:00:00Z · rollout-1

✔ Wave 1  ████████████████████  1/1
● Wave 2  ░░░░░░░░░░░░░░░░░░░░  0/2  2 in mid-roll
○ Wave 3  ░░░░░░░░░░░░░░░░░░░░  0/9

Endpoint     Live → target  Rollout
endpoint-02  1 → 2          in mid-roll 15 s
endpoint-03  1 → 2          in mid-roll 15 s
endpoint-04  1              not rolled
endpoint-05  1              not rolled
endpoint-06  1              not rolled
… and 6 not rolled, 1 live on version 2

00:05:25Z  Wave 2 of 3, rolling 2 endpoints to version 2.
00:05:25Z  Wave 2 of 3: endpoint-02, endpoint-03 roll to version 2

Wave 2 of 3: rolling, deadline in 9 min 55 s · 5 min 40 s · list as of 00:05:35Z`,
    );
  });

  test('on a short terminal leaves out what can be done without', async () => {
    const at = await recordAt(340);
    expect(drawn(at, 40, 10)).toBe(
      `shop → version 2
● Wave 2  ░░░░░░░░░░  0/2  2 in mid-roll
○ Wave 3  ░░░░░░░░░░  0/9
Endpoint     Version  Rollout
endpoint-02  1 → 2    in mid-roll 15 s
endpoint-03  1 → 2    in mid-roll 15 s
endpoint-04  1        not rolled
… and 8 not rolled, 1 live on version 2
Wave 2 of 3: rolling, deadline in 9 min…`,
    );
  });

  test('with a list at hand shows what the service says, replicas and status among it', async () => {
    const at = await recordAt(340);
    const [first, second, third] = at.record.plan?.endpoints ?? [];
    const seen = new Map([
      [first?.endpointId ?? '', live('a', { replicas: 3 })],
      [second?.endpointId ?? '', moving('b', { status: 'UPDATING' })],
      [third?.endpointId ?? '', endpoint('c', { liveVersion: null, replicas: null })],
    ]);
    const lines = renderFrame(frameOf(at, { seen }), fakeScreen(90));
    expect(lines).toContainEqual(
      'endpoint-01  3                     3  ACTIVE    live on version 2',
    );
    expect(lines).toContainEqual(
      'endpoint-02  2 → 3                 1  UPDATING  in mid-roll 15 s',
    );
    expect(lines).toContainEqual(
      'endpoint-03  ? → 2                 ?  ACTIVE    in mid-roll 15 s',
    );
    expect(renderFrame(frameOf(at, { seen }), fakeScreen(50)).join()).not.toContain('ACTIVE');
  });

  test('puts what is lost first, then what has been in mid-roll the longest', async () => {
    const script = {
      broken: [
        { endpoint: 'endpoint-04', kind: 'stuck' },
        { endpoint: 'endpoint-09', kind: 'fail' },
      ],
      policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 }, bakeSeconds: 0 },
    };
    const at = await recordAt(27, script);
    const lines = renderFrame(frameOf(at), fakeScreen(80, 12));
    expect(lines.slice(3, 5).map((line) => line.split(/ {2,}/))).toEqual([
      ['endpoint-09', '1 → 2', 'in a failed state 12 s'],
      ['endpoint-04', '1 → 2', 'in mid-roll 22 s'],
    ]);
  });

  test('says why it goes back, and has a bar of its own for the way', async () => {
    const at = await recordAt(963, { ...stuck, policy: { onFailure: 'roll-back' } });
    const lines = renderFrame(frameOf(at), fakeScreen(100));
    expect(lines[0]).toBe('shop ← from version 2 back to the versions before');
    expect(lines[2]).toBe(
      'Wave 2 of 3 made no progress for 10 min: endpoint-03 is not live on version 2.',
    );
    expect(lines).toContainEqual('● Rollback  ████████░░░░░░░░░░░░░░░░░  1/3  2 in mid-roll');
    expect(lines).toContainEqual('endpoint-01  2 → 1          in mid-roll 13 s');
    expect(lines.at(-1)).toMatch(
      /^Rollback: rolling, deadline in 9 min 57 s · 16 min 3 s · list as of 00:16:00Z$/,
    );
  });

  test('what waits says until when, however narrow the terminal is', () => {
    const message = 'Outside of the deployment windows: the rollout waits until 2026-11-23 08:00Z.';
    const waits = notBegun(0, { for: 'window', of: message });
    const frame = frameOf({ record: { ...recordOf(), ...waits }, now: 0 });
    const lines = renderFrame(frame, fakeScreen(40));
    expect(lines.slice(-3).join(' ').replaceAll(/\s+/g, ' ').trim()).toBe(message);
    expect(lines.every((line) => line.length <= 40)).toBe(true);
  });

  test('an approval that is wanted comes with the commands to type, which are never cut', async () => {
    const approval = { timeoutSeconds: 86_400, onTimeout: 'reject' } as const;
    const policy = { verify: { probe: null, alarms: [], metrics: [], approval } };
    const at = await recordAt(330, { policy });
    const frame = frameOf(at, { engine: ' --engine aws --stack Prod' });
    expect(renderFrame(frame, fakeScreen(100)).slice(-3)).toEqual([
      'Wave 1 waits for your approval until 2026-01-02 00:05Z, or is rejected:',
      '  steproll rollout approve rollout-1 --wave 1 --engine aws --stack Prod',
      '  steproll rollout reject rollout-1 --wave 1 --engine aws --stack Prod',
    ]);
    expect(renderFrame(frame, fakeScreen(40)).slice(-2)).toEqual([
      '  steproll rollout reject rollout-1 \\',
      '    --wave 1 --engine aws --stack Prod',
    ]);
    expect(drawn(at, 100)).toContain('waits for approval, rejected by itself in 23 h 59 min');
  });

  test.each([
    ['approve', 'ann approved wave 1: it acts on that at its next look.'],
    ['reject', 'ann rejected wave 1: it acts on that at its next look.'],
  ] as const)(
    'a word to the wave that waits is acknowledged until it is acted on: %s',
    async (kind, line) => {
      const approval = { timeoutSeconds: 86_400, onTimeout: 'reject' } as const;
      const policy = { verify: { probe: null, alarms: [], metrics: [], approval } };
      const { record, now } = await recordAt(330, { policy });
      const frame = frameOf({ record: { ...record, signals: [signal(kind)] }, now });
      expect(renderFrame(frame, fakeScreen(100)).at(-1)).toBe(line);
      const [wanted] = record.events.filter((event) => event.kind === 'approval-wanted');
      const next = { ...wanted, kind: 'wave-started', wave: 2 } as (typeof record.events)[number];
      const events = [...record.events, next];
      const after = frameOf({ record: { ...record, events, signals: [signal(kind)] }, now });
      expect(renderFrame(after, fakeScreen(100)).join()).not.toContain('next look');
    },
  );

  test('an abort is acknowledged, a silence is told, and so is a ledger that cannot be read', async () => {
    const { record, now } = await recordAt(340);
    const late = now + 180_000;
    const signals = [signal('abort', { by: 'ann' })];
    const note = 'No news since 00:05:40Z, trying again.';
    const frame = frameOf({ record: { ...record, signals }, now: late }, { note });
    const lines = renderFrame(frame, fakeScreen(100));
    expect(lines[2]).toBe(note);
    expect(lines.slice(-3)).toEqual([
      'ann asked to abort: it ends at its next look.',
      'Nothing was heard of it since 00:05:35Z. Where its process has died, to have the abort carried out:',
      '  steproll rollout resume rollout-1',
    ]);
    const onAws = renderFrame({ ...frame, engine: ' --engine aws' }, fakeScreen(100)).join('\n');
    expect(onAws).toContain('Where its execution has ended, it is closed within minutes.');
    expect(onAws).not.toContain('resume');
  });

  test('what became of old endpoints stands in their rows; the end is left to the result', async () => {
    const record = await recordOfEnd({ ...stuck, policy: { protect: ['endpoint-03'] } });
    const at = { record, now: record.endedAt ?? 0 };
    expect(drawn(at, 80)).toContain(
      'endpoint-03  1 → 2          not stopped (protected by the policy)\n',
    );
    expect(drawn(at, 80)).not.toContain('Not stopped (');
    expect(drawn({ ...at, record: await recordOfEnd(stuck) }, 80)).toContain(
      '  stopped (was in mid-roll)\n',
    );
  });

  test('before there is a plan it says that one is made', () => {
    expect(drawn({ record: recordOf(), now: 3_000 }, 80)).toBe(
      `shop → version 3
Started by hand at 00:00:00Z · rollout-1

Reading the list, making the plan · 3 s`,
    );
  });
});

describe('at every size', () => {
  let records: RecordAt[] = [];

  beforeAll(async () => {
    records = [
      { record: recordOf(), now: 0 },
      await recordAt(340),
      await recordAt(963, { ...stuck, policy: { onFailure: 'roll-back' } }),
      await recordAt(700, manyWaves),
      { record: await recordOfEnd(stuck), now: 10_000_000 },
      await wordyRecord(),
    ];
  });

  test.each([
    [40, 8],
    [40, 24],
    [80, 24],
    [160, 50],
    [200, 12],
  ])('%i columns and %i rows hold it, with and without colours', (columns, rows) => {
    for (const at of records) {
      const plain = renderFrame(frameOf(at), fakeScreen(columns, rows));
      expect(plain.length).toBeLessThan(rows);
      expect(Math.max(...plain.map((line) => stringWidth(line)))).toBeLessThanOrEqual(columns);
      const coloured = renderFrame(frameOf(at), fakeScreen(columns, rows, true));
      expect(coloured.join('')).toContain('\u001b[');
      expect(coloured.map(stripVTControlCharacters)).toEqual(plain);
    }
  });

  test('many waves are folded around the current one', async () => {
    const at = await recordAt(700, manyWaves);
    const lines = renderFrame(frameOf(at), fakeScreen(80, 24)).slice(3, 9);
    expect(lines).toEqual([
      '  2 waves before',
      expect.stringMatching(/^✔ Wave 3 /),
      expect.stringMatching(/^○ Wave 4 /),
      expect.stringMatching(/^○ Wave 5 /),
      expect.stringMatching(/^○ Wave 6 /),
      '  4 waves to come',
    ]);
  });

  test('C11: no name, version word or reason can send escape codes to the terminal', async () => {
    const { record, now } = await recordAt(340);
    const evil = '\u001b[31mevil\u0007';
    const request = {
      ...record.request,
      runtimeId: evil,
      startedBy: { kind: 'person', name: evil, at: 0 } as const,
    };
    const endpoints = record.plan?.endpoints.map((planned) => ({ ...planned, name: evil })) ?? [];
    const events = record.events.map((event) => ({ ...event, message: evil }));
    const signals = [signal('abort', { by: evil, reason: evil })];
    const plan = record.plan && { ...record.plan, endpoints };
    const hostile: RolloutRecord = { ...record, request, plan, events, signals };
    const frame = frameOf({ record: hostile, now }, { note: evil });
    expect(renderFrame(frame, fakeScreen(80)).join('')).not.toMatch(/\p{Cc}/u);
  });
});

/** One that wants an approval, was aborted, and was not heard of for long: all that can stand above the waves. */
async function wordyRecord(): Promise<RecordAt> {
  const approval = { timeoutSeconds: 86_400, onTimeout: 'reject' } as const;
  const { record, now } = await recordAt(330, {
    policy: { verify: { probe: null, alarms: [], metrics: [], approval } },
  });
  const reason = 'Because of this and that. '.repeat(9);
  const cause = { outcome: 'Failed', reason: 'r', message: reason } as const;
  const rollback = record.plan && { cause, seen: [], plan: record.plan };
  return { record: { ...record, rollback, signals: [signal('abort')] }, now: now + 9_000_000 };
}
