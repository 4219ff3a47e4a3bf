import { describe, expect, test } from '@jest/globals';
import { type ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import type { WritePorts } from '../../../lib/steps/io/ports.ts';
import { rollBatch } from '../../../lib/steps/roll-batch.ts';
import { stopBatch } from '../../../lib/steps/stop-batch.ts';
import {
  endpoint,
  line,
  live,
  moving,
  planOf,
  progressOf,
  seen as shown,
  signal,
} from '../../domain/examples.ts';
import { skippingSleep } from '../../support/skipping-sleep.ts';
import { NOW, onStage, type Stage } from '../stage.ts';

const { ids, ...PLAN } = planOf([40]);
const WHOLE = { from: 0, to: 40 };

type Answer = ErrorName | 'yes';

interface Seen {
  /** `look`, and the id of each endpoint that was written to, in order. */
  readonly calls: string[];
  /** Seconds since the start, of each call. */
  readonly seconds: number[];
}

/** Answers each write as `answerOf` says, and notes what the service sees. */
function portsOf(
  stage: Stage,
  answerOf: (nth: number) => Answer | readonly [Answer, number],
): WritePorts & { readonly seen: Seen } {
  const seen: Seen = { calls: [], seconds: [] };
  let writes = 0;
  const see = (call: string) => {
    seen.calls.push(call);
    seen.seconds.push((stage.now - NOW) / 1000);
  };
  const write = async (endpointId: string) => {
    see(endpointId);
    writes += 1;
    const answer = answerOf(writes);
    const [name, retryAfterSeconds] = typeof answer === 'string' ? [answer] : answer;
    if (name === 'yes') return;
    throw new SteprollError(name, 'no', {
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    });
  };
  return {
    ...stage.ports,
    seen,
    service: {
      ...stage.ports.service,
      async list(runtimeId) {
        see('look');
        return stage.ports.service.list(runtimeId);
      },
      async roll(_runtimeId, endpointId) {
        await write(endpointId);
        return null;
      },
      stop: (_runtimeId, endpointId) => write(endpointId),
    },
  };
}

async function rollAll(answerOf: Parameters<typeof portsOf>[1], act?: (stage: Stage) => unknown) {
  return onStage({ plan: PLAN }, async (stage) => {
    stage.list = ids.map((id) => endpoint(id));
    const ports = portsOf(stage, answerOf);
    await act?.(stage);
    const summary = await rollBatch(stage.batch(WHOLE), ports);
    return { summary, ...ports.seen, journal: (await stage.read()).journal };
  });
}

describe('a batch of writes', () => {
  test('rests on one look while the look is fresh', async () => {
    const { calls, summary } = await rollAll(() => 'yes');
    expect(calls).toEqual(['look', ...ids]);
    expect(summary).toEqual({ accepted: 40 });
  });

  test('H14: eight refusals are one look, after as long as the service asks, and then fewer go at once', async () => {
    const { calls, seconds, summary } = await rollAll((nth) =>
      nth <= 8 ? ['UpstreamThrottled', 7] : 'yes',
    );
    const first = ids.slice(0, 8);
    expect(calls.slice(0, 14)).toEqual(['look', ...first, 'look', ...first.slice(0, 4)]);
    expect(seconds[9]).toBe(7);
    expect(summary).toEqual({ accepted: 40 });
  });

  test('H14: a wait of more than 20 s is left to the workflow, with the time in the journal', async () => {
    const { calls, summary, journal } = await rollAll(() => ['UpstreamThrottled', 21]);
    expect(calls).toEqual(['look', ...ids.slice(0, 8)]);
    expect(summary).toEqual({ rejected: 8, 'not-sent': 32 });
    expect(journal.filter(({ retryAt }) => retryAt === NOW + 21_000)).toHaveLength(8);
    expect(journal.at(-1)).toMatchObject({ result: 'not-sent', reason: 'UpstreamThrottled' });
  });

  test('a service that takes nothing is asked a few times, each time after a look', async () => {
    const { calls, seconds } = await rollAll(() => 'UpstreamThrottled');
    expect(calls.filter((call) => call === 'look')).toHaveLength(4);
    expect(calls.length).toBeLessThan(4 + 8 + 4 + 2 + 2);
    expect(seconds.at(-1)).toBe(1 + 2 + 4);
  });

  test('what does not arrive is sent again after a look, and the others go on before', async () => {
    const { calls, summary } = await rollAll((nth) => (nth === 3 ? 'UpstreamTransient' : 'yes'));
    expect(calls).toEqual(['look', ...ids, 'look', ids[2]]);
    expect(summary).toEqual({ accepted: 40 });
  });

  test('a roll without an answer is not sent again in the same run', async () => {
    const { calls, summary } = await rollAll((nth) => (nth === 3 ? 'OutcomeUnknown' : 'yes'));
    expect(calls).toEqual(['look', ...ids]);
    expect(summary).toEqual({ accepted: 39, unknown: 1 });
  });

  test('H18: a roll that nobody lets in ends it, also for what was throttled beside it', async () => {
    const { calls } = await rollAll((nth) => (nth === 3 ? 'UpstreamAuth' : 'UpstreamThrottled'));
    expect(calls).toEqual(['look', ...ids.slice(0, 8)]);
  });

  test('an aborted signal ends it between two handfuls', async () => {
    const abort = new AbortController();
    const { calls, journal } = await onStage({ plan: PLAN }, async (stage) => {
      stage.list = ids.map((id) => endpoint(id));
      const { seen, ...ports } = portsOf(stage, () => {
        abort.abort();
        return 'yes';
      });
      await rollBatch(stage.batch(WHOLE), { ...ports, signal: abort.signal });
      return { ...seen, journal: (await stage.read()).journal };
    });
    expect(calls).toEqual(['look', ...ids.slice(0, 8)]);
    expect(journal.filter(({ reason }) => reason === 'Interrupted')).toHaveLength(32);
  });

  test('a write whose answer the ledger did not take is in doubt, and not taken for one that was not sent', async () => {
    const { writes, results } = await onStage({ plan: PLAN }, async (stage) => {
      stage.list = ids.map((id) => endpoint(id));
      const { seen, ...ports } = portsOf(stage, () => 'yes');
      let appends = 0;
      const append: typeof ports.ledger.append = async (...args) => {
        appends += 1;
        if (appends === 2) throw new SteprollError('LedgerUnavailable', 'away');
        return ports.ledger.append(...args);
      };
      const ledger = { ...ports.ledger, append };
      const batch = stage.batch({ from: 0, to: 1 });
      await expect(rollBatch(batch, { ...ports, ledger })).rejects.toThrow('away');
      const { journal } = await stage.read();
      return {
        writes: seen.calls.filter((call) => call !== 'look'),
        results: journal.map(({ result }) => result),
      };
    });
    expect(writes).toEqual(['web-1']);
    expect(results).toEqual(['intended']);
  });

  test('an abort that is said while it waits ends it, although the service would take more', async () => {
    const { calls } = await onStage({ plan: PLAN }, async (stage) => {
      stage.list = ids.map((id) => endpoint(id));
      const { seen, ...ports } = portsOf(stage, () => ['UpstreamThrottled', 5]);
      const clock = {
        ...ports.clock,
        sleep: skippingSleep(async (milliseconds) => {
          stage.now += milliseconds;
          await ports.ledger.signal(stage.lease.rolloutId, signal('abort'));
        }),
      };
      await rollBatch(stage.batch(WHOLE), { ...ports, clock });
      return seen;
    });
    expect(calls).toEqual(['look', ...ids.slice(0, 8)]);
  });

  test('what went live while it waited is not written to again', async () => {
    const { calls } = await onStage({ plan: PLAN }, async (stage) => {
      stage.list = ids.map((id) => endpoint(id));
      const { seen, ...ports } = portsOf(stage, (nth) => (nth <= 8 ? 'UpstreamThrottled' : 'yes'));
      const clock = {
        ...ports.clock,
        sleep: skippingSleep(async (milliseconds) => {
          stage.now += milliseconds;
          stage.list = ids.map((id) => endpoint(id, { liveVersion: 3, targetVersion: 3 }));
        }),
      };
      await rollBatch(stage.batch(WHOLE), { ...ports, clock });
      return seen;
    });
    expect(calls).toEqual(['look', ...ids.slice(0, 8), 'look']);
  });
});

test('nothing of a wave is rolled when two looks in a row do not show the wave before it converged', async () => {
  const { ids: all, ...plan } = planOf([1, 8]);
  const [first = '', ...rest] = all;
  const progress = progressOf(1, [shown('converged', 2), ...rest.map(() => shown('pending', 1))]);
  const rolledAfter = (lost: number) =>
    onStage({ plan, progress }, async (stage) => {
      const old = all.map((id) => endpoint(id));
      const good = [live(first), ...rest.map((id) => endpoint(id))];
      stage.list = good;
      const { seen, ...ports } = portsOf(stage, () => 'UpstreamThrottled');
      let looks = 0;
      const list = async (runtimeId: string) => {
        looks += 1;
        stage.list = looks > 1 && looks <= 1 + lost ? old : good;
        return ports.service.list(runtimeId);
      };
      await rollBatch(stage.batch({ from: 1, to: 9 }), {
        ...ports,
        service: { ...ports.service, list },
      });
      return seen.calls.filter((call) => call === 'look').length;
    });
  // After the second list of them the batch is over. One may be an old answer.
  expect(await rolledAfter(2)).toBe(3);
  expect(await rolledAfter(1)).toBe(4);
});

describe('a stop', () => {
  const { ids: _, ...plan } = planOf([2]);
  const progress = progressOf(0, [shown('converged', 2), shown('failed', 2)]);
  const stopOne = (
    answerOf: Parameters<typeof portsOf>[1],
    meanwhile: (stage: Stage) => unknown = () => undefined,
  ) =>
    onStage({ plan, progress, policy: { minServing: 1 } }, async (stage) => {
      await stage.ports.ledger.append(
        stage.lease,
        ['web-1', 'web-2'].map((id) => line('roll', id, 'accepted')),
      );
      stage.list = [live('web-1'), moving('web-2', { status: 'ERROR' })];
      const { seen, ...ports } = portsOf(stage, answerOf);
      const clock = {
        ...ports.clock,
        sleep: skippingSleep(async (milliseconds) => {
          stage.now += milliseconds;
          await meanwhile(stage);
        }),
      };
      const summary = await stopBatch(stage.batch({ from: 0, to: 2 }), { ...ports, clock });
      return { ...seen, summary };
    });

  test('H14: that was throttled is sent again after its time and a look', async () => {
    const { calls, seconds, summary } = await stopOne((nth) =>
      nth === 1 ? ['UpstreamThrottled', 4] : 'yes',
    );
    expect(calls).toEqual(['look', 'web-2', 'look', 'web-2']);
    expect(seconds).toEqual([0, 0, 4, 4]);
    expect(summary).toEqual({ accepted: 1 });
  });

  test('H14: that was throttled is kept when its endpoint went live meanwhile', async () => {
    const { calls, summary } = await stopOne(
      () => ['UpstreamThrottled', 4],
      (stage) => {
        stage.list = [live('web-1'), live('web-2')];
      },
    );
    expect(calls).toEqual(['look', 'web-2', 'look']);
    expect(summary).toEqual({ kept: 1 });
  });

  test('X08: that was throttled is called off by an abort that is said meanwhile', async () => {
    const { calls, summary } = await stopOne(
      () => ['UpstreamThrottled', 4],
      (stage) => stage.ports.ledger.signal(stage.lease.rolloutId, signal('abort')),
    );
    expect(calls).toEqual(['look', 'web-2']);
    expect(summary).toEqual({ kept: 1 });
  });

  test('is sent three times at most, each time after a look', async () => {
    const { calls, summary } = await stopOne(() => 'OutcomeUnknown');
    expect(calls).toEqual(['look', 'web-2', 'look', 'web-2', 'look', 'web-2', 'look']);
    expect(summary).toEqual({ unknown: 1 });
  });
});
