import { describe, expect, test } from '@jest/globals';
import { systemClock } from '../../../lib/adapters/machine/clock.ts';
import { type Following, followRollout } from '../../../lib/cli/rollout/follow.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import type { AskedRollout } from '../../../lib/domain/rollout/record.ts';
import { progressOf, recordOf, seen } from '../../domain/examples.ts';
import { FAKE_TIME, inFakeTime } from '../../support/fake-timers.ts';
import { notBegun } from '../../support/not-begun.ts';

const outcome = { outcome: 'Succeeded', cleanup: 'none', reason: 'r', message: 'm' } as const;
const ended: AskedRollout = { ...recordOf(), outcome, endedAt: 0 };
const unavailable = new SteprollError(ErrorName.LedgerUnavailable, 'The ledger\n  is away.');
const unknown = new SteprollError(ErrorName.RolloutNotFound, 'It knows no such rollout.');

interface Log {
  readonly reads: number[];
  readonly updates: AskedRollout[];
  readonly notes: (string | null)[];
}

/** Follows a rollout of which the ledger says this at its nth read, 0-based. */
async function follow(
  read: (nth: number) => AskedRollout,
  said: Partial<Following> & { readonly signal?: AbortSignal } = {},
) {
  const log: Log = { reads: [], updates: [], notes: [] };
  const following: Following = {
    rolloutId: 'rollout-1',
    ledger: {
      async read() {
        log.reads.push(FAKE_TIME.seconds());
        return read(log.reads.length - 1);
      },
    },
    clock: systemClock,
    view: {
      update: (record) => void log.updates.push(record),
      note: (text) => {
        if (text !== log.notes.at(-1)) log.notes.push(text);
      },
    },
    readMs: 1_000,
    describeWaiting: async () => null,
    ...said,
  };
  const signal = said.signal ?? new AbortController().signal;
  const result = await inFakeTime(() =>
    followRollout(following, signal).then(
      (record) => ({ record }),
      (error: unknown) => ({ error }),
    ),
  );
  return { ...log, ...result };
}

