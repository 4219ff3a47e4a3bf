import { describe, expect } from '@jest/globals';
import { RUNTIME, runScenario, type Script, type Stage } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test } from '../support/test-on-services.ts';

const FLEET: Script = {
  endpoints: 3,
  rollSeconds: 120,
  policy: { pollSeconds: 10, progressDeadlineSeconds: 600 },
};

/** Another stack, whose ledger nobody here can read, rolls the first endpoint. */
const byAnother = (stage: Stage, version: number) =>
  stage.service().roll(RUNTIME, stage.idOf('endpoint-01'), version);

/** The rollout of the script is over before, at a version that all are on already. */
const NOTHING: Script = { ...FLEET, input: { version: 1 } };

const startLate = async (stage: Stage, input: Script['input'], version = 3) => {
  await stage.until(5);
  await byAnother(stage, version);
  await stage.until(8);
  return stage.start('rollout-2', { ...FLEET, input: { version: 4, ...input } });
};

describe('an endpoint that somebody else is rolling to another version', () => {
  test('keeps a rollout from beginning, which names it and where it goes', async () => {
    await runScenario({
      ...NOTHING,
      beside: async (stage) => {
        const run = await startLate(stage, {});
        expect(run.outcome).toMatchObject({ outcome: 'Refused', reason: 'InOtherHands' });
        expect(run.outcome.message).toContain('endpoint-01 to version 3');
        expect(run.rolled).toEqual([]);
      },
    });
  });

  test('also when a trigger asks', async () => {
    await runScenario({
      ...NOTHING,
      beside: async (stage) => {
        const startedBy = { kind: 'release', name: 'build-7', at: scenarioNow() } as const;
        const run = await startLate(stage, { startedBy });
        expect(run.outcome).toMatchObject({ reason: 'InOtherHands' });
      },
    });
  });

  test('is taken over by a person who says so', async () => {
    await runScenario({
      ...NOTHING,
      beside: async (stage) => {
        const run = await startLate(stage, { takeOver: true });
        expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
        expect(run.rolled).toContain('endpoint-01');
      },
    });
  });

  test('keeps nobody from the version that it goes to', async () => {
    await runScenario({
      ...NOTHING,
      beside: async (stage) => {
        const run = await startLate(stage, {}, 4);
        expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
      },
    });
  });
});

test('what an earlier rollout of this ledger has left in mid-roll is no reason', async () => {
  await runScenario({
    ...FLEET,
    rollSeconds: 5,
    broken: [{ endpoint: 'endpoint-01', kind: 'stuck' }],
    policy: { ...FLEET.policy, progressDeadlineSeconds: 60, onFailure: 'hold' },
    beside: async (stage) => {
      await stage.until(1_200);
      const run = await stage.start('rollout-2', { ...FLEET, input: { version: 3 } });
      expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    },
  });
});
