import { describe, expect, test } from '@jest/globals';
import type { Position } from '../../../lib/contract/flow/position.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { readWave } from '../../../lib/steps/io/read-wave.ts';
import { takeUp } from '../../../lib/steps/io/take-up.ts';
import { endpoint, live, planBackOf, planOf, progressOf, seen } from '../../domain/examples.ts';
import { NOW, onStage, type Stage } from '../stage.ts';

const { ids: _forward, ...plan } = planOf([1, 2]);
const { ids: _back, ...back } = planBackOf(1);
const POLICY = { pollSeconds: 7, progressDeadlineSeconds: 600 };
const progress = progressOf(1, [seen('converged', 2)], { clock: { at: NOW, watched: 0 } });
const given = { plan, progress, policy: POLICY };

const look = async (stage: Stage, said: Partial<Position> = {}) =>
  readFrom(stage, stage.position({ wave: 1, ...said }));

async function readFrom({ ports }: Pick<Stage, 'ports'>, position: Position) {
  const taken = await takeUp(ports, position);
  const record = await ports.ledger.read(taken.lease.rolloutId);
  // Whoever asks others to give way counts, also where nobody waits.
  const signals = record.signals;
  return readWave(position, { ...taken, record: { ...taken.record, signals } }, ports);
}

describe('readWave', () => {
  test('reads the list, and says when', async () => {
    await onStage(given, async (stage) => {
      stage.list = [live('web-1'), endpoint('web-2')];
      stage.now = NOW + 5000;

      expect(await look(stage)).toEqual({
        before: progress,
        endpoints: stage.list,
        clock: { at: NOW + 5000, watched: 0 },
      });
    });
  });

  test.each([
    [9_000, 14_000],
    [8 * 3_600_000, 5_000],
    [-3_600_000, 5_000],
  ])('L07: a read that the clock says took %i ms, after 5 s of waiting', async (took, watched) => {
    await onStage(given, async (stage) => {
      stage.now = NOW + 5_000;
      const list = async () => {
        stage.now += took;
        return [live('web-1'), endpoint('web-2')];
      };
      const ports = { ...stage.ports, service: { ...stage.ports.service, list } };
      const read = await readFrom({ ports }, stage.position({ wave: 1, waitSeconds: 5 }));

      expect(read).toMatchObject({ clock: { watched } });
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
        decision: expect.objectContaining({ next: 'wait', step: 'look', seconds: 7 }),
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
      const position = stage.position({ wave: 1 });
      const taken = { ...(await takeUp(stage.ports, position)), plan: back };

      const read = await readWave(position, taken, stage.ports);

      expect(read).toEqual({
        before: progressOf(0, [], {
          ...{ direction: 'back', heard: 'work', clock: taken.clock, readAt: NOW },
        }),
        decision: expect.objectContaining({ next: 'wait', step: 'look', seconds: 7 }),
      });
    });
  });

  test('H26: without a list it looks again', async () => {
    await onStage(given, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTimeout, 'no answer in 10 s');

      const read = await look(stage);

      const looked = { ...progress, heard: 'silence', readFault: 'UpstreamTimeout', looks: 1 };
      expect(read).toEqual({
        before: looked,
        decision: expect.objectContaining({ next: 'wait', step: 'look', for: 'list', seconds: 7 }),
      });
      expect((await stage.read()).progress).toEqual(looked);
    });
  });

  test('H06: a list without most of the fleet is waited for like one that cannot be read', async () => {
    await onStage(given, async (stage) => {
      stage.list = [live('web-1')];

      const looked = { ...progress, heard: 'silence', readFault: 'ListUnstable', looks: 1 };
      expect(await look(stage)).toEqual({
        before: looked,
        decision: expect.objectContaining({ next: 'wait', step: 'look', seconds: 7 }),
      });
      stage.now += 600_000;
      expect(await look(stage, { waitSeconds: 600, looks: 1 })).toMatchObject({
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
    await onStage(given, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTimeout, 'no answer in 10 s');
      await look(stage, { waitSeconds: 300, looks: 0 });
      stage.now += 599_000;
      const late = { waitSeconds: 599, looks: 1 };
      expect(await look(stage, late)).toMatchObject({
        decision: { next: 'wait', step: 'look', seconds: 1 },
      });
      // The answer of that step was lost, and it runs again at once, or on a machine whose clock is behind.
      expect(await look(stage, late)).toMatchObject({
        decision: { next: 'wait', step: 'look', seconds: 1 },
      });
      stage.now -= 3_600_000;
      expect(await look(stage, late)).toMatchObject({
        decision: { next: 'wait', step: 'look', seconds: 1 },
      });
      stage.now += 1_000;
      expect(await look(stage, { waitSeconds: 1, looks: 4 })).toMatchObject({
        decision: { next: 'close', ending: { outcome: 'Errored', reason: 'UpstreamTimeout' } },
      });
    });
  });

  test('L07: a clock that jumps is no time without a list', async () => {
    await onStage(given, async (stage) => {
      stage.list = new SteprollError(ErrorName.UpstreamTimeout, 'no answer in 10 s');
      await look(stage);
      stage.now = NOW + 8 * 3_600_000;

      const again = await look(stage, { waitSeconds: 7, looks: 1 });
      expect(again).toMatchObject({ decision: { next: 'wait' } });
    });
  });

  test('H18: an error that no waiting mends is none to wait for', async () => {
    await onStage(given, async (stage) => {
      stage.list = new SteprollError(ErrorName.InvalidInput, 'no URL');

      await expect(look(stage)).rejects.toMatchObject({ name: 'InvalidInput' });
      expect((await stage.read()).progress).toEqual(progress);
    });
  });
});
