import { describe, expect } from '@jest/globals';
import { endpointNames } from '../support/endpoint-names.ts';
import { type Run, runScenario } from '../support/run-scenario.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const SUCCESS = { outcome: 'Succeeded', reason: 'Converged', cleanup: 'none' };

describe('a rollout that succeeds', () => {
  testWithStops(
    'rolls 12 endpoints in waves of 1, 25% and 100%, each once, with a bake after each',
    async () => {
      const run = await runScenario();

      expect(run.outcome).toEqual({
        ...SUCCESS,
        rollMs: 20_000,
        message: '12 endpoints rolled to version 2 in 3 waves.',
      });
      expect(run.rolled).toEqual(endpointNames(1, 12));
      expect(run.stopped).toEqual([]);
      expect(run.record?.plan?.waves).toEqual([
        { from: 0, to: 1, bakeSeconds: 300 },
        { from: 1, to: 3, bakeSeconds: 300 },
        { from: 3, to: 12, bakeSeconds: 300 },
      ]);
      // Five looks a minute apart, three times.
      expect(run.states.filter((state) => state === 'Bake')).toHaveLength(15);
      for (const endpoint of run.endpoints.values()) {
        expect(endpoint).toMatchObject({ targetVersion: 2, liveVersion: 2, status: 'ACTIVE' });
      }
    },
  );

  test('E02: all at the version already: nothing is written', async () => {
    const run = await runScenario({ endpoints: atVersion(2, 3) });

    expect(run.outcome).toMatchObject({
      outcome: 'Succeeded',
      reason: 'NothingToDo',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual([]);
    expect(run.states).toEqual([
      'Open rollout',
      'What now?',
      'Close rollout',
      'Did it succeed?',
      'Rollout succeeded',
    ]);
  });

  test('E02: the same release again writes nothing', async () => {
    let again: Run | undefined;
    await runScenario({
      beside: async (stage) => {
        await stage.until(3600);
        again = await stage.start('rollout-2');
      },
    });

    expect(again?.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
    expect(again?.rolled).toEqual([]);
  });

  testWithStops(
    'leaves stopped endpoints and those at the version alone, and says so',
    async () => {
      const run = await runScenario({
        endpoints: [...atVersion(1, 4), { name: 'there', version: 2 }],
        faults: {
          onList: (read) => read().map((one) => (one.name === 'web-2' ? stopped(one) : one)),
        },
      });

      expect(run.outcome).toEqual({
        ...SUCCESS,
        rollMs: 20_000,
        message:
          '3 endpoints rolled to version 2 in 2 waves. Left alone: 1 at the version already, 1 stopped already (web-2).',
      });
      expect(run.rolled).toEqual(['web-1', 'web-3', 'web-4']);
    },
  );

  test('waits for slow endpoints as long as the wave makes progress', async () => {
    const run = await runScenario({
      rollSeconds: 500,
      policy: { progressDeadlineSeconds: 600, maxUnavailable: { endpoints: 2 } },
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.seconds).toBeGreaterThan(3000);
  });

  test('an endpoint that takes nearly the whole deadline succeeds', async () => {
    const run = await runScenario({
      broken: [{ endpoint: 'endpoint-05', kind: 'slow', rollSeconds: 595 }],
    });

    expect(run.outcome).toMatchObject(SUCCESS);
    expect(run.stopped).toEqual([]);
  });

  test('success and deadline in the same poll: proven success wins (X09)', async () => {
    const run = await runScenario({
      endpoints: 1,
      policy: { maxPollSeconds: 5 },
      // Seen on its way at 5 s, live at 600 s and again at 605 s, which is the deadline.
      broken: [{ endpoint: 'endpoint-01', kind: 'slow', rollSeconds: 600 }],
    });

    expect(run.outcome).toMatchObject(SUCCESS);
  });

  test.each([
    [{ endpoints: 1 }, 1],
    [{ endpoints: 2 }, 2],
    [{ percent: 33 }, 3],
    [{ percent: 100 }, 9],
  ])('at most %j are in mid-roll at once', async (maxUnavailable, most) => {
    const run = await runScenario({ policy: { maxUnavailable } });

    expect(run.outcome).toMatchObject(SUCCESS);
    const times = run.calls.filter(({ operation }) => operation === 'roll').map(({ at }) => at);
    const together = Math.max(...times.map((time) => times.filter((at) => at === time).length));
    expect(together).toBe(most);
  });
});

describe('a rollout with nothing to select from', () => {
  testWithStops('H06: a runtime without endpoints is an empty scope, not a success', async () => {
    const run = await runScenario({ endpoints: 0 });

    expect(run.outcome).toEqual({
      outcome: 'Refused',
      reason: 'EmptyScope',
      cleanup: 'none',
      message: `The runtime has no endpoints. To create one: "steproll agent runtime endpoint create shop --name NAME".`,
    });
    expect(run.rolled).toEqual([]);
  });

  test('a runtime whose endpoints are all stopped is an empty scope', async () => {
    const run = await runScenario({ faults: { onList: (read) => read().map(stopped) } });

    expect(run.outcome).toMatchObject({
      outcome: 'Refused',
      reason: 'EmptyScope',
      cleanup: 'none',
    });
    expect(run.rolled).toEqual([]);
  });
});

function atVersion(version: number, count: number): object[] {
  return Array.from({ length: count }, (_, index) => ({ name: `web-${index + 1}`, version }));
}

function stopped<T extends object>(endpoint: T): T & { status: string } {
  return { ...endpoint, status: 'stopping' };
}
