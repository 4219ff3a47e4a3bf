import { describe, expect } from '@jest/globals';
import type { Endpoint } from '../../lib/domain/endpoint/endpoint.ts';
import { isWrite } from '../../lib/rehearsal/calls.ts';
import { endpointNames } from '../support/endpoint-names.ts';
import {
  RUNTIME,
  type Run,
  runScenario,
  type Script,
  type Stage,
} from '../support/run-scenario.ts';
import { secondsSinceStart } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const UNDO: Script = { input: { version: undefined, revert: 'rollout-1' } };

/** A rollout, and once it has ended, another one that undoes it. */
async function runAndUndo(
  script: Script,
  between: (stage: Stage) => Promise<void> = noted,
  undo = UNDO,
) {
  const undone: Run[] = [];
  const run = await runScenario({
    ...script,
    async beside(stage) {
      while ((await ended(stage)) === false) await stage.until(secondsSinceStart() + 10);
      await between(stage);
      undone.push(await stage.start('rollout-2', { ...script, broken: [], ...undo }));
    },
  });
  return { run, undone: undone[0] as Run, endpoints: [...run.endpoints.values()] };
}

async function ended({ ledger }: Stage): Promise<boolean> {
  const record = await ledger.read('rollout-1').catch(() => null);
  return record !== null && record.outcome !== null;
}

async function noted(stage: Stage): Promise<void> {
  await stage.until(secondsSinceStart() + 300);
}

const live = (endpoints: readonly Endpoint[]) => endpoints.map(({ liveVersion }) => liveVersion);

describe('a rollout that undoes another one', () => {
  test('is not undone itself: that would roll forward with no gate', async () => {
    const again: Run[] = [];
    const script = { input: { version: 9 }, endpoints: [{ name: 'a', version: 3 }] };
    const run = await runScenario({
      ...script,
      async beside(stage) {
        while ((await ended(stage)) === false) await stage.until(secondsSinceStart() + 10);
        await noted(stage);
        await stage.start('rollout-2', { ...script, ...UNDO });
        const undo = { version: undefined, revert: 'rollout-2' };
        again.push(await stage.start('rollout-3', { ...script, input: undo }));
      },
    });
    expect(again[0]?.outcome).toMatchObject({
      outcome: 'Refused',
      reason: 'NothingToRevert',
      message: expect.stringContaining('start a rollout to version 9 instead'),
    });
    expect(live([...run.endpoints.values()])).toEqual([3]);
  });

  test('takes every endpoint back to the version that it had', async () => {
    const { undone, endpoints } = await runAndUndo({
      input: { version: 9 },
      endpoints: [
        { name: 'a', version: 3 },
        { name: 'b', version: 4 },
        { name: 'c', version: 5 },
      ],
    });
    expect(undone.outcome).toMatchObject({
      outcome: 'Succeeded',
      message: expect.stringContaining(
        '3 endpoints rolled to the versions before rollout "rollout-1" in 2 waves.',
      ),
    });
    expect(undone.record?.request.desiredVersion).toBe(3);
    expect(live(endpoints)).toEqual([3, 4, 5]);
  });

  test('waits for no window, asks no gate, and bakes nothing', async () => {
    const FREEZE = { from: '2025-12-31T00:00', to: '2026-01-03T00:00', timeZone: 'UTC' };
    const policy = {
      bakeSeconds: 3600,
      verify: { probe: null, alarms: ['errors'], metrics: [], approval: null },
    };
    const { undone } = await runAndUndo({ policy }, undefined, {
      ...UNDO,
      policy: { ...policy, freezes: [FREEZE] },
      gates: { alarm: async () => ({ verdict: 'fail', detail: 'in alarm' }) },
    });
    expect(undone.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(undone.gates).toEqual([]);
    expect(undone.record?.plan?.waves.map(({ bakeSeconds }) => bakeSeconds)).toEqual([0, 0, 0]);
  });

  test('leaves alone what somebody else has moved since, and what was not rolled', async () => {
    const { undone, run } = await runAndUndo(
      { endpoints: [{ name: 'a' }, { name: 'b' }, { name: 'c', version: 2 }] },
      async (stage) => {
        await noted(stage);
        stage.world.roll(RUNTIME, stage.idOf('b'), 7);
        await noted(stage);
      },
    );
    expect(undone.outcome.message).toContain('1 endpoint rolled to the versions before');
    expect(undone.outcome.message).toContain('1 elsewhere or gone by now');
    expect(run.endpoints.get('a')).toMatchObject({ liveVersion: 1 });
    expect(run.endpoints.get('b')).toMatchObject({ liveVersion: 7 });
    expect(run.endpoints.get('c')).toMatchObject({ liveVersion: 2 });
  });

  test('writes nothing where the rollout has gone back already', async () => {
    const { undone, endpoints } = await runAndUndo({
      policy: { onFailure: 'roll-back' },
      broken: [{ endpoint: 'endpoint-03', kind: 'fail' }],
    });
    expect(undone.outcome).toMatchObject({ outcome: 'Succeeded', reason: 'NothingToDo' });
    expect(undone.calls.filter(isWrite)).toEqual([]);
    expect(new Set(live(endpoints))).toEqual(new Set([1]));
  });

  testWithStops('leaves what was stopped stopped, and takes the rest back', async () => {
    const { run, undone } = await runAndUndo({
      policy: { onFailure: 'stop-old' },
      broken: [{ endpoint: 'endpoint-03', kind: 'stuck' }],
    });
    expect(run.stopped).toEqual(['endpoint-03']);
    expect(undone.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect([...undone.rolled].sort()).toEqual(endpointNames(1, 2));
  });

  test('believes no list from before the rollout: what seems to be back is looked at for a minute', async () => {
    const { undone, endpoints } = await runAndUndo(
      { endpoints: 3, rollSeconds: 1, policy: { bakeSeconds: 0, waves: [{ percent: 100 }] } },
      async () => undefined,
      {
        ...UNDO,
        faults: {
          onList: (read, nth) =>
            nth > 4
              ? read()
              : read().map((one) => ({
                  ...one,
                  liveVersion: 1,
                  targetVersion: 1,
                  status: 'ACTIVE',
                })),
        },
      },
    );
    expect(undone.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(live(endpoints)).toEqual([1, 1, 1]);
  });

  test('holds when an endpoint cannot go back, and rolls nothing forward again', async () => {
    const { undone, run } = await runAndUndo({
      endpoints: 4,
      policy: { onFailure: 'roll-back', waves: [{ percent: 100 }] },
      broken: [{ endpoint: 'endpoint-02', version: 1, kind: 'fail' }],
    });
    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(undone.outcome).toMatchObject({ outcome: 'Failed', cleanup: 'none' });
    expect(undone.rolledBack).toEqual([]);
  });
});
