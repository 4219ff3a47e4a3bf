import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../lib/domain/errors.ts';
import { LEASE_MARGIN_MS } from '../../lib/domain/lease.ts';
import type { Outcome } from '../../lib/domain/outcome.ts';
import type { RolloutRequest } from '../../lib/domain/rollout.ts';
import { takeLease } from '../../lib/steps/take-lease.ts';
import { policyOf, recordOf } from '../domain/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const OVER: Outcome = { outcome: 'Superseded', cleanup: 'none', reason: 'GaveWay', message: '' };
const DAY_MS = 24 * 3_600_000;
const TRY_SOON = { next: 'queue', seconds: 15 };

/** A newer release than the rollout of the stage, which goes to version 3. */
function release(desiredVersion: number, said: Partial<RolloutRequest> = {}): RolloutRequest {
  return {
    ...recordOf().request,
    rolloutId: `rollout-of-${desiredVersion}`,
    desiredVersion,
    policy: policyOf({ onConflict: 'latest' }),
    startedBy: { kind: 'release', name: '', at: NOW },
    ...said,
  };
}

/** The rollout under way renews its lease, and does not give way. */
const goesOn = ({ ports, lease }: Stage) => ports.ledger.renew(lease, NOW + 2 * DAY_MS);

const asked = async (stage: Stage) =>
  (await stage.read()).signals.filter(({ kind }) => kind === 'give-way');

describe('takeLease', () => {
  test('takes a lease that is free, for as long as a step may take', async () => {
    await onStage({}, async (stage) => {
      const request = release(4, { runtimeId: 'other' });

      const answer = await takeLease(request, stage.ports);

      const lease = { runtimeId: 'other', rolloutId: request.rolloutId, epoch: 1 };
      expect(answer).toEqual({ next: 'open', lease });
      expect(await stage.ports.ledger.listHeld()).toContainEqual({
        ...lease,
        leaseUntil: NOW + LEASE_MARGIN_MS,
      });
    });
  });

  test('A12: has the lease already, and gets it again', async () => {
    await onStage({}, async (stage) => {
      expect(await takeLease(recordOf().request, stage.ports)).toEqual({
        next: 'open',
        lease: stage.lease,
      });
    });
  });

  test('E08: LeaseHeld: with the policy refuse it asks nobody to give way', async () => {
    await onStage({}, async (stage) => {
      await expect(
        takeLease(release(4, { policy: policyOf() }), stage.ports),
      ).rejects.toMatchObject({ name: 'LeaseHeld' });
      expect(await asked(stage)).toEqual([]);
    });
  });

  test('E08: asks the older one to give way, and waits', async () => {
    await onStage({}, async (stage) => {
      expect(await takeLease(release(4), stage.ports)).toEqual(TRY_SOON);

      expect(await asked(stage)).toEqual([
        {
          kind: 'give-way',
          at: NOW,
          wave: null,
          by: 'rollout-of-4',
          reason: 'Gave way to the newer rollout "rollout-of-4", to version 4',
        },
      ]);
    });
  });

  test('E10: however often it looks and however many wait, the older one is asked once, and less and less often', async () => {
    await onStage({}, async (stage) => {
      await takeLease(release(4), stage.ports);
      await goesOn(stage);
      stage.now += 1_000_000;

      expect(await takeLease(release(4), stage.ports)).toEqual({ next: 'queue', seconds: 100 });
      expect(await takeLease(release(5), stage.ports)).toEqual({ next: 'queue', seconds: 100 });

      expect(await asked(stage)).toHaveLength(1);
    });
  });

  test('LeaseHeld: one that does not give way is waited for a day', async () => {
    await onStage({}, async (stage) => {
      await takeLease(release(4), stage.ports);
      await goesOn(stage);
      stage.now = NOW + DAY_MS;
      expect(await takeLease(release(4), stage.ports)).toMatchObject({ next: 'queue' });

      stage.now += 1;
      await expect(takeLease(release(4), stage.ports)).rejects.toMatchObject({
        name: 'LeaseHeld',
      });
    });
  });

  test.each([
    ['E02', 'LeaseHeld', release(3)],
    ['E03', 'StaleTrigger', release(4, { startedBy: { kind: 'release', name: '', at: -1 } })],
    ['E03', 'DowngradeRefused', release(2)],
  ])('%s: %s: asks nobody, and keeps the cause', async (_, name, request) => {
    await onStage({}, async (stage) => {
      await expect(takeLease(request, stage.ports)).rejects.toMatchObject({
        name,
        cause: { name: 'LeaseHeld' },
      });
      expect(await asked(stage)).toEqual([]);
    });
  });

  test('X09: one that has ended by the time that it is looked at is not asked', async () => {
    await onStage({}, async (stage) => {
      const held = await stage.ports.ledger.open(release(4), NOW, NOW).catch((error) => error);
      await stage.ports.ledger.close('rollout-1', OVER, NOW);
      const open = () => Promise.reject(held);

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, open } };
      expect(await takeLease(release(4), ports)).toEqual(TRY_SOON);
      expect(await asked(stage)).toEqual([]);
    });
  });

  test('X09: one that ends while it is asked has given way', async () => {
    await onStage({}, async (stage) => {
      const { ledger } = stage.ports;
      const signal = async (...said: Parameters<typeof ledger.signal>) => {
        await ledger.close('rollout-1', OVER, NOW);
        await ledger.signal(...said);
      };

      const ports = { ...stage.ports, ledger: { ...ledger, signal } };
      expect(await takeLease(release(4), ports)).toEqual(TRY_SOON);
    });
  });

  test('A10: one whose request is not recorded yet is looked at again soon', async () => {
    await onStage({}, async (stage) => {
      const options = { holder: 'just-opening' };
      const open = () => Promise.reject(new SteprollError(ErrorName.LeaseHeld, 'Held.', options));

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, open } };
      expect(await takeLease(release(4), ports)).toEqual(TRY_SOON);
    });
  });

  test('L06: it does not wait for itself in another process', async () => {
    await onStage({}, async (stage) => {
      const request = release(4);
      const options = { holder: request.rolloutId };
      const held = new SteprollError(ErrorName.LeaseHeld, 'Held by another process.', options);
      const open = () => Promise.reject(held);

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, open } };
      await expect(takeLease(request, ports)).rejects.toBe(held);
    });
  });
});
