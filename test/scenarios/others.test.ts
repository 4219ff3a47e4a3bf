import { describe, expect } from '@jest/globals';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import { isList, isSent } from '../../lib/rehearsal/calls.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import {
  RUNTIME,
  type Run,
  runScenario,
  type Script,
  type Stage,
} from '../support/run-scenario.ts';
import { START, scenarioNow, secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';
import { WHOLE_POLICY } from '../support/whole-policy.ts';

const SUCCESS = { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' };
// The second wave, endpoints 2 and 3, is rolled at 325 s, looked at from 335 s on and live at 345 s.

describe('somebody else moves an endpoint', () => {
  test('H10, X06: in mid-roll to another version: Superseded, nothing more is written', async () => {
    const run = await runScenario({ beside: (stage) => move(stage, 332, 'endpoint-02', 7) });

    expect(run.outcome).toEqual({
      outcome: 'Superseded',
      reason: 'Superseded',
      cleanup: 'none',
      message:
        'Wave 2 of 3: endpoint-02 is not on the way to version 2: endpoint-02 has the target 7. Somebody else may have moved it, or the service. At its end, 2 of 12 endpoints were on version 2, 9 on version 1, 1 elsewhere (endpoint-02).',
    });
    expect(run.rolled).toEqual(endpointNames(1, 3));
    expect(run.stopped).toEqual([]);
    expect(run.endpoints.get('endpoint-02')).toMatchObject({ targetVersion: 7 });
    expect(run.endpoints.get('endpoint-03')).toMatchObject({ liveVersion: 2 });
  });

  testWithStops('X06: and another one is stuck: that one is stopped, theirs is not', async () => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
      beside: (stage) => move(stage, 332, 'endpoint-02', 7),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup: 'kept' });
    expect(run.stopped).toEqual(['endpoint-03']);
  });

  test.each([
    ['while it is rolled', 340],
    ['during the bake', 400],
  ])(
    'X06: back to the version before, %s: TakenBack, and the others go back',
    async (_, second) => {
      const run = await runScenario({ beside: (stage) => move(stage, second, 'endpoint-02', 1) });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        failure: 'bad',
        reason: 'TakenBack',
        cleanup: 'rolledBack',
      });
      expect(run.outcome.message).toContain('endpoint-02');
      expect(run.stopped).toEqual([]);
      for (const name of endpointNames(1, 3)) {
        expect(run.endpoints.get(name)).toMatchObject({ targetVersion: 1, liveVersion: 1 });
      }
      // Nobody writes to it any more.
      expect(run.rolled.filter((name) => name === 'endpoint-02')).toHaveLength(1);
    },
  );

  test('X06: with hold for what is bad, everything stays as it is', async () => {
    const run = await runScenario({
      policy: { onFailure: { stuck: 'roll-back', bad: 'hold' } },
      beside: (stage) => move(stage, 340, 'endpoint-02', 1),
    });

    expect(run.outcome).toMatchObject({ reason: 'TakenBack', cleanup: 'none' });
    expect(run.rolled).toEqual(endpointNames(1, 3));
  });

  test('X06: during the bake, to a third version: Superseded', async () => {
    const run = await runScenario({ beside: (stage) => move(stage, 400, 'endpoint-02', 7) });

    expect(run.outcome).toMatchObject({
      outcome: 'Superseded',
      reason: 'Superseded',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual(endpointNames(1, 3));
    expect(run.stopped).toEqual([]);
  });

  test('X06: away and back again: let go all the same', async () => {
    const run = await runScenario({
      beside: async (stage) => {
        await move(stage, 332, 'endpoint-02', 7);
        await move(stage, 337, 'endpoint-02', 1);
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Superseded',
      reason: 'Superseded',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual(endpointNames(1, 3));
  });

  test.each([endpointNames(2, 2), endpointNames(2, 3)])(
    'X06: %s before the wave: it ends as Superseded, and nothing of it is rolled',
    async (...moved) => {
      const run = await runScenario({
        policy: { maxUnavailable: { percent: 100 } },
        beside: async (stage) => {
          for (const name of moved) await move(stage, 100, name, 7);
        },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Superseded',
        reason: 'Superseded',
        cleanup: 'none',
      });
      expect(run.rolled).toEqual(endpointNames(1, 1));
    },
  );

  testWithStops.each(['stop-old', 'roll-back'] as const)(
    'X06: to a higher version, of which no target is told: never taken down, with %s',
    async (onFailure) => {
      const run = await runScenario({
        policy: { onFailure },
        faults: {
          onList: (read) =>
            read().map((one) => (one.liveVersion === 9 ? { ...one, targetVersion: null } : one)),
        },
        beside: async (stage) => {
          await move(stage, 100, 'endpoint-05', 9);
          await move(stage, 400, 'endpoint-02', 9);
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Superseded', cleanup: 'none' });
      expect(run.rolled).toEqual(endpointNames(1, 3));
      expect(run.rolledBack).toEqual([]);
      for (const name of ['endpoint-02', 'endpoint-05']) {
        expect(run.endpoints.get(name)).toMatchObject({ targetVersion: 9, liveVersion: 9 });
      }
    },
  );

  test('X06: before its wave, to a higher version of which no target is told: let go', async () => {
    const run = await runScenario({
      faults: {
        onList: (read) =>
          read().map((one) => (one.liveVersion === 9 ? { ...one, targetVersion: null } : one)),
      },
      beside: (stage) => move(stage, 100, 'endpoint-05', 9),
    });

    expect(run.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Superseded' });
    expect(run.rolled).not.toContain('endpoint-05');
    expect(run.endpoints.get('endpoint-05')).toMatchObject({ targetVersion: 9, liveVersion: 9 });
  });

  test('a target that is not told for a while, of what is live on the version, is no regress', async () => {
    const run = await runScenario({
      faults: {
        onList: (read) =>
          read().map((one) => (isWithin(60, 200) ? { ...one, targetVersion: null } : one)),
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
  });

  test('X06: in an earlier wave that was trusted already: Superseded, and never a success', async () => {
    const run = await runScenario({ beside: (stage) => move(stage, 700, 'endpoint-01', 7) });

    expect(run.outcome).toMatchObject({ outcome: 'Superseded', reason: 'Superseded' });
  });

  test('to the very version that is wanted: one write less', async () => {
    const run = await runScenario({ beside: (stage) => move(stage, 100, 'endpoint-02', 2) });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toEqual(['endpoint-01', ...endpointNames(3, 12)]);
  });

  testWithStops(
    'stops an endpoint before its wave: the wave fails, it is not rolled and not stopped',
    async () => {
      const run = await runScenario({
        beside: async (stage) => {
          await stage.until(100);
          stage.world.stop(RUNTIME, stage.idOf('endpoint-02'));
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'none' });
      expect(run.rolled).not.toContain('endpoint-02');
      expect(run.stopped).toEqual([]);
    },
  );

  test('X07: an endpoint that is created meanwhile is never written to', async () => {
    const run = await runScenario({
      beside: async (stage) => {
        await stage.until(100);
        stage.world.create(RUNTIME, { name: 'newcomer', version: 1 });
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toEqual(endpointNames(1, 12));
    expect(run.endpoints.get('newcomer')).toMatchObject({ targetVersion: 1, liveVersion: 1 });
  });
});

test('endpoints that somebody left in mid-roll, at rest before their wave, are rolled no more at once than may be', async () => {
  const run = await runScenario({
    input: { takeOver: true },
    policy: { maxUnavailable: { endpoints: 1 }, allowDowngrade: true },
    ledger: (ledger, { world, idOf }) => {
      for (const name of ['endpoint-02', 'endpoint-03']) world.roll(RUNTIME, idOf(name), 3);
      return ledger;
    },
  });

  expect(run.outcome).toMatchObject(SUCCESS);
  const inMidRoll = run.calls.filter(isList).flatMap(({ at, endpoints }) => {
    const moving = endpoints?.filter((each) => each.targetVersion !== each.liveVersion) ?? [];
    return at - START > 60_000 ? [moving.length] : [];
  });
  expect(Math.max(...inMidRoll)).toBe(1);
});

describe('another rollout of the same runtime', () => {
  test('X01: in the same moment: one runs, the other writes nothing', async () => {
    const { first, second } = await runTwo(0);

    expect(first.outcome).toMatchObject(SUCCESS);
    expectLeaseHeld(second);
  });

  test('E08: while one runs: LeaseHeld, and the one that runs is not disturbed', async () => {
    const { first, second } = await runTwo(400);

    expect(first.outcome).toMatchObject(SUCCESS);
    expect(first.rolled).toHaveLength(12);
    expectLeaseHeld(second);
  });

  test('E01: with the same id, after the end: the same outcome, and no call at all', async () => {
    const again: Run[] = [];
    const run = await runScenario({
      endpoints: 2,
      beside: async (stage) => {
        await stage.until(5000);
        const before = stage.calls.length;
        again.push(await stage.start('rollout-1'));
        expect(stage.calls.slice(before).filter(({ operation }) => operation !== 'close')).toEqual(
          [],
        );
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(again.map(({ outcome }) => outcome)).toEqual([run.outcome]);
  });

  test('X03, A16: has taken the lease over: LeaseLost, and no further write', async () => {
    const run = await runScenario({ beside: (stage) => takeOver(stage, 332) });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'LeaseLost',
      cleanup: 'incomplete',
    });
    expect(run.rolled).toEqual(endpointNames(1, 3));
    expect(run.stopped).toEqual([]);
  });

  test('X03: takes the lease over between the read of a roll and its first PUT: no PUT', async () => {
    let stage: Stage | undefined;
    const run = await runScenario({
      beside: async (given) => {
        stage = given;
      },
      ledger: (ledger) => ({
        ...ledger,
        async append(lease, entries) {
          if (stage !== undefined) await takeOver(stage, 0);
          await ledger.append(lease, entries);
        },
      }),
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'LeaseLost',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual([]);
  });

  testWithStops(
    'X03: takes the lease over while old endpoints are stopped: no further stop',
    async () => {
      const run = await runScenario({
        ...ALL_STUCK,
        beside: async (stage) => {
          await stage.untilSent('stop', 1);
          await takeOver(stage, 0);
        },
        latencyMs: 1000,
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Errored',
        reason: 'LeaseLost',
        cleanup: 'incomplete',
      });
      expect(run.stopped).toHaveLength(1);
    },
  );
});

const ALL_STUCK: Script = {
  endpoints: 30,
  broken: endpointNames(1, 30).map((endpoint) => ({ endpoint, kind: 'stuck' })),
  policy: { waves: [{ percent: 100 }], maxUnavailable: { percent: 100 }, minServing: 0 },
};

describe('an abort', () => {
  test('in mid-wave: Aborted, nothing more is written, the lease is free', async () => {
    const abort = new AbortController();
    let next: Run | undefined;
    const run = await runScenario({
      signal: abort.signal,
      beside: async (stage) => {
        await stage.until(332);
        abort.abort();
        await stage.until(340);
        next = await stage.start('rollout-2');
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Aborted',
      reason: 'Interrupted',
      cleanup: 'none',
    });
    expect(run.seconds).toBe(332);
    expect(run.rolled).toEqual(endpointNames(1, 3));
    expect(next?.outcome).toMatchObject(SUCCESS);
  });

  test('before the first roll of its plan: says that nothing was rolled', async () => {
    const abort = new AbortController();
    const run = await runScenario({
      signal: abort.signal,
      latencyMs: 1000,
      beside: async (stage) => {
        await stage.until(3);
        abort.abort();
      },
    });

    expect(run.record?.plan).not.toBeNull();
    expect(run.rolled).toEqual([]);
    expect(run.outcome).toMatchObject({ message: 'Interrupted: nothing was rolled.' });
  });

  test('while a roll is under way: waits for its answer, and the journal has it', async () => {
    const abort = new AbortController();
    const run = await runScenario({
      signal: abort.signal,
      latencyMs: 1000,
      beside: async (stage) => {
        await stage.untilSent('roll', 1);
        abort.abort();
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', reason: 'Interrupted' });
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.record?.journal.at(-1)).toMatchObject({ operation: 'roll', result: 'accepted' });
  });

  test('while many batches are rolled: the writes in flight are finished, no other begins', async () => {
    const abort = new AbortController();
    const run = await runScenario({
      endpoints: 1500,
      policy: { waves: [{ endpoints: 1 }, { percent: 100 }], maxUnavailable: { percent: 100 } },
      latencyMs: 1000,
      signal: abort.signal,
      beside: async (stage) => {
        await stage.untilSent('roll', 2);
        abort.abort();
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', reason: 'Interrupted' });
    // Each of the 10 batches under way had 8 writes in flight.
    expect(run.rolled).toHaveLength(1 + 10 * 8);
  });

  testWithStops(
    'while old endpoints are stopped: the stop under way is finished, no other begins',
    async () => {
      const abort = new AbortController();
      const run = await runScenario({
        ...ALL_STUCK,
        latencyMs: 1000,
        signal: abort.signal,
        beside: async (stage) => {
          await stage.untilSent('stop', 1);
          abort.abort();
        },
      });

      expect(run.stopped).toEqual(['endpoint-01']);
      // More were old, and nobody looked at them.
      expect(run.outcome).toMatchObject({
        outcome: 'Aborted',
        reason: 'Interrupted',
        cleanup: 'incomplete',
      });
    },
  );

  test('before the start: nothing is read or written', async () => {
    const run = await runScenario({ signal: AbortSignal.abort() });

    expect(run.outcome).toMatchObject({ message: 'Interrupted: nothing was rolled.' });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted', cleanup: 'none' });
    expect(run.rolled).toEqual([]);
  });
});

async function move(stage: Stage, seconds: number, name: string, version: number): Promise<void> {
  await stage.until(seconds);
  stage.world.roll(RUNTIME, stage.idOf(name), version);
}

/** As after a pause of the holder for longer than its lease. */
/** Another rollout opens, a day later by its clock, and ends: what it found open has ended with that. */
async function takeOver(stage: Stage, seconds: number): Promise<void> {
  await stage.until(seconds);
  const request = {
    rolloutId: 'rollout-2',
    endpointUrl: 'https://endpoints.example.com',
    runtimeId: RUNTIME,
    desiredVersion: 3,
    policy: WHOLE_POLICY,
    startedBy: { kind: 'person', name: '', at: 0 },
  } as const;
  const later = scenarioNow() + 24 * 3600 * 1000;
  await stage.ledger.open(request, later, later + 1);
  await stage.ledger.close(request.rolloutId, ENDED, later);
}

const ENDED: Outcome = {
  outcome: 'Aborted',
  cleanup: 'none',
  reason: 'Aborted',
  message: 'Ended.',
};

async function runTwo(seconds: number): Promise<{ first: Run; second: Run }> {
  const runs: Run[] = [];
  const first = await runScenario({
    beside: async (stage) => {
      await stage.until(seconds);
      runs.push(await stage.start('rollout-2'));
    },
  });
  const [second = first] = runs;
  return { first, second };
}

function expectLeaseHeld({ outcome, calls, record, told }: Run): void {
  expect(outcome).toMatchObject({ outcome: 'Refused', reason: 'LeaseHeld', cleanup: 'none' });
  expect(calls.filter(isSent)).toEqual([]);
  expect(record).toMatchObject({ outcome, epoch: 0 });
  expect(told.map(({ kind }) => kind)).toEqual(['ended']);
}

function isWithin(from: number, to: number): boolean {
  return secondsSinceStart() >= from && secondsSinceStart() < to;
}
