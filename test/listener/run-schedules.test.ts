import { describe, expect, test } from '@jest/globals';
import type { RolloutSchedule } from '../../lib/contract/rollout-schedule.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { runSchedules } from '../../lib/listener/run-schedules.ts';
import { takeTrigger } from '../../lib/steps/take-trigger.ts';

const HOUR_MS = 3_600_000;

const nightly: RolloutSchedule = {
  name: 'nightly',
  runtimeId: 'shop',
  version: 7,
  cron: '0 3 * * ? *',
};

interface Script {
  readonly schedules: readonly RolloutSchedule[];
  readonly from: string;
  readonly to: string;
  /** How long a sleep takes, at a time: longer than it was meant to where the machine sleeps. */
  readonly sleep?: (now: number, milliseconds: number) => number;
  readonly take?: (payload: unknown) => Promise<unknown>;
}

/** Runs schedules from one time to another on a clock that jumps, and answers what was taken and said. */
async function run({ schedules, from, to, sleep = (_, ms) => ms, take }: Script) {
  const ending = new AbortController();
  const taken: { at: string; payload: Record<string, unknown> }[] = [];
  const sleeps: number[] = [];
  const log: string[] = [];
  let now = Date.parse(from);
  const clock = {
    now: () => now,
    async sleep(milliseconds: number) {
      sleeps.push(milliseconds);
      now += sleep(now, milliseconds);
      if (now >= Date.parse(to)) ending.abort();
      ending.signal.throwIfAborted();
    },
  };
  const note = async (payload: unknown) => {
    const at = new Date(now).toISOString();
    taken.push({ at, payload: payload as Record<string, unknown> });
    return take?.(payload);
  };
  const runner = { schedules, clock, take: note, log: (line: string) => log.push(line) };
  await runSchedules(runner, ending.signal);
  return { taken, log, sleeps };
}

test('each schedule is taken when it is due, and not before', async () => {
  const hourly = { name: 'hourly', runtimeId: 'shop', version: 8, rate: '1 hour' };
  const { taken, log, sleeps } = await run({
    schedules: [nightly, hourly],
    from: '2026-01-01T01:30:00Z',
    to: '2026-01-01T04:00:00Z',
  });

  expect(taken).toEqual(
    [
      ['2026-01-01T02:30:00.000Z', 'hourly'],
      ['2026-01-01T03:00:00.000Z', 'nightly'],
      ['2026-01-01T03:30:00.000Z', 'hourly'],
    ].map(([at, schedule]) => ({
      at,
      payload: expect.objectContaining({ schedule, scheduledAt: at }),
    })),
  );
  expect(log).toEqual([
    'Schedule nightly, cron(0 3 * * ? *), next: 2026-01-01T03:00:00.000Z',
    'Schedule hourly, rate(1 hour), next: 2026-01-01T02:30:00.000Z',
  ]);
  expect(Math.max(...sleeps)).toBe(60_000);
});

describe('E09: in Berlin, a schedule at half past two', () => {
  const schedules = [{ ...nightly, cron: '30 2 * * ? *', timeZone: 'Europe/Berlin' }];

  test('does not start in the night in which that is skipped', async () => {
    const { taken } = await run({
      schedules,
      from: '2026-03-28T12:00:00Z',
      to: '2026-03-29T12:00:00Z',
    });
    expect(taken).toEqual([]);
  });

  test('starts once in the night in which it comes twice', async () => {
    const { taken } = await run({
      schedules,
      from: '2026-10-24T12:00:00Z',
      to: '2026-10-25T12:00:00Z',
    });
    expect(taken.map(({ at }) => at)).toEqual(['2026-10-25T00:30:00.000Z']);
  });
});

