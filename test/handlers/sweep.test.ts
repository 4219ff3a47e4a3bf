import { describe, expect, test } from '@jest/globals';
import type { Execution } from '../../lib/domain/ending/execution.ts';
import { startedEvent } from '../../lib/domain/events/events.ts';
import type { RolloutEvent } from '../../lib/domain/rollout/event.ts';
import { LEASE_TOLERANCE_MS } from '../../lib/domain/rollout/lease.ts';
import { acceptedAt } from '../../lib/domain/rollout/opening.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import { type JanitorContext, sweep } from '../../lib/handlers/janitor.ts';
import type { HeldLease, Ledger } from '../../lib/ports/ledger.ts';
import { executionNameOf } from '../../lib/steps/io/names.ts';
import { planOf, recordOf } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from '../steps/stage.ts';
import { MACHINE_ARN } from '../support/status-change.ts';

const UNTIL = NOW + 300_000;

test('A09: the rollouts of dead executions are closed, those of running ones go on', async () => {
  await onStage({}, async (stage) => {
    const { ledger } = stage.ports;
    await openAll(ledger, ['stopped', 'timed-out', 'failed', 'just-started']);
    const { context, asked, reports } = sweepOf(stage, {
      'rollout-1': { status: 'RUNNING' },
      stopped: { status: 'ABORTED' },
      'timed-out': { status: 'TIMED_OUT' },
      failed: { status: 'FAILED', error: 'States.Runtime' },
    });

    expect(await sweep(context)).toMatchObject({ held: 5, closed: 3 });

    const dead = ['failed', 'stopped', 'timed-out'];
    const next = dead.map((rolloutId) => executionNameOf(rolloutId, 2));
    const asks = [...dead, ...next, 'just-started', 'rollout-1'];
    expect(asked.toSorted()).toEqual(asks.toSorted());
    expect(reports.toSorted()).toEqual([
      'failed ExecutionFailed',
      'stopped ExecutionAborted',
      'timed-out TimedOut',
    ]);
    expect(await holders(ledger)).toEqual(['just-started', 'rollout-1']);
    expect(stage.writes).toEqual([]);
    expect(await sweep(context)).toMatchObject({ held: 2, closed: 0 });
  });
});

test('a lease that ran out and whose execution does not exist is closed, and not a moment before', async () => {
  await onStage({}, async (stage) => {
    const { context, reports } = sweepOf(stage, {});
    stage.now = UNTIL + LEASE_TOLERANCE_MS - 1;
    expect(await sweep(context)).toMatchObject({ held: 1, closed: 0 });

    stage.now += 1;
    expect(await sweep(context)).toMatchObject({ held: 1, closed: 1 });

    expect(reports).toEqual(['rollout-1 ExecutionNotFound']);
  });
});

test('A09: of those that have not begun, the ones whose executions are dead are closed, and told', async () => {
  await onStage({}, async (stage) => {
    const { ledger } = stage.ports;
    const { request } = recordOf();
    const ids = ['waits', 'killed-while-waiting', 'never-started'];
    for (const rolloutId of ids) {
      await ledger.enlist({ ...request, rolloutId, policy: null }, acceptedAt(NOW), NOW);
    }
    const { context, reports } = sweepOf(stage, {
      'rollout-1': { status: 'RUNNING' },
      waits: { status: 'RUNNING' },
      'killed-while-waiting': { status: 'ABORTED' },
    });

    expect(await sweep(context)).toMatchObject({ waiting: 3, closed: 1 });
    expect(reports).toEqual(['killed-while-waiting ExecutionAborted']);
    // Who sent its trigger may start it again for ten minutes, because the answer may have got lost.
    stage.now = NOW + 10 * 60_000;
    await ledger.renew(stage.lease, stage.now);
    expect(await sweep(context)).toMatchObject({ waiting: 2, closed: 0 });
    stage.now = NOW + 15 * 60_000;
    await ledger.renew(stage.lease, stage.now);
    expect(await sweep(context)).toMatchObject({ waiting: 2, closed: 1 });

    expect((await ledger.read('never-started')).outcome).toEqual({
      ...{ outcome: 'Errored', reason: 'ExecutionNotFound', cleanup: 'none' },
      message: 'There is no such execution. Nothing was rolled.',
    });
    expect(stage.told).toMatchObject([
      { kind: 'ended', rolloutId: 'killed-while-waiting' },
      { kind: 'ended', rolloutId: 'never-started' },
    ]);
    expect((await ledger.read('waits')).outcome).toBeNull();
  });
});

test('A09: one that the index has not seen begin is left to its executions', async () => {
  await onStage({}, async (stage) => {
    const listWaiting = async () => ['rollout-1'];
    const { context } = sweepOf(stage, { 'rollout-1': { status: 'SUCCEEDED' } });
    const listHeld = async () => [];

    await sweep({ ...context, ledger: { ...context.ledger, listWaiting, listHeld } });

    expect((await stage.read()).outcome).toBeNull();
  });
});

