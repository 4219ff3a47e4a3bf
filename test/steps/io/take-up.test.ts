import { describe, expect, test } from '@jest/globals';
import type { Position } from '../../../lib/contract/flow/position.ts';
import type { Moment } from '../../../lib/domain/clock.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import { LEASE_MARGIN_MS } from '../../../lib/domain/rollout/lease.ts';
import { takeUp } from '../../../lib/steps/io/take-up.ts';
import { line, planBackOf, planOf, progressOf } from '../../domain/examples.ts';
import { NOW, onStage } from '../stage.ts';

const { ids: _forward, ...plan } = planOf([2]);
const { ids: _back, ...back } = planBackOf(2);
const cause = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;

test('picks the rollout up with its plan, and extends its lease', async () => {
  await onStage({ plan }, async ({ ports, position, lease, renewals, read }) => {
    const resumed = await takeUp(ports, position());

    const clock = { at: NOW, watched: 0 };
    expect(resumed).toMatchObject({ lease, record: await read(), plan, clock });
    expect(renewals).toEqual([NOW + LEASE_MARGIN_MS]);
  });
});

test('after a long wait the lease is long enough, unless batches came before the wait', async () => {
  await onStage({ plan }, async ({ ports, position, renewals }) => {
    await takeUp(ports, position({ waitSeconds: 61 }));
    expect(renewals).toEqual([]);

    await takeUp(ports, position({ waitSeconds: 60 }));
    const { schemaVersion, runtimeId, rolloutId, epoch, direction } = position();
    const batch = { schemaVersion, runtimeId, rolloutId, epoch, direction, from: 0, to: 1 };
    await takeUp(ports, position({ waitSeconds: 61, batches: [batch] }));
    expect(renewals).toEqual([NOW + LEASE_MARGIN_MS, NOW + LEASE_MARGIN_MS]);
  });
});

test('X05: once there is a way back, that is followed', async () => {
  await onStage({ plan }, async ({ ports, position, lease }) => {
    await ports.ledger.freezeRollback(lease, { cause, seen: [], plan: back });

    expect((await takeUp(ports, position())).plan).toEqual(back);
  });
});

test('without a plan there is nothing to pick up', async () => {
  await onStage({}, async ({ ports, position }) => {
    await expect(takeUp(ports, position())).rejects.toMatchObject({ name: 'IncompatibleState' });
  });
});

test.each([5, 61])(
  'A16: a rollout that has lost its lease is not picked up after %i s',
  async (waitSeconds) => {
    await onStage({ plan }, async ({ ports, position, lease }) => {
      const old = position({ epoch: 0, waitSeconds });
      await expect(takeUp(ports, old)).rejects.toMatchObject({ name: 'LeaseLost' });

      await ports.ledger.close(lease.rolloutId, { ...cause, cleanup: 'none' }, NOW);
      const late = position({ waitSeconds });
      await expect(takeUp(ports, late)).rejects.toMatchObject({ name: 'LeaseLost' });
    });
  },
);

describe("A05: the rollout's clock", () => {
  const looked = progressOf(0, [], { looks: 3, clock: { at: NOW, watched: 500_000 } });
  const taken = (
    said: Partial<Position>,
    passedMs: number,
    journal: readonly JournalEntry[] = [],
  ): Promise<Moment> =>
    onStage({ plan, progress: looked }, async (stage) => {
      await stage.ports.ledger.append(stage.lease, journal);
      stage.now = NOW + passedMs;
      return (await takeUp(stage.ports, stage.position(said))).clock;
    });

  test('goes on by the wait before a step', async () => {
    const wait = { waitSeconds: 30, looks: 3 };
    expect(await taken(wait, 30_000)).toEqual({ at: NOW + 30_000, watched: 530_000 });
    expect(await taken(wait, 90_000)).toEqual({ at: NOW + 90_000, watched: 530_000 });
  });

  test('and not by a wait that a look which is stored has counted', async () => {
    expect(await taken({ waitSeconds: 30, looks: 2 }, 30_000)).toMatchObject({ watched: 500_000 });
    expect(await taken({ waitSeconds: 30, looks: 2 }, -30_000)).toMatchObject({ watched: 500_000 });
  });

  test('goes on from the last write, which came before the wait', async () => {
    const roll = { ...line('roll', 'web-1', 'accepted'), at: NOW + 8_000, watched: 508_000 };
    const wait = { waitSeconds: 30, looks: 3 };
    expect(await taken(wait, 38_000, [roll])).toEqual({ at: NOW + 38_000, watched: 538_000 });
  });
});