describe('a machine that sleeps through a schedule', () => {
  /** From 02:00 the machine sleeps until it is woken. */
  const sleepUntil = (woken: string) => (now: number, milliseconds: number) => {
    const falls = Date.parse('2026-01-01T02:00:00Z');
    return now >= falls && now < Date.parse(woken) ? Date.parse(woken) - now : milliseconds;
  };
  const rules = { runtimes: ['shop'], maxAgeSeconds: 900 };

  async function wake(woken: string, schedules: readonly RolloutSchedule[]) {
    const started: string[] = [];
    const clock = { now: () => Date.parse(woken) };
    const { log } = await run({
      schedules,
      from: '2026-01-01T01:30:00Z',
      to: woken.replace(/:\d\dZ/, ':59Z'),
      sleep: sleepUntil(woken),
      take: (payload) =>
        takeTrigger(payload, {
          rules,
          releases: [],
          clock,
          startExecution: async (rolloutId) => {
            started.push(rolloutId);
            return 'started';
          },
        }),
    });
    return { started, log: log.slice(schedules.length) };
  }

  test('makes up for it while it is fresh', async () => {
    const { started, log } = await wake('2026-01-01T03:14:00Z', [nightly]);
    expect(started).toHaveLength(1);
    expect(log).toEqual([]);
  });

  test('says that it was too late, and starts nothing', async () => {
    const { started, log } = await wake('2026-01-01T11:05:00Z', [nightly]);
    expect(started).toEqual([]);
    expect(log).toEqual([
      'Schedule nightly, due at 2026-01-01T03:00:00.000Z, started nothing: StaleTrigger: The schedule is 29100 s old, and after 900 s it starts nothing.',
    ]);
  });

  test('has so much longer as the schedule is flexible', async () => {
    const { started } = await wake('2026-01-01T03:44:00Z', [{ ...nightly, flexibleMinutes: 30 }]);
    expect(started).toHaveLength(1);
  });

  test('makes up for several times with the last of them', async () => {
    const hourly = { ...nightly, cron: '0 3-23 * * ? *' };
    const { started, log } = await wake('2026-01-01T11:05:00Z', [hourly]);
    expect(started).toHaveLength(1);
    expect(log).toEqual([
      'Schedule nightly was due from 2026-01-01T03:00:00.000Z on while nothing ran here: the last time, 2026-01-01T11:00:00.000Z, stands for them all',
    ]);
  });

  test('E09: names the rollout after the schedule and its time, whenever it is taken', async () => {
    const early = await wake('2026-01-01T03:01:00Z', [nightly]);
    const late = await wake('2026-01-01T03:14:00Z', [nightly]);
    expect(late.started).toEqual(early.started);
  });
});

test('a schedule that starts nothing does not keep the next one from its turn', async () => {
  const { taken, log } = await run({
    schedules: [nightly, { ...nightly, name: 'other' }],
    from: '2026-01-01T02:00:00Z',
    to: '2026-01-02T04:00:00Z',
    take: () => Promise.reject(new SteprollError(ErrorName.LedgerUnavailable, 'The disk is full.')),
  });
  expect(taken.map(({ payload }) => payload.schedule)).toEqual([
    'nightly',
    'other',
    'nightly',
    'other',
  ]);
  expect(log).toContain(
    'Schedule other, due at 2026-01-01T03:00:00.000Z, started nothing: LedgerUnavailable: The disk is full.',
  );
});

test('a schedule that is over is said to be, and waits for nothing', async () => {
  const over = { name: 'launch', runtimeId: 'shop', version: 7, at: '2025-12-01T09:00:00' };
  const { taken, log } = await run({
    schedules: [over],
    from: '2026-01-01T00:00:00Z',
    to: '2026-01-01T02:00:00Z',
  });
  expect(taken).toEqual([]);
  expect(log).toEqual([
    'Schedule launch, at(2025-12-01T09:00:00), next: never: it is over, or the clocks skip it',
  ]);
});

test('a clock that goes back starts nothing twice', async () => {
  let hasGoneBack = false;
  const { taken } = await run({
    schedules: [nightly],
    from: '2026-01-01T02:00:00Z',
    to: '2026-01-01T05:00:00Z',
    sleep: (now, milliseconds) => {
      if (hasGoneBack || now < Date.parse('2026-01-01T03:01:00Z')) return milliseconds;
      hasGoneBack = true;
      return -HOUR_MS / 2;
    },
  });
  expect(taken).toHaveLength(1);
});
