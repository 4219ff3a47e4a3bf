import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { LEASE_MARGIN_MS } from '../../../lib/domain/rollout/lease.ts';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { Ready } from '../../../lib/steps/opening/condition.ts';
import { hindrance } from '../../../lib/steps/opening/condition.ts';
import { opening as startWith, waitToOpen } from '../../../lib/steps/opening/conditions.ts';
import { leaseTaken, runtimeFree } from '../../../lib/steps/opening/lease.ts';
import { listRead } from '../../../lib/steps/opening/list.ts';
import { newest } from '../../../lib/steps/opening/newest.ts';
import { planAgreed } from '../../../lib/steps/opening/plan.ts';
import { endpoint, policyOf, recordOf } from '../../domain/examples.ts';
import { NOW, onStage, openingPorts, type Stage } from '../stage.ts';

type Request = Ready['request'];
const URL = 'https://endpoints.example.com';
const OVER: Outcome = { outcome: 'Superseded', cleanup: 'none', reason: 'GaveWay', message: '' };
const DAY_MS = 24 * 3_600_000;
const TRY_SOON = { next: 'wait', step: 'open', seconds: 15 };

/** A newer release than the rollout of the stage, which goes to version 3. */
function release(desiredVersion: number, said: Partial<Request> = {}): Request {
  return {
    ...recordOf().request,
    endpointUrl: URL,
    rolloutId: `rollout-of-${desiredVersion}`,
    desiredVersion,
    policy: policyOf({ onConflict: 'latest' }),
    startedBy: { kind: 'release', name: '', at: NOW },
    ...said,
  };
}

/** The rollout under way renews its lease, and does not give way. */
const goesOn = ({ ports, lease }: Stage) => ports.ledger.renew(lease, NOW + 2 * DAY_MS);

/** As `openRollout` does it: of a rollout that the ledger has. */
async function take(request: Request, stage: Stage, ports = stage.ports) {
  const { ledger } = stage.ports;
  await ledger.enlist(request, acceptedAt(stage.now), stage.now);
  const { wait, opening } = await ledger.read(request.rolloutId);
  stage.list = [endpoint('web-1')];
  const rollout = { request, wait, opening, holds: [] };
  const answer = await startWith<typeof rollout>()
    .with(newest)
    .with(runtimeFree)
    .with(listRead)
    .with(planAgreed)
    .with(leaseTaken)
    .firstNotGo(rollout, openingPorts(ports));
  return 'next' in answer ? answer : { next: 'open', lease: answer.met.lease };
}

const refused = (reason: string) => ({ next: 'close', ending: { outcome: 'Refused', reason } });

const of = (runtimeId: string) => ({ runtimeId, endpointUrl: URL });
const latestOn = ({ ports }: Stage) => ports.ledger.findLatestRequest(of('shop'));

const asked = async (stage: Stage) =>
  (await stage.read()).signals.filter(({ kind }) => kind === 'give-way');

