import { expect, test } from '@jest/globals';
import type { DeadExecution } from '../../lib/domain/ending/execution.ts';
import { startedEvent } from '../../lib/domain/events/events.ts';
import type { Outcome } from '../../lib/domain/rollout/outcome.ts';
import {
  closeAbandoned,
  handleStatusChange,
  type JanitorContext,
} from '../../lib/handlers/janitor.ts';
import { closeRollout } from '../../lib/steps/close-rollout.ts';
import { planOf, progressOf, recordOf, seen } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from '../steps/stage.ts';
import { MACHINE_ARN, statusChange } from '../support/status-change.ts';

const { ids: _ids, ...plan } = planOf([2]);
const GIVEN = { plan, progress: progressOf(0, [seen('converged', 2)]) };
const ID = recordOf().request.rolloutId;
const ABORTED: DeadExecution = { status: 'ABORTED' };

test.each([
  ['A05', { status: 'FAILED', error: 'States.Runtime' }, 'Errored', 'ExecutionFailed'],
  ['A06: the history is full', { status: 'FAILED' }, 'Errored', 'ExecutionFailed'],
  ['A07', { status: 'TIMED_OUT' }, 'Errored', 'TimedOut'],
  ['A08', { status: 'ABORTED' }, 'Aborted', 'ExecutionAborted'],
])(
  '%s: the event of %j closes the rollout, frees its runtime and writes to no endpoint',
  async (_, detail, outcome, reason) => {
    await onStage(GIVEN, async (stage) => {
      const { context, reports } = janitorOf(stage);

      await handleStatusChange(statusChange(detail), context);

      expect((await stage.read()).outcome).toMatchObject({ outcome, reason });
      expect(reports).toEqual([`${ID} ${reason}`]);
      expect(stage.told).toMatchObject([{ kind: 'ended', outcome, reason, at: NOW }]);
      expect((await stage.read()).unsent).toEqual([]);
      expect(stage.writes).toEqual([]);
      await expectFree(stage);
    });
  },
);

test('E07: the event of another state machine touches nothing', async () => {
  await onStage(GIVEN, async (stage) => {
    const { context, reports } = janitorOf(stage);
    const event = statusChange({ stateMachineArn: `${MACHINE_ARN}-2` });

    await expect(handleStatusChange(event, context)).rejects.toMatchObject({
      name: 'InvalidInput',
    });

    expect((await stage.read()).outcome).toBeNull();
    expect(reports).toEqual([]);
  });
});

test('A10: twice at once: one outcome, and whoever comes later finds it', async () => {
  await onStage(GIVEN, async (stage) => {
    const { context, reports } = janitorOf(stage);
    await Promise.all([
      closeAbandoned(ID, ABORTED, context),
      closeAbandoned(ID, { status: 'FAILED' }, context),
    ]);
    const { outcome, endedAt } = await stage.read();
    stage.now += 1;
    const before = reports.length;

    expect(await closeAbandoned(ID, { status: 'TIMED_OUT' }, context)).toBe(false);

    expect(await stage.read()).toMatchObject({ outcome, endedAt });
    expect(new Set(reports).size).toBe(1);
    expect(reports).toHaveLength(before);
    // Both may have sent it, under the one id.
    expect(new Set(stage.told.map(({ eventId }) => eventId))).toEqual(new Set([`${ID}/9-ended`]));
    expect(stage.told.length).toBeLessThanOrEqual(2);
  });
});

test('A10: one after the other: one terminal event, that of the stored outcome', async () => {
  await onStage(GIVEN, async (stage) => {
    const { context } = janitorOf(stage);
    await closeAbandoned(ID, ABORTED, context);
    await closeAbandoned(ID, { status: 'FAILED' }, context);

    expect(stage.told).toMatchObject([{ kind: 'ended', reason: 'ExecutionAborted' }]);
  });
});

test('A14: what a dead rollout left untold comes before its end, and without a bus all of it stays', async () => {
  await onStage(GIVEN, async (stage) => {
    const { context } = janitorOf(stage);
    const started = startedEvent(recordOf().request, plan, NOW);
    await stage.ports.ledger.recordEvent(stage.lease, started);
    stage.isBusDown = true;
    expect(await closeAbandoned(ID, ABORTED, context)).toBe(true);
    expect((await stage.read()).unsent).toEqual([started.eventId, `${ID}/9-ended`]);
    stage.isBusDown = false;

    await closeAbandoned(ID, ABORTED, context);

    expect(stage.told).toMatchObject([started, { kind: 'ended' }]);
  });
});

