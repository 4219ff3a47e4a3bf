import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { Signal } from '../../lib/domain/rollout/record.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import type { Run, Stage } from '../support/run-scenario.ts';
import { RUNTIME, runScenario } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { testWithoutStops } from '../support/test-on-services.ts';
import { WHOLE_POLICY } from '../support/whole-policy.ts';

const STUCK = [{ endpoint: 'endpoint-02', kind: 'stuck' }];

describe('an endpoint that the service moves by itself', () => {
  testWithoutStops('is never written to, is part of no wave, and moves', async () => {
    let own: object | undefined;
    const run = await runScenario({
      beside: async ({ world, until }: Stage) => {
        await until(3600);
        own = world.read(RUNTIME).find(({ name }) => name === 'DEFAULT');
      },
    });

    expect(run.outcome).toMatchObject({
      reason: 'Converged',
      message:
        '12 endpoints rolled to version 2 in 3 waves. Left alone: 1 moved by the service itself.',
    });
    const { waves = [], leftOut = [] } = run.record?.plan ?? {};
    expect(waves.map(({ from, to }) => to - from)).toEqual([1, 2, 9]);
    expect(leftOut).toMatchObject([{ name: 'DEFAULT', reason: 'moved-by-service' }]);
    expect(own).toMatchObject({ liveVersion: 2 });
  });

  testWithoutStops('is all that there is: nothing to roll', async () => {
    const run = await runScenario({ endpoints: 0 });

    expect(run.outcome).toMatchObject({
      ...{ outcome: 'Refused', reason: 'EmptyScope' },
      message: 'The runtime has no endpoint to roll: 1 moved by the service itself (DEFAULT).',
    });
  });

  testWithoutStops('says which version the others go to', async () => {
    const endpoints = [{ name: 'web' }, { name: 'DEFAULT', version: 2 }];
    const input = { version: undefined, versionFrom: { endpoint: 'DEFAULT' } };
    const run = await runScenario({ endpoints, input });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    expect(run.rolled).toEqual(['web']);
  });
});

