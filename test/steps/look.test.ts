import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { look } from '../../lib/steps/look.ts';
import { endpoint, line, live, moving, planOf, progressOf, seen } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const { ids: _ids, ...plan } = planOf([1, 2], { maxUnavailable: 2 });
const begun = progressOf(0, [], { clock: { at: NOW, watched: 0 }, readAt: NOW });
const given = { plan, progress: begun, policy: { pollSeconds: 7, onFailure: 'hold' } as const };
const LATER = NOW + 600_000;

/** A rollout whose first endpoint was rolled and accepted at `NOW`. */
const rolled = (progress: typeof begun, work: (stage: Stage) => Promise<void>) =>
  onStage({ ...given, progress }, async (stage) => {
    const accepted = { ...line('roll', 'web-1', 'accepted'), at: NOW };
    await stage.ports.ledger.append(stage.lease, [accepted]);
    await work(stage);
  });

describe('look', () => {
  test.each([
    [
      'moving: it is waited for',
      moving('web-1'),
      begun,
      NOW + 7000,
      { next: 'look-roll', waitSeconds: 7 },
    ],
    [
      'live once: it is looked at again',
      live('web-1'),
      begun,
      NOW + 7000,
      { next: 'look-second-look' },
    ],
    [
      'live twice: it bakes, with looks in between',
      live('web-1'),
      { ...begun, observations: [seen('converged')] },
      NOW + 7000,
      { next: 'look-bake', waitSeconds: 60 },
    ],
    [
      'past its deadline: it has failed',
      moving('web-1'),
      { ...begun, observations: [seen('progressing', 9)], furthest: 2, stuckMs: 600_000 },
      LATER,
      { next: 'contain', onFailure: 'hold', oldEndpoints: 1, ending: { reason: 'Stalled' } },
    ],
    [
      'live twice in the moment of its deadline: it has converged',
      live('web-1'),
      { ...begun, observations: [seen('converged')], furthest: 3, stuckMs: 600_000 },
      LATER,
      { next: 'look-bake' },
    ],
    [
      'in the hands of somebody else: it is let go',
      endpoint('web-1', { targetVersion: 9 }),
      begun,
      NOW + 7000,
      { next: 'close', ending: { outcome: 'Superseded' } },
    ],
  ] as const)('%s', async (_what, one, progress, now, next) => {
    await rolled(progress, async (stage) => {
      stage.list = [one, endpoint('web-2'), endpoint('web-3')];
      stage.now = now;

      expect(await look(stage.position(), stage.ports)).toMatchObject(next);
      expect(stage.writes).toEqual([]);
    });
  });

  test('X04: what was never rolled is rolled now', async () => {
    await onStage(given, async (stage) => {
      stage.list = [endpoint('web-1'), endpoint('web-2'), endpoint('web-3')];

      expect(await look(stage.position(), stage.ports)).toMatchObject({
        next: 'roll',
        wave: 0,
        batches: [stage.batch({ from: 0, to: 1 })],
      });
    });
  });

  test('keeps what it saw, and that the bake has begun', async () => {
    await rolled({ ...begun, observations: [seen('converged')] }, async (stage) => {
      stage.list = [live('web-1'), endpoint('web-2'), endpoint('web-3')];
      stage.now = NOW + 7000;
      await look(stage.position(), stage.ports);

      const { progress } = await stage.read();
      expect(progress).toMatchObject({ readAt: NOW + 7000, bakedMs: 0, wave: 0 });
      expect(progress?.observations).toEqual([{ state: 'converged', reads: 2, hadTarget: true }]);
    });
  });

  test('L07: keeps when the wave converged first, also when it is run twice', async () => {
    await rolled({ ...begun, observations: [seen('converged')] }, async (stage) => {
      stage.list = [live('web-1'), endpoint('web-2'), endpoint('web-3')];
      stage.now = NOW + 7000;
      await look(stage.position(), stage.ports);
      stage.now = NOW + 9000;
      await look(stage.position(), stage.ports);

      expect((await stage.read()).progress).toMatchObject({ converged: { at: NOW + 7000 } });
    });
  });

  test('X03: a wave that had converged before bakes on, and its bake is no standstill', async () => {
    const converged = { at: NOW - 60_000, watched: 0 };
    const before = {
      bakedMs: 30_000,
      converged,
      stuckMs: 5_000,
      heard: 'work',
      furthest: 9,
    } as const;
    await rolled({ ...begun, ...before, observations: [seen('converged', 2)] }, async (stage) => {
      stage.list = [live('web-1'), endpoint('web-2'), endpoint('web-3')];
      stage.now = NOW + 7000;
      await look(stage.position(), stage.ports);

      stage.now = NOW + 14_000;
      await look(stage.position(), stage.ports);

      const { progress } = await stage.read();
      expect(progress).toMatchObject({ heard: 'well', bakedMs: 30_000, converged, stuckMs: 0 });
    });
  });

  test('H24: a list that cannot be read proves nothing', async () => {
    await rolled(begun, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTransient, '503');
      stage.now = LATER - 1;

      expect(await look(stage.position(), stage.ports)).toMatchObject({ next: 'look-list' });
      expect((await stage.read()).progress?.observations).toEqual([]);
    });
  });

  test('a long wait extends the lease beyond it', async () => {
    await onStage({ ...given, policy: { pollSeconds: 90 } }, async (stage) => {
      stage.list = [moving('web-1')];
      await look(stage.position(), stage.ports);

      expect(stage.renewals).toEqual([NOW + 300_000, NOW + 90_000 + 300_000]);
    });
  });

  test('A16: a lease that is lost ends it before it reads', async () => {
    await onStage(given, async (stage) => {
      stage.list = new Error('Not read.');
      const position = stage.position({ epoch: 9 });

      await expect(look(position, stage.ports)).rejects.toMatchObject({ name: 'LeaseLost' });
    });
  });
});