describe('following a rollout', () => {
  test('ends with the record that has the outcome', async () => {
    const { record, updates, reads } = (await follow((nth) => (nth < 2 ? recordOf() : ended))) as {
      record: AskedRollout;
    } & Log;
    expect(record).toBe(ended);
    expect(updates.at(-1)).toBe(ended);
    expect(reads).toHaveLength(3);
  });

  test('reads less often while nothing changes, and soon again when something does', async () => {
    const moved = { ...recordOf(), progress: progressOf(0, [seen('progressing')]) };
    const { reads } = await follow((nth) => (nth < 6 ? recordOf() : nth < 8 ? moved : ended));
    expect(reads.map((second, nth) => second - (reads[nth - 1] ?? 0))).toEqual([
      0, 1, 1.5, 2.25, 3.375, 5, 5, 1, 1.5,
    ]);
  });

  test('shows that the process has died, although the record stays as it was', async () => {
    const shown: (boolean | undefined)[] = [];
    let looks = 0;
    await follow((nth) => (nth < 3 ? recordOf() : ended), {
      view: { update: (_, isAbandoned) => void shown.push(isAbandoned), note() {} },
      isAbandoned: async () => looks++ % 2 === 1,
    });
    expect(shown).toEqual([false, true, false, true]);
  });

  test('waits for a dead process only as long as it is told to, and anew after a sign of life', async () => {
    let looks = 0;
    const { record, reads } = (await follow(() => recordOf(), {
      view: { update() {}, note() {} },
      isAbandoned: async () => looks++ !== 3,
      abandonedMs: 20_000,
    })) as { record: AskedRollout } & Log;
    expect(record.outcome).toBeNull();
    const aliveAt = reads[3] ?? Number.NaN;
    const end = reads.at(-1) ?? Number.NaN;
    expect(end - aliveAt).toBeGreaterThanOrEqual(20);
    expect(end - aliveAt).toBeLessThan(25);
  });

  test('shows what a rollout waits for as soon as that changes', async () => {
    const accepted: AskedRollout = { ...recordOf(), epoch: 0, ...acceptedAt(0) };
    const message = 'The list cannot be read.';
    const listed: AskedRollout = {
      ...accepted,
      ...notBegun(0, { for: 'list', of: message }),
    };
    const { updates } = await follow((nth) => [accepted, listed][nth] ?? ended);
    expect(updates.map(({ wait }) => wait?.of ?? null)).toEqual([
      notBegun(0).wait.of,
      message,
      null,
    ]);
  });

  test('C11: a ledger that is away for a while is told, and waited for', async () => {
    const { record, notes } = (await follow((nth) => {
      if (nth > 0 && nth < 100) throw unavailable;
      return nth === 0 ? recordOf() : ended;
    })) as { record: AskedRollout } & Log;
    expect(record).toBe(ended);
    expect(notes).toEqual([
      null,
      'No news since 00:00:00Z, trying again. The ledger is away.',
      null,
    ]);
  });

  test('a ledger that is away does not hide that the execution has ended', async () => {
    const { notes } = (await follow(
      (nth) => {
        if (nth > 0 && nth < 3) throw unavailable;
        return nth === 0 ? recordOf() : ended;
      },
      { describeExecution: async () => 'Its execution ended as FAILED.' },
    )) as Log;
    expect(notes).toContainEqual(expect.stringMatching(/^No news .* ended as FAILED\.$/));
  });

  test('a ledger that says the same for too long does not hide how the execution stands', async () => {
    let begun: AskedRollout | undefined;
    const read = (nth: number) => {
      begun ??= { ...recordOf(), startedAt: Date.now() };
      return nth < 60 ? begun : ended;
    };
    const { notes } = (await follow(read, {
      describeExecution: async () => 'Its execution is under way.',
    })) as Log;
    expect(notes).toEqual([null, 'Its execution is under way.', null]);
  });

  test('C11: after five minutes without an answer it is not known how it went on', async () => {
    const { error, reads } = (await follow((nth) => {
      if (nth > 0) throw unavailable;
      return recordOf();
    })) as { error: unknown } & Log;
    expect(error).toBe(unavailable);
    expect(reads.at(-1)).toBe(300);
  });

  test('C11: no access at the first look ends it at once, later it is waited for', async () => {
    const cause = Object.assign(new Error('no'), { name: 'AccessDeniedException' });
    const refused = new SteprollError(ErrorName.LedgerUnavailable, 'No access.', { cause });
    const atOnce = await follow(() => {
      throw refused;
    });
    expect(atOnce).toMatchObject({ error: refused, reads: [0] });

    const { reads } = await follow((nth) => {
      if (nth > 0) throw refused;
      return recordOf();
    });
    expect(reads.at(-1)).toBe(300);
  });

  test('an error that no waiting mends ends it at once', async () => {
    const broken = new SteprollError(ErrorName.IncompatibleState, 'Of another version.');
    const result = await follow(() => {
      throw broken;
    });
    expect(result).toMatchObject({ error: broken, reads: [0] });
  });

  test('one that waits for its turn is waited for, however long it takes', async () => {
    const { record, notes, reads } = (await follow(
      (nth) => {
        if (nth < 1_000) throw unknown;
        // What has answered until now may be away for a while.
        if (nth === 1_000) throw unavailable;
        return ended;
      },
      { describeWaiting: async () => 'It waits.' },
    )) as { record: AskedRollout } & Log;
    expect(record).toBe(ended);
    expect(notes).toEqual([
      'It waits.',
      'No news since 01:23:07Z, trying again. The ledger is away.',
      null,
    ]);
    expect(reads).toHaveLength(1_002);
  });

  test('one that nobody knows is given ten seconds to show up', async () => {
    const { error, reads } = (await follow(() => {
      throw unknown;
    })) as { error: unknown } & Log;
    expect(error).toMatchObject({
      name: 'RolloutNotFound',
      message: 'The ledger knows no rollout "rollout-1".',
    });
    expect(reads.at(-1)).toBe(10);
  });

  test('one that ended without having begun: why', async () => {
    const failed = new SteprollError(ErrorName.RolloutFailed, 'Refused.');
    const result = await follow(
      () => {
        throw unknown;
      },
      { describeWaiting: () => Promise.reject(failed) },
    );
    expect(result).toMatchObject({ error: failed });
  });

  test('C10: a signal ends it at once, also in the middle of a read that hangs', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 0);
    const signal = AbortSignal.any([controller.signal]);
    const hanging = { read: () => new Promise<AskedRollout>(() => {}) };
    const view = { update() {}, note() {} };
    const record = await followRollout(
      {
        rolloutId: 'r',
        ledger: hanging,
        clock: systemClock,
        view,
        readMs: 1,
        describeWaiting: async () => null,
      },
      signal,
    );
    expect(record).toBeNull();
  });

  test('C10: a signal between two reads ends it with what is known', async () => {
    const controller = new AbortController();
    const { record, reads } = (await follow(
      (nth) => {
        if (nth === 1) queueMicrotask(() => controller.abort());
        return recordOf();
      },
      { signal: controller.signal },
    )) as { record: AskedRollout } & Log;
    expect(record).toEqual(recordOf());
    expect(reads).toHaveLength(2);
  });
});
