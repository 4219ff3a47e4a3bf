import { describe, expect, test } from '@jest/globals';
import type { JournalEntry } from '../../lib/domain/endpoint/journal.ts';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import type { FailurePolicy } from '../../lib/domain/rollout/policy.ts';
import type { WaveProgress } from '../../lib/domain/rollout/record.ts';
import { turnAround } from '../../lib/steps/turn-around.ts';
import {
  endpoint,
  FOREIGN,
  line,
  live,
  plannedBack,
  planOf,
  progressOf,
  seen,
  signal,
} from '../domain/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([1, 3], { maxUnavailable: 1 });
const cause = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;
const rolled = ['web-1', 'web-2', 'web-3'].map((id) => line('roll', id, 'accepted'));
const progress = progressOf(
  1,
  [seen('converged', 2), seen('failed', 2), seen('converged', 2), seen('pending', 3)],
  { looks: 9 },
);

const inTrouble = (journal: readonly JournalEntry[], work: (stage: Stage) => Promise<void>) =>
  onStage({ plan, progress, policy: { pollSeconds: 7 } }, async (stage) => {
    await stage.ports.ledger.append(stage.lease, journal);
    await work(stage);
  });
const contain = (stage: Stage) =>
  stage.position({ wave: 1, next: 'contain', onFailure: 'roll-back', ending: cause });