test('X09: a rollout that closed itself keeps its outcome, and nothing is reported', async () => {
  await onStage(GIVEN, async (stage) => {
    const { context, reports } = janitorOf(stage);
    const ending = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
    const outcome = await closeRollout({ rolloutId: ID, state: { ending } }, stage.ports);

    expect(await closeAbandoned(ID, { status: 'FAILED' }, context)).toBe(false);

    expect((await stage.read()).outcome).toEqual(outcome);
    expect(reports).toEqual([]);
    expect(stage.told).toMatchObject([{ kind: 'ended', reason: 'Stalled' }]);
  });
});

test('X09: an abort that is accepted while the janitor closes is heard', async () => {
  await onStage(GIVEN, async (stage) => {
    const { context, reports } = janitorOf(stage);
    const { ledger } = stage.ports;
    const abort = { kind: 'abort', at: NOW, wave: null, by: 'ada', reason: '' } as const;
    let isSaid = false;
    const late: JanitorContext['ledger'] = {
      ...ledger,
      async close(...args) {
        if (!isSaid) await ledger.signal(ID, abort);
        isSaid = true;
        return ledger.close(...args);
      },
    };

    expect(await closeAbandoned(ID, { status: 'FAILED' }, { ...context, ledger: late })).toBe(true);

    expect((await stage.read()).outcome).toMatchObject({ outcome: 'Aborted', reason: 'Aborted' });
    expect(reports).toEqual([`${ID} Aborted`]);
  });
});

test('X09: the last step of an execution that was stopped answers what the janitor stored', async () => {
  await onStage(GIVEN, async (stage) => {
    await closeAbandoned(ID, ABORTED, janitorOf(stage).context);
    const stored = (await stage.read()).outcome;
    const ending = { outcome: 'Succeeded', reason: 'Converged', message: 'Done.' } as const;

    expect(await closeRollout({ rolloutId: ID, state: { ending } }, stage.ports)).toEqual(stored);
  });
});

test('A10: after the janitor a step that outlived its execution writes nothing more', async () => {
  await onStage(GIVEN, async (stage) => {
    await closeAbandoned(ID, ABORTED, janitorOf(stage).context);

    const { ledger } = stage.ports;
    const renewal = ledger.renew(stage.lease, NOW + 1);
    await expect(renewal).rejects.toMatchObject({ name: 'LeaseLost' });
  });
});

test('A10: a rollout whose execution ended before it was opened is never opened', async () => {
  await onStage({}, async (stage) => {
    const { context, reports } = janitorOf(stage);
    const request = { ...recordOf().request, rolloutId: 'late', runtimeId: 'other' };

    await handleStatusChange(statusChange({ name: 'late' }), context);

    const { ledger } = stage.ports;
    const late = ledger.open(request, NOW, NOW + 1);
    await expect(late).rejects.toMatchObject({ name: 'LeaseLost' });
    expect(reports).toEqual([]);
    expect(stage.told).toEqual([]);
    expect((await ledger.listHeld()).map(({ runtimeId }) => runtimeId)).toEqual(['shop']);
  });
});

function janitorOf({ ports }: Stage): { context: JanitorContext; reports: string[] } {
  const reports: string[] = [];
  const report = ({ rolloutId }: { rolloutId: string }, { reason }: Outcome) => {
    reports.push(`${rolloutId} ${reason}`);
  };
  const { ledger, events, clock } = ports;
  const describeExecution = async () => ({ status: 'NOT_FOUND' }) as const;
  const context = {
    ledger,
    events,
    clock,
    stateMachineArn: MACHINE_ARN,
    describeExecution,
    report,
  };
  return { context, reports };
}

async function expectFree({ ports }: Stage): Promise<void> {
  const request = { ...recordOf().request, rolloutId: 'next' };
  expect(await ports.ledger.listHeld()).toEqual([]);
  expect((await ports.ledger.open(request, NOW, NOW + 1)).epoch).toBe(2);
}
