import { describe, expect } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { EventBus } from '../../lib/ports/event-bus.ts';
import { type Run, runScenario, type Script } from '../support/run-scenario.ts';
import { scenarioNow } from '../support/scenario-time.ts';
import { test, testWithStops } from '../support/test-on-services.ts';

const kindsOf = ({ told }: Run) =>
  told.map((event) => ('wave' in event ? `${event.kind} ${event.wave}` : event.kind));

/** A bus that takes nothing from one second to another. */
function downBetween(from: number, to: number): NonNullable<Script['events']> {
  const start = Date.parse('2026-01-01T00:00:00Z');
  return (bus: EventBus) => ({
    async publish(event) {
      const seconds = (scenarioNow() - start) / 1000;
      if (seconds >= from && seconds < to) {
        throw new SteprollError(ErrorName.EventsUnavailable, 'The bus is down.');
      }
      await bus.publish(event);
    },
  });
}

describe('what is told of a rollout', () => {
  testWithStops('one that succeeds: its start, each wave and its end', async () => {
    const run = await runScenario({ endpoints: 4 });

    expect(kindsOf(run)).toEqual([
      'started',
      'wave-started 1',
      'wave-converged 1',
      'wave-started 2',
      'wave-converged 2',
      'ended',
    ]);
    expect(run.told[0]).toMatchObject({ endpoints: 4, waves: 2, leftOut: 0 });
    expect(run.told.at(-1)).toMatchObject({
      outcome: 'Succeeded',
      counts: { planned: 4, rolled: 4, rolledBack: 0, stopped: 0, kept: 0 },
      message: 'shop: Succeeded. 4 endpoints rolled to version 2 in 2 waves.',
    });
    expect(run.record?.unsent).toEqual([]);
  });

  test('one that fails: that it fails, what is done about it, and its end', async () => {
    const run = await runScenario({
      endpoints: 4,
      broken: [{ endpoint: 'endpoint-03', kind: 'fail' }],
      policy: { onFailure: 'roll-back' },
    });

    expect(kindsOf(run)).toEqual([
      'started',
      'wave-started 1',
      'wave-converged 1',
      'wave-started 2',
      'failing',
      'wave-started 1',
      'ended',
    ]);
    const back = run.told.filter((event) => 'direction' in event && event.direction === 'back');
    expect(back).toHaveLength(1);
    expect(run.told.at(-1)).toMatchObject({ outcome: 'Failed', cleanup: 'rolledBack' });
  });

  test('one that has nothing to do: its start and its end', async () => {
    const run = await runScenario({ input: { version: 1 }, endpoints: 2 });

    expect(kindsOf(run)).toEqual(['started', 'ended']);
  });

  test('one that waits for approval: once, however often it looks', async () => {
    const approval = { timeoutSeconds: 3600, onTimeout: 'approve' } as const;
    const run = await runScenario({
      endpoints: 4,
      policy: { verify: { probe: null, alarms: [], metrics: [], approval } },
    });

    expect(kindsOf(run).filter((kind) => kind.startsWith('approval'))).toEqual([
      'approval-wanted 1',
    ]);
  });

  test('E01: one that never got the lease: its end, and nothing else', async () => {
    const run = await runScenario({
      beside: async (stage) => {
        await stage.until(30);
        const other = await stage.start('rollout-2', { input: { version: 3 } });
        expect(other.told).toMatchObject([{ kind: 'ended', reason: 'LeaseHeld' }]);
      },
    });

    expect(kindsOf(run).filter((kind) => kind === 'ended')).toHaveLength(1);
  });
});

describe('A14: a bus that takes nothing', () => {
  test('for a while: everything is told afterwards, in its order, and the rollout goes on', async () => {
    const run = await runScenario({ endpoints: 4, events: downBetween(0, 200) });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(kindsOf(run)).toEqual([
      'started',
      'wave-started 1',
      'wave-converged 1',
      'wave-started 2',
      'wave-converged 2',
      'ended',
    ]);
  });

  test('to the end: what was not told is in the ledger, under the same ids', async () => {
    const run = await runScenario({ endpoints: 2, events: downBetween(0, 1e9) });

    expect(run.outcome).toMatchObject({ outcome: 'Succeeded' });
    expect(run.told).toEqual([]);
    expect(run.record?.unsent).toEqual([
      'rollout-1/0-started',
      'rollout-1/1-001-0-wave-started',
      'rollout-1/1-001-1-wave-converged',
      'rollout-1/1-002-0-wave-started',
      'rollout-1/1-002-1-wave-converged',
      'rollout-1/9-ended',
    ]);
  });
});
