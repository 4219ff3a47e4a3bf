import { describe, expect, test } from '@jest/globals';
import { createMemoryLedger } from '../../lib/adapters/ledger/memory/ledger.ts';
import type { RolloutSchedule } from '../../lib/contract/config/schedules.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { takeTrigger } from '../../lib/handlers/start.ts';
import { runSchedules, type SeenSchedule } from '../../lib/listener/schedules.ts';

const HOUR_MS = 3_600_000;

const nightly: RolloutSchedule = {
  name: 'nightly',
  runtimeId: 'shop',
  version: 7,
  cron: '0 3 * * ? *',
};

const launch: RolloutSchedule = {
  name: 'launch',
  runtimeId: 'shop',
  version: 8,
  at: '2026-01-01T03:00:00',
};

interface Script {
  readonly schedules: readonly RolloutSchedule[];
  readonly from: string;
  readonly to: string;
  /** How long a sleep takes, at a time: longer than it was meant to where the machine sleeps. */
  readonly sleep?: (now: number, milliseconds: number) => number;
  readonly take?: (payload: unknown) => Promise<unknown>;
  /** What outlives the listener. @default - nothing is remembered */
  readonly disk?: Disk;
}

interface Disk {
  seen?: Readonly<Record<string, SeenSchedule>>;
}

/** Runs schedules from one time to another on a clock that jumps, and answers what was taken and said. */
async function run({ schedules, from, to, sleep = (_, ms) => ms, take, disk = {} }: Script) {
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
  const memory = {
    read: () => disk.seen ?? {},
    write: (seen: Readonly<Record<string, SeenSchedule>>) => {
      disk.seen = seen;
    },
  };
  const runner = { schedules, clock, take: note, memory, log: (line: string) => log.push(line) };
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
  const rules = { runtimes: ['shop'], groups: ['prod'], maxAgeSeconds: 900 };

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
          ledger: createMemoryLedger(),
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
    expect(log).toEqual([
      'Schedule nightly was due at 2026-01-01T03:00:00.000Z and is made up for now',
    ]);
  });

  test('says that it was too late, and starts nothing', async () => {
    const { started, log } = await wake('2026-01-01T11:05:00Z', [nightly]);
    expect(started).toEqual([]);
    expect(log).toEqual([
      'Schedule nightly was due at 2026-01-01T03:00:00.000Z and did not start: that is 8 h 5 min ago, and it is made up for within 1 h (catchUpSeconds)',
    ]);
  });

  test('has so much longer as the schedule is flexible', async () => {
    const { started } = await wake('2026-01-01T04:29:00Z', [{ ...nightly, flexibleMinutes: 30 }]);
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
    take: () => Promise.reject(new SteprollError(ErrorName.UnknownRuntime, 'Who is that?')),
  });
  expect(taken.map(({ payload }) => payload.schedule)).toEqual([
    'nightly',
    'other',
    'nightly',
    'other',
  ]);
  expect(log).toContain(
    'Schedule other, due at 2026-01-01T03:00:00.000Z, started nothing: UnknownRuntime: Who is that?',
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
  const [next = '', missed = '', ...others] = log;
  expect(others).toEqual([]);
  expect(next).toContain('never');
  expect(missed).toMatch(/launch.*2025-12-01T09:00:00\.000Z.*catchUpSeconds/);
});

test('a schedule at a time that the clocks of its zone skip is said to be one', async () => {
  const skipped = { ...launch, at: '2026-03-29T02:30:00', timeZone: 'Europe/Berlin' };
  const { taken, log } = await run({
    schedules: [skipped],
    from: '2026-03-29T00:00:00Z',
    to: '2026-03-29T03:00:00Z',
  });
  expect(taken).toEqual([]);
  expect(log).toEqual([
    'Schedule launch, at(2026-03-29T02:30:00) Europe/Berlin, next: never: the clocks skip it',
  ]);
});

test('what the ledger could not take is tried again each minute, and started once', async () => {
  let failures = 3;
  const { taken, log } = await run({
    schedules: [nightly],
    from: '2026-01-01T02:59:30Z',
    to: '2026-01-01T04:30:00Z',
    take: async () => {
      failures -= 1;
      if (failures < 0) return;
      throw new SteprollError(ErrorName.LedgerUnavailable, 'The disk is full.');
    },
  });
  expect(taken.map(({ at }) => at)).toEqual(
    ['03:00', '03:01', '03:02', '03:03'].map((time) => `2026-01-01T${time}:00.000Z`),
  );
  expect(new Set(taken.map(({ payload }) => payload.scheduledAt))).toEqual(
    new Set(['2026-01-01T03:00:00.000Z']),
  );
  expect(log).toContain(
    'Schedule nightly, due at 2026-01-01T03:00:00.000Z, could not start yet: LedgerUnavailable: The disk is full.',
  );
});