test('A10: two sweeps at once leave one outcome', async () => {
  await onStage({}, async (stage) => {
    const { context } = sweepOf(stage, { 'rollout-1': { status: 'ABORTED' } });

    await Promise.all([sweep(context), sweep(context)]);

    expect((await stage.read()).outcome).toMatchObject({ reason: 'ExecutionAborted' });
    expect(new Set(stage.told.map(({ eventId }) => eventId))).toEqual(
      new Set(['rollout-1/9-ended']),
    );
    expect(await holders(stage.ports.ledger)).toEqual([]);
  });
});

test('A13: a lease that could not be given back when the rollout was closed is given back', async () => {
  await onStage({}, async (stage) => {
    const { ledger } = stage.ports;
    const [held] = await ledger.listHeld();
    const outcome = { outcome: 'Failed', cleanup: 'none', reason: 'x', message: 'y' } as const;
    await ledger.close('rollout-1', outcome, NOW);
    // The index still shows it, or the process died between the outcome and the lease.
    const closes: unknown[] = [];
    const listHeld = async () => [held as HeldLease];
    const close: Ledger['close'] = (...args) => {
      closes.push(args);
      return ledger.close(...args);
    };
    const { context, reports } = sweepOf(stage, { 'rollout-1': { status: 'FAILED' } });

    const summary = await sweep({ ...context, ledger: { ...ledger, listHeld, close } });

    expect(summary).toMatchObject({ held: 1, closed: 0 });
    expect(closes).toEqual([['rollout-1', outcome, NOW, []]]);
    expect(reports).toEqual([]);
  });
});

test('a lease that cannot be looked at does not keep the others from theirs, and the error is thrown', async () => {
  await onStage({}, async (stage) => {
    const { ledger } = stage.ports;
    await openAll(ledger, ['a', 'b']);
    const { context } = sweepOf(stage, {
      'rollout-1': { status: 'ABORTED' },
      b: { status: 'ABORTED' },
    });
    const error = Object.assign(new Error('Rate exceeded'), { name: 'ThrottlingException' });
    const describeExecution: JanitorContext['describeExecution'] = async (rolloutId) => {
      if (rolloutId === 'a') throw error;
      return context.describeExecution(rolloutId);
    };

    await expect(sweep({ ...context, describeExecution })).rejects.toBe(error);

    expect(await holders(ledger)).toEqual(['a']);
  });
});

test('A14: what the bus did not take goes out a minute later, in order, of rollouts under way and ended', async () => {
  await onStage({}, async (stage) => {
    const { context } = sweepOf(stage, { 'rollout-1': { status: 'RUNNING' } });
    const running = await leaveUntold(stage, 'running');
    await leaveUntold(stage, 'ended');
    await stage.ports.ledger.close('ended', OVER, NOW);
    stage.now = NOW + 59_999;
    expect(await sweep({ ...context, describeExecution: isRunning })).toMatchObject({ untold: 2 });
    expect(stage.told).toEqual([]);

    stage.now += 2;
    expect(await sweep({ ...context, describeExecution: isRunning })).toMatchObject({ untold: 2 });

    expect(stage.told.map(({ eventId }) => eventId).toSorted()).toEqual([
      'ended/0-started',
      'ended/9-ended',
      running.eventId,
    ]);
    expect(stage.told.findIndex(({ eventId }) => eventId === 'ended/9-ended')).toBeGreaterThan(
      stage.told.findIndex(({ eventId }) => eventId === 'ended/0-started'),
    );
    expect(await sweep({ ...context, describeExecution: isRunning })).toMatchObject({ untold: 0 });
    expect(stage.told).toHaveLength(3);
  });
});

test('A14: EventsUnavailable: a bus that still takes nothing is named with its reason, after all had their turn', async () => {
  await onStage({}, async (stage) => {
    const { context } = sweepOf(stage, { 'rollout-1': { status: 'ABORTED' } });
    await leaveUntold(stage, 'other');
    stage.isBusDown = true;
    stage.now = NOW + 60_001;

    await expect(sweep({ ...context, describeExecution: isRunning })).rejects.toMatchObject({
      name: 'EventsUnavailable',
      message: 'What happened to rollout "other" could not be told: Down.',
      cause: { message: 'Down.' },
    });
    await expect(sweep(context)).rejects.toMatchObject({ name: 'EventsUnavailable' });

    expect((await stage.read()).outcome).toMatchObject({ reason: 'ExecutionAborted' });
    expect((await stage.read()).unsent).toEqual(['rollout-1/9-ended']);
  });
});