describe('a service that cannot stop', () => {
  testWithoutStops.each([
    ['roll-back', 'rolledBack', 1],
    ['hold', 'none', 2],
  ] as const)('a stuck endpoint, and %s: nothing is stopped', async (onFailure, cleanup, live) => {
    const run = await runScenario({ broken: STUCK, policy: { onFailure } });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled', cleanup });
    expect(run.endpoints.get('endpoint-01')).toMatchObject({ liveVersion: live });
    expect(run.calls.filter(({ operation }) => operation === 'stop')).toEqual([]);
  });

  testWithoutStops('a policy that stops is refused before anything is rolled', async () => {
    const run = await runScenario({ policy: { onFailure: 'stop-old' } });

    expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'StopUnsupported' });
    expect(run.outcome.message).toContain('onFailure: "stop-old"');
    expect(run.calls.filter(isWrite)).toEqual([]);
    expect(run.calls.some(({ operation }) => operation === 'list')).toBe(false);
  });

  const STOP_ALL: Omit<Signal, 'at'> = {
    kind: 'abort',
    wave: null,
    onFailure: 'stop-old',
    by: 'ann',
    reason: 'errors',
  };

  const expectKept = (run: Run, kept: readonly string[]) => {
    expect(run.outcome.cleanup).toBe('kept');
    expect(run.outcome.message).toContain(
      `Not stopped (its service cannot stop any): ${kept.join(', ')}.`,
    );
    const lines = run.record?.journal.filter(({ operation }) => operation === 'stop') ?? [];
    expect(lines).toEqual(
      kept.map(() => expect.objectContaining({ result: 'kept', reason: 'cannot-stop' })),
    );
    const failing = run.told.find(({ kind }) => kind === 'failing');
    expect(failing?.message).toMatch(
      /Everything stays as it is, because its service cannot stop any endpoint\.$/,
    );
    expect(run.calls.filter(({ operation }) => operation === 'stop')).toEqual([]);
  };

  testWithoutStops('an abort that asks for stops: every old endpoint is kept', async () => {
    const run = await runScenario({
      broken: STUCK,
      beside: async (stage) => {
        await stage.untilSent('roll', 2);
        await stage.ledger.signal('rollout-1', { ...STOP_ALL, at: scenarioNow() });
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Aborted' });
    expectKept(run, run.rolled.slice(1));
  });

  testWithoutStops('a rejection that asks for stops: the same', async () => {
    const approval = { timeoutSeconds: 3600, onTimeout: 'approve' } as const;
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-02', kind: 'fail' }],
      policy: {
        waves: [{ percent: 50 }, { percent: 100 }],
        failureThreshold: { endpoints: 1 },
        verify: { ...WHOLE_POLICY.verify, approval },
      },
      beside: async (stage) => {
        await stage.until(1800);
        const said = { ...STOP_ALL, kind: 'reject', wave: 0, at: scenarioNow() } as const;
        await stage.ledger.signal('rollout-1', said);
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Rejected' });
    expectKept(run, ['endpoint-02']);
  });
});

describe('a service with a highest version', () => {
  testWithoutStops.each([
    [99_999, 'Succeeded', 'Converged'],
    [100_000, 'Refused', 'InvalidInput'],
  ])('%i: %s (%s)', async (version, outcome, reason) => {
    const run = await runScenario({ input: { version }, policy: { maxVersionStep: 1_000_000 } });

    expect(run.outcome).toMatchObject({ outcome, reason });
    expect(run.calls.some(isWrite)).toBe(outcome === 'Succeeded');
  });
});

describe('H11: a roll without an answer, at a service that carries it out only once', () => {
  const noAnswer = new SteprollError(ErrorName.OutcomeUnknown, 'reset');
  const rollsOf = (run: Run, endpointId: string | undefined) =>
    run.calls.filter(isWrite).filter((call) => call.endpointId === endpointId);

  testWithoutStops.each([1, 5])('lost %i times: sent again at the next look', async (times) => {
    const run = await runScenario({
      policy: { bakeSeconds: 0 },
      faults: {
        onRoll: (carryOut, { nth }) => {
          if (nth <= times) throw noAnswer;
          return carryOut();
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    const rolls = rollsOf(run, run.endpoints.get('endpoint-01')?.id);
    expect(rolls).toHaveLength(times + 1);
    expect(new Set(rolls.map(({ token }) => token)).size).toBe(1);
    const gaps = rolls.slice(1).map(({ at }, index) => (at - (rolls[index]?.at ?? 0)) / 1000);
    expect(Math.max(...gaps)).toBeLessThan(10);
  });

  testWithoutStops('carried out, and it shows: not sent again', async () => {
    const run = await runScenario({
      faults: {
        onRoll: (carryOut) => {
          carryOut();
          throw noAnswer;
        },
      },
    });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
    expect(run.rolled).toHaveLength(12);
  });

  testWithoutStops(
    'never carried out: the deadline decides, and no try is a second roll',
    async () => {
      const run = await runScenario({
        faults: {
          onRoll: () => {
            throw noAnswer;
          },
        },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Failed', reason: 'Stalled' });
      const forward = rollsOf(run, run.endpoints.get('endpoint-01')?.id).filter(
        ({ version }) => version === 2,
      );
      expect(forward.length).toBeGreaterThan(10);
      expect(new Set(forward.map(({ token }) => token)).size).toBe(1);
    },
  );

  testWithoutStops(
    'accepted, and lost all the same: made once more, with another token',
    async () => {
      const run = await runScenario({
        faults: { onRoll: (carryOut, { nth }) => (nth === 1 ? null : carryOut()) },
      });

      expect(run.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'Converged' });
      const rolls = rollsOf(run, run.endpoints.get('endpoint-01')?.id);
      expect(new Set(rolls.map(({ token }) => token)).size).toBe(2);
      expect(rolls).toHaveLength(2);
    },
  );
});
