import { expect, test } from '@jest/globals';
import { LEASE_MARGIN_MS } from '../../../lib/domain/rollout/lease.ts';
import { takeUp } from '../../../lib/steps/frame/take-up.ts';
import { planBackOf, planOf } from '../../domain/examples.ts';
import { NOW, onStage } from '../stage.ts';

const { ids: _forward, ...plan } = planOf([2]);
const { ids: _back, ...back } = planBackOf(2);
const cause = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;

test('picks the rollout up with its plan, and extends its lease', async () => {
  await onStage({ plan }, async ({ ports, position, lease, renewals, read }) => {
    const resumed = await takeUp(ports, position());

    expect(resumed).toEqual({ lease, record: await read(), plan });
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
