import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { acceptedAt, type NotBegun } from '../../../lib/domain/rollout/opening.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import type { AskedRequest } from '../../../lib/domain/rollout/request.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import {
  ABORTED,
  expectError,
  heldBy,
  NOW,
  requestOf,
  SUCCEEDED,
  UNTIL,
} from './ledger-examples.ts';

/** What a trigger asks for, before anybody has looked at it. */
function askedOf(runtimeId: string): AskedRequest {
  const { rolloutId, startedBy } = requestOf(runtimeId);
  const version = { desiredVersion: null, versionFrom: 'staging' };
  return { rolloutId, runtimeId, ...version, policy: null, startedBy };
}

const ACCEPTED = acceptedAt(NOW);
const CLOSED: NotBegun = {
  wait: {
    ...{ for: 'window', of: 'No window is open.', wave: null, since: NOW + 1 },
    ...{ until: NOW + 60_000, lookAt: NOW + 60_000 },
  },
  opening: { lookedAt: NOW + 1, waited: { turn: 0, version: 0, list: 5 } },
};
const LATER = NOW + 60_000;
const ABORT: Signal = { kind: 'abort', at: NOW, wave: null, by: 'ann', reason: '' };

/** What every ledger promises of a rollout that was asked for and has not begun. */
export function describeAsked(makeLedger: () => Ledger | Promise<Ledger>): void {
  const enlisted = async (request = askedOf(randomUUID())) => {
    const ledger = await makeLedger();
    await ledger.enlist(request, ACCEPTED, NOW);
    return { ledger, request };
  };

  describe('a rollout that was asked for', () => {
    test('can be read and is listed at once, with what it waits for', async () => {
      const { ledger, request } = await enlisted();
      const { rolloutId, runtimeId } = request;

      expect(await ledger.read(rolloutId)).toEqual({
        ...{ request, epoch: 0, startedAt: NOW, ...ACCEPTED, plan: null, rollback: null },
        ...{ progress: null, journal: [], lines: [], signals: [], events: [], unsent: [] },
        ...{ outcome: null, endedAt: null },
      });
      expect(await ledger.list({ runtimeId, limit: 10 })).toEqual([
        { ...request, startedAt: NOW, wait: ACCEPTED.wait, endedAt: null, outcome: null },
      ]);
      expect(await ledger.listWaiting()).toContain(rolloutId);
      expect(await heldBy(ledger, rolloutId)).toEqual([]);
    });

    test('E01: is one rollout, however often it is asked for', async () => {
      const ledger = await makeLedger();
      const request = askedOf(randomUUID());

      const answers = await Promise.all(
        Array.from({ length: 5 }, () => ledger.enlist(request, ACCEPTED, NOW)),
      );

      // None where the storage's first answer was lost, and it was asked again.
      expect(answers.filter((isNew) => isNew).length).toBeLessThanOrEqual(1);
      expect(await ledger.enlist({ ...request, versionFrom: 'other' }, CLOSED, LATER)).toBe(false);
      expect(await ledger.read(request.rolloutId)).toMatchObject({ request, startedAt: NOW });
    });

    test('keeps what is learned of it while it waits', async () => {
      const { ledger, request } = await enlisted();
      const learned = { ...requestOf(request.runtimeId), rolloutId: request.rolloutId };

      await ledger.saveWaiting(learned, CLOSED);

      const record = await ledger.read(request.rolloutId);
      expect(record).toMatchObject({ request: learned, ...CLOSED, epoch: 0 });
      const [listed] = await ledger.list({ runtimeId: request.runtimeId, limit: 1 });
      expect(listed).toMatchObject({ desiredVersion: 7, wait: CLOSED.wait });
    });

    test('takes the lease when it is opened, and waits no more', async () => {
      const { ledger, request } = await enlisted();
      const complete = { ...requestOf(request.runtimeId), rolloutId: request.rolloutId };
      await ledger.signal(request.rolloutId, ABORT);

      const lease = await ledger.open(complete, LATER, UNTIL);

      expect(lease.epoch).toBe(1);
      expect(await ledger.open(complete, LATER, UNTIL)).toEqual(lease);
      expect(await ledger.read(request.rolloutId)).toMatchObject({
        ...{ request: complete, epoch: 1, startedAt: LATER, opening: null, signals: [ABORT] },
      });
      expect(await ledger.listWaiting()).not.toContain(request.rolloutId);
      expect(await heldBy(ledger, request.rolloutId)).toEqual([{ ...lease, leaseUntil: UNTIL }]);
    });

    test('X01: opened twice at once it gets one lease', async () => {
      const { ledger, request } = await enlisted();
      const complete = { ...requestOf(request.runtimeId), rolloutId: request.rolloutId };

      const [one, other] = await Promise.all([
        ledger.open(complete, NOW, UNTIL),
        ledger.open(complete, NOW, UNTIL),
      ]);

      expect(other).toEqual(one);
    });

    test('X02: waits in the ledger while another one has the lease', async () => {
      const { ledger, request } = await enlisted();
      await ledger.open(requestOf(request.runtimeId), NOW, UNTIL);
      const complete = { ...requestOf(request.runtimeId), rolloutId: request.rolloutId };

      await expectError('LeaseHeld', ledger.open(complete, NOW, UNTIL));

      expect(await ledger.read(request.rolloutId)).toMatchObject({ request, ...ACCEPTED });
    });

    test('of another runtime is never opened under the same id', async () => {
      const { ledger, request } = await enlisted();
      const other = { ...requestOf(randomUUID()), rolloutId: request.rolloutId };

      await expectError('InvalidInput', ledger.open(other, NOW, UNTIL));
    });
  });

  test('E08: what it waited for is not stored any more once another process has begun it', async () => {
    const { ledger, request } = await enlisted();
    const complete = { ...requestOf(request.runtimeId), rolloutId: request.rolloutId };
    await ledger.open(complete, NOW, UNTIL);

    await expectError('LeaseLost', ledger.saveWaiting(complete, CLOSED));
    expect(await ledger.read(request.rolloutId)).toMatchObject({ opening: null, epoch: 1 });
  });

  describe('a rollout that ends without having begun', () => {
    test.each(['withdraw', 'close'] as const)(
      'X09: by %s: has one outcome, is to be told, and can never be opened',
      async (end) => {
        const { ledger, request } = await enlisted();
        const { rolloutId, runtimeId } = request;

        expect(await ledger[end](rolloutId, ABORTED, LATER)).toEqual(ABORTED);
        expect(await ledger[end](rolloutId, SUCCEEDED, LATER + 1)).toEqual(ABORTED);

        expect(await ledger.read(rolloutId)).toMatchObject({
          ...{ outcome: ABORTED, endedAt: LATER, wait: null, opening: null, epoch: 0 },
          unsent: [`${rolloutId}/9-ended`],
        });
        expect(await ledger.listUnsent()).toContain(rolloutId);
        expect(await ledger.listWaiting()).not.toContain(rolloutId);
        await expectError(
          'LeaseLost',
          ledger.open({ ...requestOf(runtimeId), rolloutId }, NOW, UNTIL),
        );
        await expectError('RolloutClosed', ledger.saveWaiting(request, CLOSED));
        await expectError('RolloutClosed', ledger.signal(rolloutId, ABORT));
        expect(await ledger.enlist(request, ACCEPTED, NOW)).toBe(false);
        expect((await ledger.open(requestOf(runtimeId), NOW, UNTIL)).epoch).toBe(1);

        await ledger.markSent(rolloutId, [`${rolloutId}/9-ended`]);
        expect(await ledger.listUnsent()).not.toContain(rolloutId);
        expect((await ledger.read(rolloutId)).unsent).toEqual([]);
      },
    );

    test('X09: one that was opened is not withdrawn', async () => {
      const { ledger, request } = await enlisted();
      const { rolloutId, runtimeId } = request;
      const lease = await ledger.open({ ...requestOf(runtimeId), rolloutId }, NOW, UNTIL);

      expect(await ledger.withdraw(rolloutId, ABORTED, LATER)).toBeNull();

      await ledger.renew(lease, UNTIL + 1);
      expect((await ledger.read(rolloutId)).outcome).toBeNull();
    });

    test('X09: withdrawn and opened at once, it is one of the two, and keeps nobody out after its end', async () => {
      const { ledger, request } = await enlisted();
      const { rolloutId, runtimeId } = request;

      const [withdrawn] = await Promise.allSettled([
        ledger.withdraw(rolloutId, ABORTED, NOW),
        ledger.open({ ...requestOf(runtimeId), rolloutId }, NOW, UNTIL),
      ]);

      const { epoch, outcome } = await ledger.read(rolloutId);
      const isWithdrawn = withdrawn.status === 'fulfilled' && withdrawn.value !== null;
      expect([epoch === 0, outcome !== null]).toEqual([isWithdrawn, isWithdrawn]);
      await ledger.close(rolloutId, ABORTED, NOW);
      expect(await heldBy(ledger, rolloutId)).toEqual([]);
      await ledger.open(requestOf(runtimeId), NOW, UNTIL);
    });

    test('one that nobody has asked for cannot be withdrawn, and waits for nothing', async () => {
      const ledger = await makeLedger();
      await expectError('RolloutNotFound', ledger.withdraw(randomUUID(), ABORTED, NOW));
      await expectError('RolloutNotFound', ledger.saveWaiting(askedOf(randomUUID()), CLOSED));
    });

    test('A10: burying is for what is not recorded: it leaves one that waits as it is', async () => {
      const { ledger, request } = await enlisted();
      const { rolloutId, runtimeId } = request;
      await ledger.bury(rolloutId);

      expect((await ledger.open({ ...requestOf(runtimeId), rolloutId }, NOW, UNTIL)).epoch).toBe(1);
    });
  });
}
