import { describe, expect, test } from '@jest/globals';
import type { Position } from '../../lib/contract/flow/position.ts';
import { waitFor } from '../../lib/domain/decision/decision.ts';
import type { Execution } from '../../lib/domain/ending/execution.ts';
import { LEASE_TOLERANCE_MS } from '../../lib/domain/rollout/lease.ts';
import { handleStatusChange, sweep } from '../../lib/handlers/janitor.ts';
import { closeRollout } from '../../lib/steps/close-rollout.ts';
import { handOn } from '../../lib/steps/io/hand-on.ts';
import { executionNameOf } from '../../lib/steps/io/names.ts';
import { openRollout } from '../../lib/steps/open-rollout.ts';
import { endpoint, planOf, policyOf, progressOf, recordOf, seen } from '../domain/examples.ts';
import { MACHINE_ARN, statusChange } from '../support/status-change.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([2]);
const GIVEN = { plan, progress: progressOf(0, [seen('converged', 2)]) };
const ID = recordOf().request.rolloutId;
const SECOND = executionNameOf(ID, 2);
const LATER = NOW + 3_600_000;

const handedOver = (stage: Stage, said: Partial<Position> = {}) =>
  stage.position({
    next: 'hand-over',
    says: 'Wave 1 of 1: 1 of 2 live, rolling',
    waitSeconds: 30,
    handOver: { executionName: SECOND, next: 'look-roll' },
    ...said,
  });

const inputOf = (position: Position) => ({ schemaVersion: 1, position });

const open = (stage: Stage, position: Position, rolloutId = SECOND) =>
  openRollout(
    { rolloutId, startTime: LATER, input: inputOf(position) },
    { ...stage.ports, policyOf: () => policyOf() },
  );

describe('an execution that comes near its limit', () => {
  test('names the next one and what it goes on with', async () => {
    await onStage(GIVEN, async (stage) => {
      const at = {
        ...{ record: recordOf(), plan, progress: GIVEN.progress, lease: stage.lease },
        execution: { number: 1, startedAt: NOW, events: 9_992 },
      };
      const decided = await handOn(
        waitFor('roll', GIVEN.progress, { seconds: 30 }),
        at,
        stage.ports,
      );

      expect(decided).toEqual(
        handedOver(stage, { execution: { number: 1, startedAt: NOW, events: 9_992 } }),
      );
    });
  });
});

test('what an execution used up while its rollout waited to be opened counts', async () => {
  await onStage(GIVEN, async (stage) => {
    stage.list = new Error('Not read.');
    const execution = { number: 1, startedAt: NOW, events: 9_950 };
    const openFrom = (state: unknown) =>
      openRollout(
        {
          ...{ rolloutId: ID, startTime: NOW, state },
          input: { schemaVersion: 1, runtimeId: 'shop', version: 3 },
        },
        { ...stage.ports, policyOf: () => policyOf() },
      );

    // The look that a wait leads to was counted with the wait.
    const opened = await openFrom(stage.position({ next: 'open-turn', execution }));
    expect(opened.execution).toEqual({ ...execution, events: 9_950 + 9 });

    const fresh = await openFrom({ schemaVersion: 1, runtimeId: 'shop', version: 3 });
    expect(fresh.execution).toEqual({ ...execution, events: 8 + 9 });
  });
});