describe('holds', () => {
  const HOUR = 3_600_000;
  const lease = { status: 'RUNNING' } as const;
  const add = ({ ports }: Stage, id: string, until: number) => {
    const said = { kind: 'freeze', scope: {}, by: 'ann', reason: 'patching' };
    const at = ports.clock.now();
    return ports.ledger.addHold({ id, ...said, at, until }, at);
  };

  test('are told by the sweep, each of their events once and in order', async () => {
    await onStage({}, async (stage) => {
      const { context } = sweepOf(stage, { 'rollout-1': lease });
      await add(stage, 'a', NOW + HOUR);
      await add(stage, 'b', NOW + HOUR);
      const lifted = { by: 'bob', reason: 'done', at: NOW + 1 };
      await stage.ports.ledger.liftHold({ id: 'a', scope: {} }, lifted);

      expect(await sweep(context)).toMatchObject({ untoldHolds: 2 });
      expect(stage.toldOfHolds.map(({ eventId }) => eventId)).toEqual([
        'hold/a/freeze/1-hold-added',
        'hold/a/freeze/4-hold-lifted',
        'hold/b/freeze/1-hold-added',
      ]);
      expect(await sweep(context)).toMatchObject({ untoldHolds: 0 });
      expect(stage.toldOfHolds).toHaveLength(3);
    });
  });

  test('that nobody has added are told too, and one that a failure prolongs is not told as lifted', async () => {
    await onStage({}, async (stage) => {
      const { ledger } = stage.ports;
      const bad = { ...OVER, failure: 'bad', cleanup: 'rolledBack' } as const;
      await ledger.close('rollout-1', bad, NOW);
      const again = { again: true, startedBy: { kind: 'person', name: 'ada', at: NOW } } as const;
      const request = { ...recordOf().request, ...again, rolloutId: 'rollout-2' };
      await ledger.open(request, NOW + 1, UNTIL);
      await ledger.close('rollout-2', bad, NOW + 1);

      await sweep(sweepOf(stage, {}).context);

      expect(stage.toldOfHolds).toMatchObject([
        { kind: 'hold-added', hold: { after: 'rollout-1', scope: { version: 3 } } },
        { kind: 'hold-added', hold: { after: 'rollout-2' } },
      ]);
    });
  });

  test('that the bus does not take are told by a later one, and close dead rollouts all the same', async () => {
    await onStage({}, async (stage) => {
      const { context } = sweepOf(stage, { 'rollout-1': { status: 'ABORTED' } });
      await add(stage, 'a', NOW + HOUR);
      stage.isBusDown = true;
      await expect(sweep(context)).rejects.toMatchObject({ name: 'EventsUnavailable' });
      expect((await stage.read()).outcome).toMatchObject({ reason: 'ExecutionAborted' });
      // It is over by then, and another one has come.
      stage.now = NOW + 2 * HOUR;
      await add(stage, 'b', NOW + 3 * HOUR);
      stage.isBusDown = false;
      await sweep(context);
      expect(stage.toldOfHolds.map(({ hold }) => hold.id)).toEqual(['a', 'b']);
    });
  });

  test('of more than two hours remind their owner an hour before their end, once', async () => {
    await onStage({}, async (stage) => {
      const { context } = sweepOf(stage, { 'rollout-1': lease });
      await add(stage, 'short', NOW + 2 * HOUR);
      await add(stage, 'long', NOW + 2 * HOUR + 1);
      const ending = () => stage.toldOfHolds.filter(({ kind }) => kind === 'hold-ending');
      stage.now = NOW + HOUR;
      await sweep(context);
      expect(ending()).toEqual([]);
      stage.now += 1;
      await sweep(context);
      await sweep(context);
      expect(ending()).toMatchObject([{ hold: { id: 'long' } }]);
      expect(ending()[0]?.message).toContain('ann');
    });
  });
});

const OVER: Outcome = { outcome: 'Failed', cleanup: 'none', reason: 'x', message: 'y' };

const isRunning: JanitorContext['describeExecution'] = async () => ({ status: 'RUNNING' });

/** Records the start of a rollout of this name, of a runtime of the same name, and does not send it. */
async function leaveUntold({ ports }: Stage, name: string): Promise<RolloutEvent> {
  const request = { ...recordOf().request, rolloutId: name, runtimeId: name };
  const event = startedEvent(request, planOf([1]), NOW);
  await ports.ledger.recordEvent(await ports.ledger.open(request, NOW, UNTIL), event);
  return event;
}

/** A sweep of a Step Functions that knows these executions alone. */
function sweepOf({ ports }: Stage, executions: Readonly<Record<string, Execution>>) {
  const asked: string[] = [];
  const reports: string[] = [];
  const context: JanitorContext = {
    ledger: ports.ledger,
    events: ports.events,
    clock: ports.clock,
    stateMachineArn: MACHINE_ARN,
    report: ({ rolloutId }, { reason }) => {
      reports.push(`${rolloutId} ${reason}`);
    },
    describeExecution: async (rolloutId) => {
      asked.push(rolloutId);
      return executions[rolloutId] ?? { status: 'NOT_FOUND' };
    },
  };
  return { context, asked, reports };
}

/** Opens a rollout of this name for a runtime of the same name. */
async function openAll(ledger: Ledger, names: readonly string[]): Promise<void> {
  for (const name of names) {
    await ledger.open({ ...recordOf().request, rolloutId: name, runtimeId: name }, NOW, UNTIL);
  }
}

async function holders(ledger: Ledger): Promise<string[]> {
  return (await ledger.listHeld()).map(({ rolloutId }) => rolloutId).toSorted();
}