describe('what was due while no listener ran', () => {
  /** One listener until 02:00, and the next one from `back` on, for an hour. */
  async function pause(back: string, schedules: readonly RolloutSchedule[], disk: Disk = {}) {
    await run({ schedules, from: '2026-01-01T01:00:00Z', to: '2026-01-01T02:00:00Z', disk });
    const to = new Date(Date.parse(back) + HOUR_MS).toISOString();
    const { taken, log } = await run({ schedules, from: back, to, disk });
    return { due: taken.map(({ payload }) => payload.scheduledAt), log };
  }

  test.each(['2026-01-01T03:00:01Z', '2026-01-01T03:59:00Z', '2026-01-01T04:00:00Z'])(
    'is made up for once, back at %s',
    async (back) => {
      const { due } = await pause(back, [nightly]);
      expect(due).toEqual(['2026-01-01T03:00:00.000Z']);
    },
  );

  test('is said by name and time where it is too old, and starts nothing', async () => {
    const { due, log } = await pause('2026-01-01T04:00:01Z', [nightly, launch]);
    expect(due).toEqual([]);
    expect(log).toEqual([
      'Schedule nightly, cron(0 3 * * ? *), next: 2026-01-02T03:00:00.000Z',
      'Schedule launch, at(2026-01-01T03:00:00), next: never: it was due at 2026-01-01T03:00:00.000Z',
      ...['nightly', 'launch'].map(
        (name) =>
          `Schedule ${name} was due at 2026-01-01T03:00:00.000Z and did not start: that is 1 h ago, and it is made up for within 1 h (catchUpSeconds)`,
      ),
    ]);
  });

  test.each<[number, string, number]>([
    [86_400, '2026-01-01T11:00:00Z', 1],
    [300, '2026-01-01T03:05:00Z', 1],
    [300, '2026-01-01T03:05:01Z', 0],
    // A timer may be so late, and nothing was missed.
    [0, '2026-01-01T03:01:00Z', 1],
    [0, '2026-01-01T03:01:01Z', 0],
  ])('is made up for within catchUpSeconds: %d, back at %s: %d', async (seconds, back, count) => {
    const { due } = await pause(back, [{ ...nightly, catchUpSeconds: seconds }]);
    expect(due).toHaveLength(count);
  });

  test('several times are made up for with the last of them', async () => {
    const hourly = { ...nightly, cron: '0 3-23 * * ? *' };
    const { due, log } = await pause('2026-01-01T11:05:00Z', [hourly]);
    expect(due).toEqual(['2026-01-01T11:00:00.000Z', '2026-01-01T12:00:00.000Z']);
    expect(log).toContain(
      'Schedule nightly was due from 2026-01-01T03:00:00.000Z on while nothing ran here: the last time, 2026-01-01T11:00:00.000Z, stands for them all',
    );
  });

  test('a rate goes on from where it began, however often the listener is started', async () => {
    const daily = { name: 'daily', runtimeId: 'shop', version: 7, rate: '1 day' };
    const { due } = await pause('2026-01-02T00:30:00Z', [daily]);
    expect(due).toEqual(['2026-01-02T01:00:00.000Z']);
    const hourly = { ...daily, rate: '1 hour' };
    const other = await pause('2026-01-01T02:30:00Z', [hourly]);
    expect(other.due).toEqual(['2026-01-01T02:00:00.000Z', '2026-01-01T03:00:00.000Z']);
  });

  test('is made up for once, however often the listener is started', async () => {
    const disk = {};
    const first = await pause('2026-01-01T03:10:00Z', [nightly, launch], disk);
    expect(first.due).toHaveLength(2);
    const again = await run({
      schedules: [nightly, launch],
      from: '2026-01-01T03:30:00Z',
      to: '2026-01-01T04:30:00Z',
      disk,
    });
    expect(again.taken).toEqual([]);
  });

  test('of a schedule that no listener has run for is only the time of an at', async () => {
    const { taken } = await run({
      schedules: [nightly, launch],
      from: '2026-01-01T03:20:00Z',
      to: '2026-01-01T04:00:00Z',
    });
    expect(taken.map(({ payload }) => [payload.schedule, payload.scheduledAt])).toEqual([
      ['launch', '2026-01-01T03:00:00.000Z'],
    ]);
  });

  test('is none of a schedule that was due at other times before, or was not there for a while', async () => {
    const disk = {};
    await pause('2026-01-01T02:30:00Z', [nightly], disk);
    const earlier = { ...nightly, cron: '15 3 * * ? *' };
    for (const schedules of [[earlier], [nightly]]) {
      const { taken } = await run({
        schedules,
        from: '2026-01-01T03:40:00Z',
        to: '2026-01-01T03:50:00Z',
        disk,
      });
      expect(taken).toEqual([]);
    }
  });

  test('a listener that ends while it starts one leaves it to the next', async () => {
    const disk: Disk = {};
    const ending = new AbortController();
    const memory = {
      read: () => disk.seen ?? {},
      write: (seen: Readonly<Record<string, SeenSchedule>>) => {
        disk.seen = seen;
      },
    };
    const clock = {
      now: () => Date.parse('2026-01-01T03:00:30Z'),
      sleep: async () => ending.abort(),
    };
    const log: string[] = [];
    const take = async () => {
      ending.abort();
      ending.signal.throwIfAborted();
    };
    const runner = {
      schedules: [launch],
      clock,
      memory,
      take,
      log: (line: string) => log.push(line),
    };
    await runSchedules(runner, ending.signal);

    const { taken } = await run({
      schedules: [launch],
      from: '2026-01-01T03:02:00Z',
      to: '2026-01-01T03:10:00Z',
      disk,
    });
    expect(taken).toHaveLength(1);
  });

  test('a memory that cannot be read or written is said to be, and schedules go on', async () => {
    const ending = new AbortController();
    let now = Date.parse('2026-01-01T02:59:30Z');
    const log: string[] = [];
    const taken: unknown[] = [];
    const broken = () => {
      throw new Error('EIO');
    };
    const clock = {
      now: () => now,
      async sleep(milliseconds: number) {
        now += milliseconds;
        if (now > Date.parse('2026-01-01T03:10:00Z')) ending.abort();
      },
    };
    await runSchedules(
      {
        schedules: [nightly],
        clock,
        memory: { read: broken, write: broken },
        take: async (payload) => taken.push(payload),
        log: (line) => log.push(line),
      },
      ending.signal,
    );
    expect(taken).toHaveLength(1);
    expect(log).toContain('What was due while no listener ran is not known: EIO');
    expect(log).toContain('The next listener may not know what was due until it runs: EIO');
  });
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