describe('A06: the next execution', () => {
  test.each(['look-roll', 'look-bake', 'roll'] as const)(
    'goes on with just the %s that it was given',
    async (next) => {
      await onStage(GIVEN, async (stage) => {
        stage.list = new Error('Not read.');
        const before = await stage.read();
        const batches = next === 'roll' ? [stage.batch()] : [];
        const given = handedOver(stage, {
          batches,
          handOver: { executionName: SECOND, next },
        });

        expect(await open(stage, given)).toEqual({
          ...given,
          next,
          handOver: null,
          execution: { number: 2, startedAt: LATER, events: 8 + (next === 'roll' ? 11 : 0) + 9 },
        });
        expect(await stage.read()).toEqual(before);
      });
    },
  );

  test('under any other name hands over nothing', async () => {
    await onStage(GIVEN, async (stage) => {
      for (const name of [ID, executionNameOf(ID, 3), 'release-5']) {
        expect(await open(stage, handedOver(stage), name)).toMatchObject({
          ...{ next: 'close', epoch: 0 },
          ending: { outcome: 'Refused', reason: 'InvalidInput' },
        });
      }
    });
  });

  test('X03: does nothing when the lease was lost', async () => {
    await onStage(GIVEN, async (stage) => {
      const outcome = { outcome: 'Aborted', cleanup: 'none', reason: 'r', message: 'm' } as const;
      await stage.ports.ledger.close(ID, outcome, NOW);

      await expect(open(stage, handedOver(stage))).rejects.toMatchObject({ name: 'LeaseLost' });
    });
  });

  test.each<[string, object]>([
    ['of another version of steproll', { schemaVersion: 3 }],
    ['that was not to be handed over', { handOver: null }],
  ])('A11: where the position is one %s, goes on where the ledger has it', async (_, said) => {
    await onStage(GIVEN, async (stage) => {
      stage.list = new Error('Not read.');
      const position = handedOver(stage, said);

      expect(await open(stage, position)).toEqual(
        stage.position({
          next: 'look-second-look',
          says: 'Wave 1 of 1: 1 of 2 live, rolling',
          execution: { number: 2, startedAt: LATER, events: 17 },
        }),
      );
    });
  });

  test('is of what was recorded first: a hand-over that says it undoes something unlocks nothing', async () => {
    await onStage({ isNew: true }, async (stage) => {
      stage.list = [endpoint('web-1'), endpoint('web-2')];
      const input = { schemaVersion: 1, runtimeId: 'shop', revert: 'x', policy: { protect: [] } };
      const handOver = { executionName: SECOND, next: 'open-turn', input } as const;
      const forged = handedOver(stage, { waitSeconds: 0, handOver });
      const start = { rolloutId: SECOND, startTime: LATER, input: inputOf(forged) };
      const locking = policyOf({ protect: ['web-1'], locked: ['protect'] });
      const context = { ...stage.ports, policyOf: () => locking };

      const waits = await openRollout(start, context);
      expect(waits).toMatchObject({ next: 'open-turn' });
      expect(await openRollout({ ...start, state: waits }, context)).toMatchObject({
        ...{ next: 'close', ending: { outcome: 'Refused', reason: 'PolicyLocked' } },
      });
    });
  });

  test('takes nothing from a position that anybody may have written', async () => {
    await onStage(GIVEN, async (stage) => {
      const batches = [stage.batch({ from: 0, to: 2 })];
      const handOver = { executionName: SECOND, next: 'roll' } as const;
      const forged = handedOver(stage, { batches, handOver });
      const start = { rolloutId: SECOND, startTime: LATER, input: inputOf(forged) };
      const context = { ...stage.ports, policyOf: () => policyOf(), isOpenToOthers: true } as const;

      expect(await openRollout(start, context)).toMatchObject({
        ...{ next: 'look-second-look', batches: [] },
      });
    });
  });

  test('closes the rollout that was handed over to it', async () => {
    await onStage(GIVEN, async (stage) => {
      const input = inputOf(handedOver(stage));
      const ending = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
      const close = (rolloutId: string) =>
        closeRollout({ rolloutId, state: { ending, epoch: 1 }, input }, stage.ports);

      await close('release-5');
      expect((await stage.read()).outcome).toBeNull();

      await close(SECOND);
      expect((await stage.read()).outcome).toMatchObject({ reason: 'Stalled' });
    });
  });
});

describe('the janitor', () => {
  type Executions = Readonly<Record<string, Execution>>;
  const janitorOf = ({ ports }: Stage, executions: Executions) => ({
    ...ports,
    stateMachineArn: MACHINE_ARN,
    report: () => undefined,
    describeExecution: async (name: string): Promise<Execution> =>
      executions[name] ?? { status: 'NOT_FOUND' },
  });
  const sweepWith = (stage: Stage, executions: Executions) => sweep(janitorOf(stage, executions));

  test('A08: closes the rollout of a dead execution that it was handed over to', async () => {
    await onStage(GIVEN, async (stage) => {
      const input = JSON.stringify(inputOf(handedOver(stage)));
      const dead = { [SECOND]: { status: 'ABORTED' } } as const;
      await handleStatusChange(statusChange({ name: SECOND, input }), janitorOf(stage, dead));

      expect((await stage.read()).outcome).toMatchObject({ reason: 'ExecutionAborted' });
    });
  });

  test('A08: an execution that is stopped just after it handed over leaves the rollout to the next one', async () => {
    await onStage(GIVEN, async (stage) => {
      const third = executionNameOf(ID, 3);
      const dead = { [ID]: { status: 'ABORTED' }, [SECOND]: { status: 'TIMED_OUT' } } as const;
      const going = janitorOf(stage, { ...dead, [third]: { status: 'RUNNING' } });
      const input = JSON.stringify(inputOf(handedOver(stage)));

      await handleStatusChange(statusChange({ name: ID }), going);
      await handleStatusChange(statusChange({ name: SECOND, input }), going);
      expect(await sweep(going)).toMatchObject({ held: 1, closed: 0 });

      expect((await stage.read()).outcome).toBeNull();
    });
  });

  test('A09: looks at the newest execution of a rollout', async () => {
    await onStage(GIVEN, async (stage) => {
      const third = executionNameOf(ID, 3);
      const before = { [ID]: { status: 'SUCCEEDED' }, [SECOND]: { status: 'SUCCEEDED' } } as const;

      const going = await sweepWith(stage, { ...before, [third]: { status: 'RUNNING' } });
      expect(going).toMatchObject({ held: 1, closed: 0 });

      const dead = await sweepWith(stage, { ...before, [third]: { status: 'TIMED_OUT' } });
      expect(dead).toMatchObject({ held: 1, closed: 1 });
      expect((await stage.read()).outcome).toMatchObject({ reason: 'TimedOut' });
    });
  });

  test('A09: waits for the lease while nobody knows the next one yet', async () => {
    await onStage(GIVEN, async (stage) => {
      const lost = { [ID]: { status: 'SUCCEEDED' } } as const;
      expect(await sweepWith(stage, lost)).toMatchObject({ held: 1, closed: 0 });

      stage.now = NOW + 300_000 + LEASE_TOLERANCE_MS;
      expect(await sweepWith(stage, lost)).toMatchObject({ held: 1, closed: 1 });
      expect((await stage.read()).outcome).toMatchObject({ reason: 'ExecutionWithoutOutcome' });
    });
  });
});
