import { describe, expect, test } from '@jest/globals';
import type { Position } from '../../../lib/contract/flow/position.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { readWave } from '../../../lib/steps/frame/read-wave.ts';
import { endpoint, live, planBackOf, planOf, progressOf, seen } from '../../domain/examples.ts';
import { NOW, onStage, type Stage } from '../stage.ts';

const { ids: _forward, ...plan } = planOf([1, 2]);
const { ids: _back, ...back } = planBackOf(1);
const POLICY = { pollSeconds: 7, progressDeadlineSeconds: 600 };
const progress = progressOf(1, [seen('converged', 2)]);
const given = { plan, progress, policy: POLICY };

const look = async (stage: Stage, said: Partial<Position> = {}, next: 'wait' | 'bake' = 'wait') =>
  readWave(next, stage.position({ wave: 1, ...said }), await stage.read(), plan, stage.ports);

describe('readWave', () => {
  test('reads the list, and says when', async () => {
    await onStage(given, async (stage) => {
      stage.list = [live('web-1'), endpoint('web-2')];
      stage.now = NOW + 5000;

      expect(await look(stage)).toEqual({
        before: progress,
        endpoints: stage.list,
        now: NOW + 5000,
        meantMs: 0,
      });
    });
  });

  test.each([
    [9_000, 14_000],
    [8 * 3_600_000, 5_000],
    [-3_600_000, 5_000],
  ])('L07: a read that the clock says took %i ms, after 5 s of waiting', async (took, meantMs) => {
    await onStage(given, async (stage) => {
      const list = async () => {
        stage.now += took;
        return [live('web-1'), endpoint('web-2')];
      };
      const ports = { ...stage.ports, service: { ...stage.ports.service, list } };
      const position = stage.position({ wave: 1, waitSeconds: 5 });

      const read = await readWave('wait', position, await stage.read(), plan, ports);

      expect(read).toMatchObject({ meantMs });
    });
  });

  test.each<[string, Partial<Position>]>([
    ['of the wave before', { wave: 0 }],
    ['of the way back, which is not the way now', { wave: 1, direction: 'back' }],
  ])('a position %s goes on with the wave that is watched now, without a read', async (_, said) => {
    await onStage(given, async (stage) => {
      stage.list = new Error('Not read.');

      expect(await look(stage, said)).toEqual({
        before: progress,
        decision: { next: 'wait', seconds: 7 },
      });
    });
  });

  test.each(['abort', 'give-way'] as const)(
    'a list that cannot be read keeps nobody from: %s',
    async (kind) => {
      await onStage(given, async (stage) => {
        stage.list = new SteprollError(ErrorName.UpstreamTransient, 'Down.');
        await stage.ports.ledger.signal('rollout-1', {
          kind,
          at: NOW,
          wave: null,
          by: 'ada',
          reason: 'enough',
        });

        const next = kind === 'abort' ? 'contain' : 'close';
        expect(await look(stage)).toMatchObject({ decision: { next } });
      });
    },
  );

  test('a position from before the rollout turned around goes on with the way back', async () => {
    await onStage(given, async (stage) => {
      const record = await stage.read();
      const position = stage.position({ wave: 1 });

      const read = await readWave('wait', position, record, back, stage.ports);

      expect(read).toEqual({
        before: { ...progressOf(0, [], { direction: 'back' }), progressedAt: NOW, readAt: NOW },
        decision: { next: 'wait', seconds: 7 },
      });
    });
  });

  test.each(['wait', 'bake'] as const)('H26: without a list it goes on to %s', async (next) => {
    await onStage(given, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTimeout, 'no answer in 10 s');

      const read = await look(stage, {}, next);

      const looked = { ...progress, unreadableMs: 0, readFault: 'UpstreamTimeout', looks: 1 };
      expect(read).toEqual({ before: looked, decision: { next, seconds: 7 } });
      expect((await stage.read()).progress).toEqual(looked);
    });
  });

  test('H06: a list without most of the fleet is waited for like one that cannot be read', async () => {
    await onStage(given, async (stage) => {
      stage.list = [live('web-1')];

      const looked = { ...progress, unreadableMs: 0, readFault: 'ListUnstable', looks: 1 };
      expect(await look(stage)).toEqual({ before: looked, decision: { next: 'wait', seconds: 7 } });
      expect(await look(stage, { waitSeconds: 600 })).toMatchObject({
        decision: {
          next: 'close',
          ending: {
            outcome: 'Errored',
            reason: 'ListUnstable',
            message: expect.stringContaining('holds 1 of the 3 endpoints'),
          },
        },
      });
    });
  });

  test('H26: the deadline of reads counts what was waited since the first that failed', async () => {
    await onStage({ ...given, progress: { ...progress, readAt: NOW } }, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTimeout, 'no answer in 10 s');
      const wait = (waitSeconds: number) => look(stage, { waitSeconds });
      await wait(300);
      stage.now += 599_000;
      expect(await wait(599)).toMatchObject({ decision: { next: 'wait', seconds: 1 } });
      // The answer of that step was lost, and it runs again at once.
      expect(await wait(599)).toMatchObject({ decision: { next: 'wait', seconds: 1 } });
      stage.now += 1_000;
      expect(await wait(1)).toMatchObject({
        decision: { next: 'close', ending: { outcome: 'Errored', reason: 'UpstreamTimeout' } },
      });
    });
  });

  test('L07: a clock that jumps is no time without a list', async () => {
    await onStage(given, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTimeout, 'no answer in 10 s');
      await look(stage);
      stage.now = NOW + 8 * 3_600_000;

      expect(await look(stage, { waitSeconds: 7 })).toMatchObject({ decision: { next: 'wait' } });
    });
  });

  test('H18: an error that no waiting mends is none to wait for', async () => {
    await onStage(given, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamRejected, '400');

      await expect(look(stage)).rejects.toMatchObject({ name: 'UpstreamRejected' });
      expect((await stage.read()).progress).toEqual(progress);
    });
  });
});
