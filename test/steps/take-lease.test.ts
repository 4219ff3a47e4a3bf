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

/** As `openRollout` does it: with what the ledger has for the newest wish. */
const take = async (request: RolloutRequest, stage: Stage, ports = stage.ports) =>
  takeLease(request, await stage.ports.ledger.findNewestWish(request.runtimeId), ports);

const wishOn = ({ ports }: Stage) => ports.ledger.findNewestWish('shop');

const asked = async (stage: Stage) =>
  (await stage.read()).signals.filter(({ kind }) => kind === 'give-way');

describe('takeLease', () => {
  test('takes a lease that is free, for as long as a step may take', async () => {
    await onStage({}, async (stage) => {
      const request = release(4, { runtimeId: 'other' });

      const answer = await take(request, stage);

      const lease = { runtimeId: 'other', rolloutId: request.rolloutId, epoch: 1 };
      expect(answer).toEqual({ next: 'open', lease });
      expect(await stage.ports.ledger.listHeld()).toContainEqual({
        ...lease,
        leaseUntil: NOW + LEASE_MARGIN_MS,
      });
    });
  });

  test('waits for no rollout of another service, and asks none to give way', async () => {
    await onStage({}, async (stage) => {
      const request = release(4, { endpointUrl: 'https://staging.example.com' });

      await expect(take(request, stage)).rejects.toMatchObject({ name: ErrorName.LeaseHeld });

      expect(await asked(stage)).toEqual([]);
      expect(await wishOn(stage)).toBeNull();
    });
  });

  test('E10: keeps its wish as one that was opened, for older ones that wait', async () => {
    await onStage({}, async (stage) => {
      await take(release(4, { runtimeId: 'other' }), stage);

      expect(await stage.ports.ledger.findNewestWish('other')).toEqual({
        ...{ runtimeId: 'other', rolloutId: 'rollout-of-4', desiredVersion: 4, at: NOW },
        ...{ since: NOW, wakesAt: null },
      });
    });
  });

  test('E10: an older one, which the newest let pass, does not take its place', async () => {
    await onStage({}, async (stage) => {
      const { ledger } = stage.ports;
      const newest = { runtimeId: 'other', rolloutId: 'newest', desiredVersion: 5, at: NOW + 1 };
      await ledger.recordWish({ ...newest, since: NOW, wakesAt: NOW + 15_000 }, NOW);
      await take(release(4, { runtimeId: 'other' }), stage);

      expect(await ledger.findNewestWish('other')).toMatchObject(newest);
    });
  });

  test('A12: has the lease already, and gets it again', async () => {
    await onStage({}, async (stage) => {
      expect(await take(recordOf().request, stage)).toEqual({
        next: 'open',
        lease: stage.lease,
      });
    });
  });

  test('E08: LeaseHeld: with the policy refuse it asks nobody to give way, and leaves no wish', async () => {
    await onStage({}, async (stage) => {
      await expect(take(release(4, { policy: policyOf() }), stage)).rejects.toMatchObject({
        name: 'LeaseHeld',
      });
      expect(await asked(stage)).toEqual([]);
      expect(await wishOn(stage)).toBeNull();
    });
  });

  test('E02: one for the same version asks nobody, and waits', async () => {
    await onStage({}, async (stage) => {
      expect(await take(release(3), stage)).toEqual(TRY_SOON);

      expect(await asked(stage)).toEqual([]);
      expect(await wishOn(stage)).toMatchObject({ desiredVersion: 3, wakesAt: NOW + 15_000 });
    });
  });

  test('E08: asks the older one to give way, and waits', async () => {
    await onStage({}, async (stage) => {
      expect(await take(release(4), stage)).toEqual(TRY_SOON);

      expect(await asked(stage)).toEqual([
        {
          kind: 'give-way',
          at: NOW,
          wave: null,
          by: 'rollout-of-4',
          reason: 'Gave way to the newer rollout "rollout-of-4", to version 4',
        },
      ]);
      expect(await wishOn(stage)).toMatchObject({ desiredVersion: 4, wakesAt: NOW + 15_000 });
    });
  });

  test('E10: however often it looks and however many wait, the older one is asked once, and less and less often', async () => {
    await onStage({}, async (stage) => {
      await take(release(4), stage);
      await goesOn(stage);
      stage.now += 1_000_000;

      expect(await take(release(4), stage)).toEqual({ next: 'queue', seconds: 100 });
      expect(await take(release(5), stage)).toEqual(TRY_SOON);

      expect(await asked(stage)).toHaveLength(1);
    });
  });

  test('LeaseHeld: one that does not give way is waited for a day', async () => {
    await onStage({}, async (stage) => {
      await take(release(4), stage);
      await goesOn(stage);
      stage.now = NOW + DAY_MS;
      expect(await take(release(4), stage)).toMatchObject({ next: 'queue' });

      stage.now += 1;
      await expect(take(release(4), stage)).rejects.toMatchObject({
        name: 'LeaseHeld',
      });
    });
  });

  test.each([
    ['StaleTrigger', release(4, { startedBy: { kind: 'release', name: '', at: -1 } })],
    ['DowngradeRefused', release(2, { startedBy: { kind: 'release', name: '', at: NOW + 1 } })],
  ])('E03: %s: asks nobody, keeps the cause, and ends nobody who waits', async (name, request) => {
    await onStage({}, async (stage) => {
      const { ledger } = stage.ports;
      const waits = { ...{ runtimeId: 'shop', rolloutId: 'waits', desiredVersion: 4 }, at: -9 };
      await ledger.recordWish({ ...waits, since: NOW, wakesAt: NOW + 15_000 }, NOW);

      await expect(take(request, stage)).rejects.toMatchObject({
        name,
        cause: { name: 'LeaseHeld' },
      });
      expect(await asked(stage)).toEqual([]);
      expect(await wishOn(stage)).toMatchObject(waits);
    });
  });

  test('X09: one that has ended by the time that it is looked at is not asked', async () => {
    await onStage({}, async (stage) => {
      const held = await stage.ports.ledger.open(release(4), NOW, NOW).catch((error) => error);
      await stage.ports.ledger.close('rollout-1', OVER, NOW);
      const open = () => Promise.reject(held);

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, open } };
      expect(await take(release(4), stage, ports)).toEqual(TRY_SOON);
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
      expect(await take(release(4), stage, ports)).toEqual(TRY_SOON);
    });
  });

  test('A10: one whose request is not recorded yet is looked at again soon', async () => {
    await onStage({}, async (stage) => {
      const options = { holder: 'just-opening' };
      const open = () => Promise.reject(new SteprollError(ErrorName.LeaseHeld, 'Held.', options));

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, open } };
      expect(await take(release(4), stage, ports)).toEqual(TRY_SOON);
    });
  });

  test('L06: it does not wait for itself in another process', async () => {
    await onStage({}, async (stage) => {
      const request = release(4);
      const options = { holder: request.rolloutId };
      const held = new SteprollError(ErrorName.LeaseHeld, 'Held by another process.', options);
      const open = () => Promise.reject(held);

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, open } };
      await expect(take(request, stage, ports)).rejects.toBe(held);
    });
  });
});