describe('the lease of a runtime', () => {
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

      expect(await take(request, stage)).toMatchObject(refused('LeaseHeld'));

      expect(await asked(stage)).toEqual([]);
      expect(await latestOn(stage)).toBeNull();
    });
  });

  test('A12: has the lease already, and gets it again', async () => {
    await onStage({}, async (stage) => {
      expect(await take({ ...recordOf().request, endpointUrl: URL }, stage)).toEqual({
        next: 'open',
        lease: stage.lease,
      });
    });
  });

  test('E08: LeaseHeld: with the policy refuse it asks nobody to give way, and leaves no request', async () => {
    await onStage({}, async (stage) => {
      expect(await take(release(4, { policy: policyOf() }), stage)).toMatchObject(
        refused('LeaseHeld'),
      );
      expect(await asked(stage)).toEqual([]);
      expect(await latestOn(stage)).toBeNull();
    });
  });

  test('E02: one for the same version asks nobody, and waits', async () => {
    await onStage({}, async (stage) => {
      expect(await take(release(3), stage)).toMatchObject(TRY_SOON);

      expect(await asked(stage)).toEqual([]);
      expect(await latestOn(stage)).toMatchObject({ desiredVersion: 3, wakesAt: NOW + 15_000 });
    });
  });

  test('E08: asks the older one to give way, and waits', async () => {
    await onStage({}, async (stage) => {
      expect(await take(release(4), stage)).toMatchObject(TRY_SOON);

      expect(await asked(stage)).toEqual([
        {
          kind: 'give-way',
          at: NOW,
          wave: null,
          by: 'rollout-of-4',
          reason: 'Gave way to the newer rollout "rollout-of-4", to version 4',
        },
      ]);
      expect(await latestOn(stage)).toMatchObject({ desiredVersion: 4, wakesAt: NOW + 15_000 });
    });
  });

  test('E10: however often one looks, it asks once, and looks less and less often', async () => {
    await onStage({}, async (stage) => {
      await goesOn(stage);
      const seconds: number[] = [];
      for (let look = 0; look < 30; look += 1) {
        const answer = await take(release(4), stage);
        seconds.push('seconds' in answer ? answer.seconds : 0);
        stage.now += (seconds.at(-1) ?? 0) * 1000;
      }

      expect(seconds.toSorted((one, other) => one - other)).toEqual(seconds);
      expect([seconds[0], seconds.at(-1)]).toEqual([15, 94]);
      expect(await asked(stage)).toHaveLength(1);
    });
  });

  test('E10: each one that waits asks for itself: those before it may be gone', async () => {
    await onStage({}, async (stage) => {
      await take(release(4), stage);
      await take(release(5), stage);

      expect((await asked(stage)).map(({ by }) => by)).toEqual(['rollout-of-4', 'rollout-of-5']);
    });
  });

  test('E08: nothing is asked to give way for one that the ledger does not have as waiting', async () => {
    await onStage({}, async (stage) => {
      const saveWaiting = () => Promise.reject(new Error('disk full'));
      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, saveWaiting } };

      await expect(take(release(4), stage, ports)).rejects.toThrow('disk full');
      expect(await asked(stage)).toEqual([]);
    });
  });

  test('LeaseHeld: one that does not give way is waited for a day, whatever was waited before for a window', async () => {
    await onStage({}, async (stage) => {
      await stage.ports.ledger.renew(stage.lease, NOW + 9 * DAY_MS);
      const { ledger, clock } = stage.ports;
      await ledger.enlist(release(4), acceptedAt(NOW), NOW);
      const closed = hindrance('window', 'Closed.', 3 * 86_400, NOW + 3 * DAY_MS);
      const rollout = { request: release(4), wait: null, opening: null };
      await waitToOpen(rollout, closed, { ledger, clock });
      stage.now += 3 * DAY_MS;
      const began = stage.now;
      const untilRefused = async (): Promise<string> => {
        const answer = await take(release(4), stage);
        if ('ending' in answer) return answer.ending.reason;
        stage.now += 'seconds' in answer ? answer.seconds * 1000 : 0;
        return untilRefused();
      };

      expect(await untilRefused()).toBe('LeaseHeld');
      expect((await asked(stage)).length).toBe(1);
      expect(stage.now - began).toBe(DAY_MS);
    });
  });

  test('E03: an older request ends as overtaken, asks nobody, and ends nobody who waits', async () => {
    await onStage({}, async (stage) => {
      const { ledger } = stage.ports;
      const waits = { ...of('shop'), rolloutId: 'waits', desiredVersion: 4, at: -9 };
      await ledger.recordLatestRequest({ ...waits, wakesAt: NOW + 15_000 }, NOW);

      const older = release(4, { startedBy: { kind: 'release', name: '', at: -1 } });
      expect(await take(older, stage)).toMatchObject({
        ending: { outcome: 'Superseded', reason: 'Overtaken' },
      });
      expect(await asked(stage)).toEqual([]);
      expect(await latestOn(stage)).toMatchObject(waits);
    });
  });

  test('E03: DowngradeRefused: asks nobody, and ends nobody who waits', async () => {
    await onStage({}, async (stage) => {
      const request = release(2, { startedBy: { kind: 'release', name: '', at: NOW + 1 } });
      const { ledger } = stage.ports;
      const waits = { ...of('shop'), rolloutId: 'waits', desiredVersion: 4, at: -9 };
      await ledger.recordLatestRequest({ ...waits, wakesAt: NOW + 15_000 }, NOW);

      expect(await take(request, stage)).toMatchObject(refused('DowngradeRefused'));
      expect(await asked(stage)).toEqual([]);
      expect(await latestOn(stage)).toMatchObject(waits);
    });
  });

  test('X09: one that has ended by the time that it is looked at is not asked', async () => {
    await onStage({}, async (stage) => {
      const held = await stage.ports.ledger.open(release(4), NOW, NOW).catch((error) => error);
      await stage.ports.ledger.close('rollout-1', OVER, NOW);
      const mayOpen = () => Promise.reject(held);

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, mayOpen } };
      expect(await take(release(4), stage, ports)).toMatchObject(TRY_SOON);
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
      expect(await take(release(4), stage, ports)).toMatchObject(TRY_SOON);
    });
  });

  test('A10: one whose request is not recorded yet is looked at again soon', async () => {
    await onStage({}, async (stage) => {
      const options = { holder: 'just-opening' };
      const mayOpen = () =>
        Promise.reject(new SteprollError(ErrorName.LeaseHeld, 'Held.', options));

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, mayOpen } };
      expect(await take(release(4), stage, ports)).toMatchObject(TRY_SOON);
    });
  });

  test('L06: it does not wait for itself in another process', async () => {
    await onStage({}, async (stage) => {
      const request = release(4);
      const options = { holder: request.rolloutId };
      const held = new SteprollError(ErrorName.LeaseHeld, 'Held by another process.', options);
      const mayOpen = () => Promise.reject(held);

      const ports = { ...stage.ports, ledger: { ...stage.ports.ledger, mayOpen } };
      expect(await take(request, stage, ports)).toMatchObject(refused('LeaseHeld'));
    });
  });
});