describe('turnAround', () => {
  test('freezes the way back, and starts it: the broken ones at once, the others as they may', async () => {
    await inTrouble(rolled, async (stage) => {
      const next = await turnAround(contain(stage), stage.ports);

      expect(next).toEqual(
        stage.position({
          execution: { number: 1, startedAt: NOW, events: 4 + 7 + 9 },
          direction: 'back',
          next: 'roll',
          says: 'Rollback, wave 1 of 1: 0 of 3 live, rolls 2',
          waitSeconds: 7,
          looks: 9,
          batches: [stage.batch({ direction: 'back', from: 0, to: 2 })],
        }),
      );
      const { rollback, progress: begun } = await stage.read();
      expect(rollback).toMatchObject({
        cause,
        seen: progress.observations,
        plan: {
          direction: 'back',
          endpoints: [
            plannedBack('web-2', { leftAs: 'broken' }),
            plannedBack('web-1'),
            plannedBack('web-3'),
          ],
        },
      });
      expect(begun).toMatchObject({ direction: 'back', wave: 0, looks: 9, observations: [] });
      expect(stage.writes).toEqual([]);
    });
  });

  test('X05: run twice, it comes to the same', async () => {
    await inTrouble(rolled, async (stage) => {
      const first = await turnAround(contain(stage), stage.ports);
      const before = await stage.read();
      stage.now = NOW + 60_000;

      expect(await turnAround(contain(stage), stage.ports)).toEqual(first);
      expect(await stage.read()).toEqual(before);
    });
  });

  test('X05: run again when the way back is half done, it plans nothing anew and forgets nothing', async () => {
    await inTrouble(rolled, async (stage) => {
      const first = await turnAround(contain(stage), stage.ports);
      const { rollback } = await stage.read();
      const halfWay = progressOf(0, [seen('converged', 2), seen('progressing')], {
        direction: 'back',
        looks: 9,
      });
      await stage.ports.ledger.append(stage.lease, [line('roll-back', 'web-2', 'accepted')]);
      await stage.ports.ledger.saveProgress(stage.lease, halfWay);

      expect(await turnAround(contain(stage), stage.ports)).toEqual({
        ...first,
        says: 'Rollback, wave 1 of 1: 1 of 3 live, rolls 2',
      });
      const after = await stage.read();
      expect(after.rollback).toEqual(rollback);
      expect(after.progress).toEqual(halfWay);
    });
  });

  test('X05: a crash after the freeze begins the way back where it was frozen', async () => {
    await inTrouble(rolled, async (stage) => {
      const frozen = {
        cause,
        seen: [],
        plan: {
          ...plan,
          direction: 'back' as const,
          endpoints: [plannedBack('web-3')],
          waves: [{ from: 0, to: 1, bakeSeconds: 0 }],
        },
      };
      await stage.ports.ledger.freezeRollback(stage.lease, frozen);

      const { batches } = await turnAround(contain(stage), stage.ports);

      expect(batches).toEqual([stage.batch({ direction: 'back', from: 0, to: 1 })]);
      expect(await stage.read()).toMatchObject({
        rollback: frozen,
        progress: { direction: 'back' },
      });
    });
  });

  describe('the list that it is drawn on', () => {
    const inOrder = async (stage: Stage) => {
      await turnAround(contain(stage), stage.ports);
      const { rollback } = await stage.read();
      const { endpoints = [], leftOut = [] } = rollback?.plan ?? {};
      return {
        goBack: endpoints.map(({ name, leftAs = 'live' }) => `${name} ${leftAs}`),
        leftOut: leftOut.map(({ name, reason }) => `${name} ${reason}`),
      };
    };
    const moved = endpoint('web-1', { targetVersion: FOREIGN, liveVersion: FOREIGN });
    const asSeen = { goBack: ['web-2 broken', 'web-1 live', 'web-3 live'], leftOut: [] };
    const lookedAt = (ageMs: number) => ({ ...progress, readAt: NOW - ageMs });

    test.each<[string, WaveProgress, boolean]>([
      ['that was read for the last look, just before', lookedAt(9_000), false],
      ['that was read a while ago', lookedAt(10_000), true],
      ['of which nobody knows how old it is, after a clock went back', lookedAt(-1), true],
    ])('one %s: %#', async (_, before, isRead) => {
      await inTrouble(rolled, async (stage) => {
        await stage.ports.ledger.saveProgress(stage.lease, before);
        stage.list = [moved, live('web-2'), live('web-3'), live('web-4')];

        expect(await inOrder(stage)).toEqual(
          isRead ? { goBack: ['web-2 unsettled', 'web-3 live'], leftOut: ['web-1 moved'] } : asSeen,
        );
      });
    });

    test.each<[string, Stage['list']]>([
      ['is refused', new SteprollError(ErrorName.UpstreamAuth, 'No.')],
      ['lacks most of the fleet', [moved]],
    ])(
      'when it %s, what was seen last counts: each roll has a look of its own',
      async (_, list) => {
        await inTrouble(rolled, async (stage) => {
          await stage.ports.ledger.saveProgress(stage.lease, lookedAt(60_000));
          stage.list = list;

          expect(await inOrder(stage)).toEqual(asSeen);
        });
      },
    );

    test('a mistake of ours is no list that cannot be read', async () => {
      await inTrouble(rolled, async (stage) => {
        await stage.ports.ledger.saveProgress(stage.lease, lookedAt(60_000));
        stage.list = new TypeError('Not a function.');

        await expect(turnAround(contain(stage), stage.ports)).rejects.toThrow(TypeError);
        expect((await stage.read()).rollback).toBeNull();
      });
    });
  });

  test.each<[FailurePolicy, object]>([
    ['hold', { next: 'close', ending: cause }],
    ['stop-old', { next: 'contain', onFailure: 'stop-old', oldEndpoints: 1 }],
  ])('an abort that asks for %s came first: nothing goes back', async (onFailure, next) => {
    await inTrouble(rolled, async (stage) => {
      await stage.ports.ledger.signal('rollout-1', signal('abort', { onFailure }));

      expect(await turnAround(contain(stage), stage.ports)).toMatchObject(next);
      expect(await stage.read()).toMatchObject({ rollback: null, progress });
    });
  });

  test('nothing was rolled: the rollout ends for the reason that it failed for', async () => {
    await inTrouble([line('roll', 'web-1', 'rejected')], async (stage) => {
      const next = await turnAround(contain(stage), stage.ports);

      expect(next).toMatchObject({ next: 'close', direction: 'back', ending: cause });
      expect((await stage.read()).rollback?.plan.endpoints).toEqual([]);
    });
  });

  test('a rollout that never began has nothing to turn around', async () => {
    await onStage({}, async (stage) => {
      await expect(turnAround(contain(stage), stage.ports)).rejects.toMatchObject({
        name: 'IncompatibleState',
      });
    });
  });
});
