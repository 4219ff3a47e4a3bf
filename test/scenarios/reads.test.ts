import { describe, expect } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { isList, isWrite } from '../../lib/rehearsal/calls.ts';
import type { ServiceFaults } from '../../lib/rehearsal/service.ts';
import { runScenario } from '../support/run-scenario.ts';
import { START, secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const SUCCESS = { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' };

describe('the list at plan time', () => {
  test('H01: holds other endpoints in every read, for as long as a wave may take: ListUnstable, before any write', async () => {
    const run = await runScenario({
      faults: { onList: (read, nth) => read().filter((_, index) => index !== nth % 12) },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'ListUnstable',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual([]);
    expect(run.seconds).toBe(600);
  });

  test.each([
    ErrorName.UpstreamTransient,
    ErrorName.UpstreamTimeout,
    ErrorName.UpstreamThrottled,
    ErrorName.ListUnstable,
  ])('C01: an outage of 20 s at the moment of opening is waited for: %s', async (name) => {
    const run = await runScenario({
      faults: {
        onList(read) {
          if (secondsSinceStart() < 20) throw new SteprollError(name, 'not now');
          return read();
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toHaveLength(12);
  });

  test('C01: an outage while the version is read is waited for, and the version is of then', async () => {
    const run = await runScenario({
      endpoints: [{ name: 'staging', version: 2 }, { name: 'web' }],
      input: { version: undefined, versionFrom: { endpoint: 'staging' } },
      faults: {
        onList(read) {
          if (secondsSinceStart() < 20) throw new SteprollError('UpstreamTransient', 'not now');
          return read();
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.record?.request).toMatchObject({ desiredVersion: 2, versionFrom: 'staging' });
  });

  test('H02: a row missing in the first read only is in the plan', async () => {
    const run = await runScenario({
      faults: { onList: (read, nth) => (nth === 1 ? read().slice(1) : read()) },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toHaveLength(12);
  });

  test.each([
    ErrorName.UpstreamTransient,
    ErrorName.UpstreamAuth,
    ErrorName.UpstreamProtocol,
    ErrorName.ListUnstable,
  ])('%s: Errored, before any write', async (name) => {
    const run = await runScenario({ faults: { onList: fail(name) } });

    expect(run.outcome).toMatchObject({ outcome: 'Errored', reason: name, cleanup: 'none' });
    expect(run.rolled).toEqual([]);
  });
});

describe('the list while a wave is watched', () => {
  test.each([
    ['H05', ErrorName.ListUnstable],
    ['H14', ErrorName.UpstreamThrottled],
    ['H22', ErrorName.UpstreamProtocol],
    ['H24', ErrorName.UpstreamTransient],
    ['H26', ErrorName.UpstreamTimeout],
  ])('%s: %s for a while is waited for', async (_row, name) => {
    const run = await runScenario({
      faults: { onList: (read) => (isWithin(8, 200) ? fail(name)() : read()) },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toHaveLength(12);
  });

  test('H24: unreadable beyond the deadline: Errored, and nothing is stopped', async () => {
    const run = await runScenario({
      faults: {
        onList: (read) => (isWithin(8, 1e6) ? fail(ErrorName.UpstreamTransient)() : read()),
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'UpstreamTransient',
      cleanup: 'incomplete',
    });
    expect(run.rolled).toEqual(['endpoint-01']);
    expect(run.stopped).toEqual([]);
    // The first read that fails is the one at 10 s.
    expect(run.seconds).toBe(610);
  });

  test('H24: never readable after the first roll: Errored as well, by the deadline', async () => {
    const run = await runScenario({
      policy: { onFailure: 'hold' },
      faults: { onList: (read) => (isWithin(1, 1e6) ? fail(ErrorName.UpstreamTimeout)() : read()) },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'UpstreamTimeout',
      cleanup: 'none',
    });
    // The first read that fails is the one at 5 s.
    expect(run.seconds).toBe(605);
  });

  test('H18: refused credentials are waited for like any other list', async () => {
    const run = await runScenario({
      faults: { onList: (read) => (isWithin(8, 1e6) ? fail(ErrorName.UpstreamAuth)() : read()) },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'UpstreamAuth',
      cleanup: 'incomplete',
      message: expect.stringContaining('so nothing is stopped or rolled back'),
    });
    expect(run.seconds).toBe(610);
  });

  test('H06: empty for two reads: nothing has vanished', async () => {
    const run = await runScenario({
      faults: { onList: (read) => (isWithin(8, 16) ? [] : read()) },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toHaveLength(12);
  });

  test.each<[string, (read: () => readonly Endpoint[]) => readonly Endpoint[]]>([
    ['empty', () => []],
    ['lacking most of the fleet', (read) => read().slice(0, 5)],
    ['of quite other endpoints', (read) => read().map((one) => ({ ...one, id: `new-${one.id}` }))],
  ])('H06: %s for five minutes: waited for, and nothing has vanished', async (_what, answer) => {
    const run = await runScenario({
      policy: { onFailure: 'roll-back' },
      faults: { onList: (read) => (isWithin(8, 308) ? answer(read) : read()) },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toHaveLength(12);
    expect(run.rolledBack).toEqual([]);
  });

  testWithStops.each([
    [12, 0],
    [12, 5],
    [3, 1],
    [1, 0],
  ])(
    'H06: of %i endpoints %i are left for good: Errored, and nothing is stopped',
    async (endpoints, left) => {
      const run = await runScenario({
        endpoints,
        faults: { onList: (read) => (isWithin(8, 1e6) ? read().slice(0, left) : read()) },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Errored',
        reason: 'ListUnstable',
        cleanup: 'incomplete',
        message: expect.stringContaining(`holds ${left} of the ${endpoints} endpoints`),
      });
      expect(run.rolled).toEqual(['endpoint-01']);
      expect(run.stopped).toEqual([]);
      expect(run.seconds).toBe(610);
    },
  );

  testWithStops.each([12, 3, 2])(
    'H02: one of %i that vanishes is missed after half a minute',
    async (endpoints) => {
      const run = await runScenario({
        endpoints,
        broken: [{ endpoint: 'endpoint-01', kind: 'vanish', afterSeconds: 8 }],
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'EndpointVanished' });
      expect(run.seconds).toBe(40);
    },
  );

  describe('H02: an endpoint that is missing in many reads, and for less than half a minute', () => {
    const FAST = { waves: [{ percent: 100 }], pollSeconds: 1, onFailure: 'roll-back' } as const;
    const missing = (from: number, to: number): ServiceFaults => ({
      onList: (read) => (isWithin(from, to) ? read().slice(1) : read()),
    });

    test.each([
      ['while it rolls', 5, { failureThreshold: { endpoints: 1 } }],
      ['while the others roll', 30, {}],
      ['while a deadline of ten seconds passes', 5, { progressDeadlineSeconds: 22 }],
      ['in its bake', 200, {}],
      ['in its bake, beyond the deadline', 200, { progressDeadlineSeconds: 22 }],
    ])('is not gone %s', async (_when, from, policy) => {
      const run = await runScenario({
        endpoints: 4,
        policy: { ...FAST, maxUnavailable: { endpoints: 1 }, ...policy },
        faults: missing(from, from + 28),
      });

      expect(run.outcome).toMatchObject(SUCCESS);
      expect(run.rolledBack).toEqual([]);
      expect(run.rolled).toHaveLength(4);
    });

    test.each([
      ['in its bake', 200, 'LiveRegressed'],
      ['while the others roll', 30, 'EndpointVanished'],
    ])('is gone after half a minute %s', async (_when, from, reason) => {
      const run = await runScenario({
        endpoints: 4,
        policy: { ...FAST, maxUnavailable: { endpoints: 1 } },
        faults: missing(from, 1e6),
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', reason });
      const lists = run.calls.filter(isList);
      const all = lists[0]?.endpoints?.length ?? 0;
      const missed = lists.find(({ endpoints }) => (endpoints?.length ?? all) < all)?.at;
      const back = run.calls.find((call) => isWrite(call) && call.version === 1)?.at;
      expect(Number(back) - Number(missed)).toBeGreaterThanOrEqual(30_000);
      expect(Number(back) - Number(missed)).toBeLessThan(45_000);
    });
  });

  testWithStops(
    'H02, H19: an endpoint that vanishes fails its wave, and is not created again',
    async () => {
      const run = await runScenario({
        broken: [{ endpoint: 'endpoint-02', kind: 'vanish', afterSeconds: 10 }],
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Failed',
        reason: 'EndpointVanished',
        cleanup: 'kept',
      });
      expect(run.outcome.message).toContain('endpoint-02 is gone from the list');
      expect(run.endpoints.has('endpoint-02')).toBe(false);
      expect(run.endpoints.get('endpoint-03')).toMatchObject({ liveVersion: 2, status: 'ACTIVE' });
      expect(run.rolled).toHaveLength(3);
    },
  );

  test('H08: a read that lags behind by some seconds is no second roll and no supersession', async () => {
    const run = await runScenario({ faults: { onList: lagging(12) } });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toHaveLength(12);
  });

  test('H07: one old answer after the new one is neither a regress nor somebody else', async () => {
    let old: readonly Endpoint[] = [];
    const run = await runScenario({
      faults: {
        onList: (read, nth) => {
          if (nth === 1) old = read();
          return isWithin(14, 16) ? old : read();
        },
      },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.rolled).toHaveLength(12);
  });
});

describe('the list after the bake', () => {
  // The first wave is live at 20 s, has settled at 25 s and has baked at 325 s.
  const isAfterBake = () => isWithin(324, 326);

  test('H06: one empty read is no regress', async () => {
    const run = await runScenario({ faults: { onList: (read) => (isAfterBake() ? [] : read()) } });

    expect(run.outcome).toMatchObject(SUCCESS);
  });

  test('H02: one read without an endpoint of the wave is no regress', async () => {
    const run = await runScenario({
      faults: { onList: (read) => (isAfterBake() ? read().slice(1) : read()) },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
  });

  test.each([ErrorName.UpstreamTransient, ErrorName.ListUnstable])(
    'H24: %s for half a minute is tried again',
    async (name) => {
      const run = await runScenario({
        faults: { onList: (read) => (isWithin(324, 350) ? fail(name)() : read()) },
      });

      expect(run.outcome).toMatchObject(SUCCESS);
      expect(run.rolled).toHaveLength(12);
    },
  );

  test('H24: unreadable for longer: Errored, the next wave does not start', async () => {
    const run = await runScenario({
      faults: {
        onList: (read) => (isWithin(324, 1e6) ? fail(ErrorName.UpstreamTransient)() : read()),
      },
    });

    expect(run.outcome).toMatchObject({
      outcome: 'Errored',
      reason: 'UpstreamTransient',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual(['endpoint-01']);
  });

  test.each([
    { againstFrom: 14, cleanup: 'incomplete' },
    { againstFrom: 19, cleanup: 'none' },
  ])(
    'H24: unreadable after reads against the wave before, from $againstFrom s on: $cleanup',
    async ({ againstFrom, cleanup }) => {
      const run = await runScenario({
        endpoints: 2,
        rollSeconds: 5,
        policy: { waves: [{ endpoints: 1 }, { percent: 100 }], bakeSeconds: 0 },
        faults: {
          // It is first shown on its way again, and then not at all.
          onList(read) {
            if (isWithin(24, 1e6)) fail(ErrorName.UpstreamTransient)();
            const [first, ...others] = read();
            if (first === undefined || !isWithin(againstFrom, 24)) return read();
            return isWithin(19, 24) ? others : [{ ...first, liveVersion: 1 }, ...others];
          },
        },
      });

      expect(run.outcome).toMatchObject({
        outcome: 'Errored',
        reason: 'UpstreamTransient',
        cleanup,
      });
      // What would have been stopped, or, where nothing can be stopped, rolled back.
      expect(/nobody has looked any more: 1\.|Not rolled back/.test(run.outcome.message)).toBe(
        cleanup === 'incomplete',
      );
      expect(run.rolled).toEqual(['endpoint-01', 'endpoint-02']);
    },
  );
});

function isWithin(from: number, to: number): boolean {
  return secondsSinceStart() >= from && secondsSinceStart() < to;
}

function fail(name: ErrorName): () => never {
  return () => {
    throw new SteprollError(name, `GET failed with ${name}`);
  };
}

/** Answers what the list was that many seconds ago. */
function lagging(seconds: number): (read: () => readonly Endpoint[]) => readonly Endpoint[] {
  const reads: { at: number; endpoints: readonly Endpoint[] }[] = [];
  return (read) => {
    const now = secondsSinceStart();
    reads.push({ at: now, endpoints: read() });
    const known = reads.filter(({ at }) => at <= now - seconds).at(-1) ?? reads[0];
    return known?.endpoints ?? [];
  };
}

test('a list without versions shows no earlier wave converged, so nothing more is rolled on it', async () => {
  const isBlind = () => secondsSinceStart() >= 30 && secondsSinceStart() < 60;
  const run = await runScenario({
    endpoints: 3,
    rollSeconds: 5,
    policy: {
      waves: [{ endpoints: 1 }, { percent: 100 }],
      maxUnavailable: { percent: 100 },
      bakeSeconds: 0,
    },
    broken: [{ endpoint: 'endpoint-02', kind: 'refuse', httpStatus: 409, times: 5 }],
    faults: {
      onList: (read) =>
        isBlind()
          ? read().map((one) => ({ ...one, targetVersion: null, liveVersion: null }))
          : read(),
    },
  });

  expect(run.rolled).toContain('endpoint-02');
  const whileBlind = run.calls
    .filter(isWrite)
    .filter(({ at }) => at >= START + 30_000 && at < START + 60_000);
  expect(whileBlind).toEqual([]);
});
