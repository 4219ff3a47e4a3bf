import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { eventIdOf } from '../../../lib/domain/rollout/event.ts';
import type { Lease } from '../../../lib/domain/rollout/lease.ts';
import type { LogLine, Signal, WaveProgress } from '../../../lib/domain/rollout/record.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { beginWith } from '../../support/begin-with.ts';
import { ASKS, describeAnswers } from './ledger-answers-contract.ts';
import { describeAsked } from './ledger-asked-contract.ts';
import { describeEvents, startOf } from './ledger-events-contract.ts';
import {
  ABORTED,
  EXPIRED,
  expectError,
  heldBy,
  line,
  NOW,
  opened,
  planOf,
  requestOf,
  rollbackOf,
  SUCCEEDED,
  UNTIL,
} from './ledger-examples.ts';
import { describeHistory } from './ledger-history-contract.ts';
import { describeHolds } from './ledger-holds-contract.ts';
import { describeLatestRequests } from './ledger-latest-request-contract.ts';
import { describeReleases } from './ledger-releases-contract.ts';

/** What every ledger promises. `makeLedger` may answer the same ledger each time. */
export function describeLedger(name: string, makeLedger: () => Ledger | Promise<Ledger>): void {
  describe(name, () => {
    describeAnswers(makeLedger);
    describeEvents(makeLedger);
    describeHistory(makeLedger);
    describeHolds(makeLedger);
    describeLatestRequests(makeLedger);
    describeReleases(makeLedger);
    describeAsked(makeLedger);

    test('a rollout that is opened can be read', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());

      const lease = await ledger.open(request, NOW, UNTIL);

      expect(lease).toEqual({
        runtimeId: request.runtimeId,
        rolloutId: request.rolloutId,
        epoch: 1,
      });
      expect(await ledger.read(request.rolloutId)).toEqual({
        request,
        epoch: 1,
        startedAt: NOW,
        wait: null,
        opening: null,
        plan: null,
        rollback: null,
        progress: null,
        journal: [],
        lines: [],
        signals: [],
        events: [],
        unsent: [],
        outcome: null,
        endedAt: null,
      });
    });

    test('A12: opening the same rollout again answers the same lease', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      const lease = await ledger.open(request, NOW, UNTIL);

      expect(await ledger.open(request, NOW + 1, UNTIL)).toEqual(lease);
      // Nobody has taken it over, so it is still the owner.
      expect(await ledger.open(request, EXPIRED + 1, UNTIL)).toEqual(lease);
      expect((await ledger.read(request.rolloutId)).startedAt).toBe(NOW);
    });

    test('opening the same rollout again extends its lease', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      await ledger.open(request, NOW, UNTIL);
      await ledger.open(request, UNTIL, UNTIL + 300_000);

      await expectError('LeaseHeld', ledger.open(requestOf(request.runtimeId), EXPIRED, UNTIL));
    });

    test('a rollout id is never reused for another runtime', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      await ledger.open(request, NOW, UNTIL);
      const other = { ...request, runtimeId: randomUUID() };

      await expectError('InvalidInput', ledger.open(other, NOW, UNTIL));
      expect((await ledger.open(requestOf(other.runtimeId), NOW, UNTIL)).epoch).toBe(1);
    });

    test('X02: a second rollout of a runtime is refused while the lease is held', async () => {
      const ledger = await makeLedger();
      const { runtimeId } = await opened(ledger);
      const second = requestOf(runtimeId);

      await expectError('LeaseHeld', ledger.open(second, NOW, UNTIL));
      await expectError('RolloutNotFound', ledger.read(second.rolloutId));
    });

    test('X10: an expired lease is taken over only after the tolerance for clocks', async () => {
      const ledger = await makeLedger();
      const { runtimeId } = await opened(ledger);
      const second = requestOf(runtimeId);

      await expectError('LeaseHeld', ledger.open(second, EXPIRED - 1, EXPIRED + 1));
      expect((await ledger.open(second, EXPIRED, EXPIRED + 1)).epoch).toBe(2);
    });

    test('what a look adds to the log is stored beside its progress, in order, for as long as it has the lease', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const news: readonly LogLine[] = [1, 2, 3].map((at) => ({
        ...{ kind: 'gate', gate: 'alarm errors', wave: 1, at, detail: `${at}` },
        verdict: at === 2 ? 'pass' : 'fail',
      }));
      const [first, ...rest] = news;
      const progress = progressOf(3, 1);

      await ledger.saveProgress(lease, { ...progress, news: first ? [first] : [] });
      await ledger.append(lease, [line(1)]);
      await ledger.saveProgress(lease, { ...progress, news: rest });

      const record = await ledger.read(lease.rolloutId);
      expect(record.lines).toEqual(news);
      expect(record.progress).toEqual(progress);
      expect(record.journal).toHaveLength(1);
      const lost = { ...lease, epoch: lease.epoch + 1 };
      await expectError('LeaseLost', ledger.saveProgress(lost, { ...progress, news }));
    });

    test('X03: a rollout whose lease is taken over has ended with that, and its end is to be told', async () => {
      const ledger = await makeLedger();
      const old = await opened(ledger);
      await ledger.append(old, [line(1)]);
      const next = requestOf(old.runtimeId);

      await ledger.open(next, EXPIRED, EXPIRED + 1);

      expect(await ledger.read(old.rolloutId)).toMatchObject({
        outcome: {
          ...{ outcome: 'Errored', cleanup: 'incomplete', reason: 'LeaseLost' },
          message: expect.stringContaining(
            `rollout "${next.rolloutId}" has taken the runtime over`,
          ),
        },
        endedAt: EXPIRED,
        journal: [line(1)],
        unsent: [eventIdOf(old.rolloutId, 'ended')],
      });
      expect(await ledger.listUnsent()).toContain(old.rolloutId);
      await expectError('RolloutClosed', ledger.signal(old.rolloutId, ABORT));
      expect(await ledger.close(old.rolloutId, SUCCEEDED, EXPIRED + 1)).toMatchObject({
        reason: 'LeaseLost',
      });
    });

    test('X03: a rollout that had ended keeps its outcome when its lease is taken over', async () => {
      const ledger = await makeLedger();
      const old = await opened(ledger);
      await ledger.close(old.rolloutId, SUCCEEDED, NOW);

      await ledger.open(requestOf(old.runtimeId), EXPIRED, EXPIRED + 1);

      expect(await ledger.read(old.rolloutId)).toMatchObject({ outcome: SUCCEEDED, endedAt: NOW });
    });

    test('a lease is not taken over for another service, and the refusal names the service', async () => {
      const ledger = await makeLedger();
      const holder = requestOf(randomUUID());
      await ledger.open(holder, NOW, UNTIL);
      const other = { ...requestOf(holder.runtimeId), endpointUrl: 'https://staging.example.com' };

      for (const at of [NOW, EXPIRED]) {
        await expect(ledger.open(other, at, at + 1)).rejects.toMatchObject({
          name: 'LeaseHeld',
          holder: holder.rolloutId,
          message: expect.stringContaining(`at ${holder.endpointUrl}, and has not ended`),
        });
      }
      expect((await ledger.read(holder.rolloutId)).outcome).toBeNull();
      await ledger.close(holder.rolloutId, SUCCEEDED, EXPIRED);
      expect((await ledger.open(other, EXPIRED, EXPIRED + 1)).epoch).toBe(2);
    });

    test('renewing keeps others out for longer', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      await ledger.renew(lease, UNTIL + 1);

      await expectError('LeaseHeld', ledger.open(requestOf(lease.runtimeId), EXPIRED, EXPIRED + 1));
    });

    test.each(writes)('X03: after a take-over the old holder cannot $name', async ({ write }) => {
      const ledger = await makeLedger();
      const old = await opened(ledger);
      const next = await ledger.open(requestOf(old.runtimeId), EXPIRED, EXPIRED + 300_000);
      const before = await ledger.read(old.rolloutId);

      await expectError('LeaseLost', write(ledger, old));

      expect(await ledger.read(old.rolloutId)).toEqual(before);
      await ledger.renew(next, EXPIRED + 300_000);
    });

    test('A16: a rollout whose lease was taken over never gets one again', async () => {
      const ledger = await makeLedger();
      const first = requestOf(randomUUID());
      await ledger.open(first, NOW, UNTIL);
      const second = requestOf(first.runtimeId);
      await ledger.open(second, EXPIRED, EXPIRED + 1);

      await expectError('LeaseLost', ledger.open(first, EXPIRED, UNTIL));
      await ledger.close(second.rolloutId, SUCCEEDED, EXPIRED);
      await expectError('LeaseLost', ledger.open(first, EXPIRED, UNTIL));
    });

    test.each(writes)('X09: after the close nobody can $name', async ({ write }) => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      await ledger.close(lease.rolloutId, SUCCEEDED, NOW + 5);
      const before = await ledger.read(lease.rolloutId);

      await expectError('LeaseLost', write(ledger, lease));

      expect(await ledger.read(lease.rolloutId)).toEqual(before);
      expect(before).toMatchObject({ outcome: SUCCEEDED, endedAt: NOW + 5, journal: [] });
    });

    test('A10: a closed rollout frees its runtime at once, and cannot be opened again', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      await ledger.open(request, NOW, UNTIL);
      await ledger.close(request.rolloutId, SUCCEEDED, NOW);

      await expectError('LeaseLost', ledger.open(request, NOW, UNTIL));
      const next = await ledger.open(requestOf(request.runtimeId), NOW, UNTIL);
      expect(next.epoch).toBe(2);
      await expectError('LeaseLost', ledger.open(request, NOW, UNTIL));
    });

    test('X09: the first outcome wins', async () => {
      const ledger = await makeLedger();
      const { rolloutId } = await opened(ledger);

      expect(await ledger.close(rolloutId, SUCCEEDED, NOW)).toEqual(SUCCEEDED);
      expect(await ledger.close(rolloutId, ABORTED, NOW + 1)).toEqual(SUCCEEDED);
      expect(await ledger.read(rolloutId)).toMatchObject({ outcome: SUCCEEDED, endedAt: NOW });
    });

    test('X09: of two outcomes at once both callers learn the one that is stored', async () => {
      const ledger = await makeLedger();
      const { rolloutId } = await opened(ledger);

      const answers = await Promise.all([
        ledger.close(rolloutId, SUCCEEDED, NOW),
        ledger.close(rolloutId, ABORTED, NOW),
      ]);

      const { outcome } = await ledger.read(rolloutId);
      expect(answers).toEqual([outcome, outcome]);
    });

    test('A10: the close of a rollout that lost its lease leaves the new holder alone', async () => {
      const ledger = await makeLedger();
      const old = await opened(ledger);
      const next = await ledger.open(requestOf(old.runtimeId), EXPIRED, EXPIRED + 300_000);

      const { outcome } = await ledger.read(old.rolloutId);
      expect(outcome).toMatchObject({ reason: 'LeaseLost' });
      expect(await ledger.close(old.rolloutId, ABORTED, EXPIRED)).toEqual(outcome);

      await ledger.append(next, [line(1)]);
      await expectError('LeaseHeld', ledger.open(requestOf(old.runtimeId), EXPIRED, EXPIRED + 1));
    });

    test('the plan is frozen once', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      const openWith = (endpoints: number) =>
        ledger.open(request, NOW, UNTIL, beginWith(planOf(endpoints)));

      const lease = await openWith(3);
      expect(await openWith(4)).toEqual(lease);
      expect((await ledger.read(request.rolloutId)).plan).toEqual(planOf(3));
    });

    test('X03: what has begun under another plan, or has ended, is not begun a second time', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      const lease = await ledger.open(request, NOW, UNTIL, beginWith(planOf(3)));
      await ledger.append(lease, [line(1)]);
      const before = await ledger.read(request.rolloutId);

      await ledger.open(request, EXPIRED, EXPIRED + 1, beginWith(planOf(4)));
      expect(await ledger.read(request.rolloutId)).toEqual(before);

      await ledger.close(request.rolloutId, SUCCEEDED, NOW);
      const ended = await ledger.read(request.rolloutId);
      await expectError('LeaseLost', ledger.open(request, NOW, UNTIL, beginWith(planOf(4))));
      expect(await ledger.read(request.rolloutId)).toEqual(ended);
    });

    test('a plan that was made before somebody else had the lease is not begun with', async () => {
      const ledger = await makeLedger();
      const { runtimeId, rolloutId } = await opened(ledger);
      const request = requestOf(runtimeId);
      const begin = { ...beginWith(planOf(3)), epoch: 1, leaseUntil: UNTIL };

      await expectError('LeaseHeld', ledger.mayOpen(request, NOW));
      await ledger.close(rolloutId, SUCCEEDED, NOW);
      expect(await ledger.mayOpen(request, NOW)).toEqual({
        epoch: 1,
        leaseUntil: UNTIL,
        dead: null,
      });
      const between = await ledger.open(requestOf(runtimeId), NOW, UNTIL);
      await ledger.close(between.rolloutId, SUCCEEDED, NOW);

      await expect(ledger.open(request, NOW, UNTIL, begin)).rejects.toMatchObject({
        name: 'LeaseHeld',
        holder: undefined,
      });
      await expectError('RolloutNotFound', ledger.read(request.rolloutId));
      const now = await ledger.mayOpen(request, NOW);
      await ledger.open(request, NOW, UNTIL, { ...begin, ...now });
      expect((await ledger.read(request.rolloutId)).plan).toEqual(planOf(3));
    });

    test('nor one that was made while somebody went on whose lease had run out', async () => {
      const ledger = await makeLedger();
      const late = await opened(ledger);
      const request = requestOf(late.runtimeId);
      const free = await ledger.mayOpen(request, EXPIRED);
      await ledger.renew(late, EXPIRED + 1);
      await ledger.close(late.rolloutId, SUCCEEDED, EXPIRED);

      const begin = { ...beginWith(planOf(3)), ...free };
      await expectError('LeaseHeld', ledger.open(request, EXPIRED, EXPIRED + 1, begin));
      await expectError('RolloutNotFound', ledger.read(request.rolloutId));
    });

    test('whoever asks whether it may open is told who died, and ends nobody', async () => {
      const ledger = await makeLedger();
      const { runtimeId, rolloutId } = await opened(ledger);

      const dead = { epoch: 1, leaseUntil: UNTIL, dead: rolloutId };
      expect(await ledger.mayOpen(requestOf(runtimeId), EXPIRED)).toEqual(dead);
      expect((await ledger.read(rolloutId)).outcome).toBeNull();
    });

    test('of two ways back at once both callers learn the one that is stored', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);

      const answers = await Promise.all([
        ledger.freezeRollback(lease, rollbackOf(3)),
        ledger.freezeRollback(lease, rollbackOf(4)),
      ]);

      const { rollback } = await ledger.read(lease.rolloutId);
      expect(answers).toEqual([rollback, rollback]);
    });

    test('X05: the way back is frozen once, next to the plan', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      const lease = await ledger.open(request, NOW, UNTIL, beginWith(planOf(3)));

      expect(await ledger.freezeRollback(lease, rollbackOf(3))).toEqual(rollbackOf(3));
      expect(await ledger.freezeRollback(lease, rollbackOf(2))).toEqual(rollbackOf(3));
      expect(await ledger.read(lease.rolloutId)).toMatchObject({
        plan: planOf(3),
        rollback: rollbackOf(3),
      });
    });

    test('X05: of two ways back at once both callers learn the one that is stored', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);

      const answers = await Promise.all([
        ledger.freezeRollback(lease, rollbackOf(3)),
        ledger.freezeRollback(lease, rollbackOf(2)),
      ]);

      const { rollback } = await ledger.read(lease.rolloutId);
      expect(rollback).not.toBeNull();
      expect(answers).toEqual([rollback, rollback]);
    });

    test('what people say is read in the order in which they said it', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      await ledger.saveProgress(lease, progressOf(1, 1), ASKS);
      for (const signal of [ABORT, REJECT, APPROVE]) await ledger.signal(lease.rolloutId, signal);

      const { signals } = await ledger.read(lease.rolloutId);
      expect(signals).toEqual([{ ...APPROVE, key: 'ann' }, { ...REJECT, key: 'bob' }, ABORT]);
      expect((await ledger.hear(lease)).signals).toEqual(signals);
    });

    test('what people say at once is all there', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const said = Array.from({ length: 5 }, (_, n) => ({ ...ABORT, by: `person-${n}` }));

      await Promise.all(said.map((signal) => ledger.signal(lease.rolloutId, signal)));

      const { signals } = await ledger.read(lease.rolloutId);
      expect(signals.toSorted((a, b) => a.by.localeCompare(b.by))).toEqual(said);
    });

    test('whoever says something needs no lease, and takes none away', async () => {
      const ledger = await makeLedger();
      const old = await opened(ledger);
      const next = await ledger.open(requestOf(old.runtimeId), EXPIRED, EXPIRED + 300_000);

      await ledger.signal(next.rolloutId, ABORT);

      await ledger.renew(next, EXPIRED + 300_000);
      expect((await ledger.read(next.rolloutId)).signals).toEqual([ABORT]);
      expect((await ledger.read(old.rolloutId)).signals).toEqual([]);
    });

    test('X09: to a rollout that has ended nobody has anything to say', async () => {
      const ledger = await makeLedger();
      const { rolloutId } = await opened(ledger);
      await ledger.signal(rolloutId, PROMOTE);
      await ledger.close(rolloutId, SUCCEEDED, NOW);
      const before = await ledger.read(rolloutId);

      await expectError('RolloutClosed', ledger.signal(rolloutId, ABORT));

      expect(await ledger.read(rolloutId)).toEqual(before);
      expect(before.signals).toEqual([PROMOTE]);
    });

    test('X09: an outcome that has not heard all that was said is not stored, and takes nothing away', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      await ledger.signal(lease.rolloutId, PROMOTE);
      await ledger.signal(lease.rolloutId, ABORT);

      expect(await ledger.close(lease.rolloutId, SUCCEEDED, NOW, [])).toBeNull();
      expect(await ledger.close(lease.rolloutId, SUCCEEDED, NOW, [ABORT])).toBeNull();

      expect(await ledger.read(lease.rolloutId)).toMatchObject({ outcome: null, endedAt: null });
      await ledger.append(lease, [line(1)]);
      expect(await ledger.close(lease.rolloutId, ABORTED, NOW, [PROMOTE, ABORT])).toEqual(ABORTED);
      // What is stored is the outcome, whatever who comes later has heard.
      expect(await ledger.close(lease.rolloutId, SUCCEEDED, NOW, [])).toEqual(ABORTED);
    });

    test('X09: an abort and a close at once: the abort is refused, or the outcome is not stored', async () => {
      const ledger = await makeLedger();
      for (let round = 0; round < 20; round += 1) {
        const { rolloutId } = await opened(ledger);

        const [said, closed] = await Promise.allSettled([
          ledger.signal(rolloutId, ABORT),
          ledger.close(rolloutId, SUCCEEDED, NOW, []),
        ]);

        const { signals, outcome } = await ledger.read(rolloutId);
        if (said.status === 'rejected') {
          expect(said.reason).toMatchObject({ name: 'RolloutClosed' });
          expect({ signals, outcome }).toEqual({ signals: [], outcome: SUCCEEDED });
        } else {
          expect(closed).toEqual({ status: 'fulfilled', value: null });
          expect({ signals, outcome }).toEqual({ signals: [ABORT], outcome: null });
        }
      }
    });

    test('X03: one that is taken over ends as Aborted where an abort was accepted that leaves all as it is', async () => {
      const ledger = await makeLedger();
      const old = await opened(ledger);
      const next = requestOf(old.runtimeId);
      await ledger.signal(old.rolloutId, { ...ABORT, onFailure: 'hold' });

      await ledger.open(next, EXPIRED, EXPIRED + 1);

      expect((await ledger.read(old.rolloutId)).outcome).toMatchObject({
        ...{ outcome: 'Aborted', cleanup: 'none', reason: 'Aborted' },
        message: expect.stringMatching(/^Aborted by .*has taken the runtime over/),
      });
    });

    test('the journal keeps every entry in the order of the appends', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      // All in one millisecond, and the clock steps back: the order must not depend on time.
      const entries = Array.from({ length: 12 }, (_, n) => ({ ...line(n), at: NOW - (n % 3) }));
      await ledger.append(lease, entries.slice(0, 5));
      for (const entry of entries.slice(5)) {
        await ledger.append(lease, [entry]);
      }

      expect((await ledger.read(lease.rolloutId)).journal).toEqual(entries);
    });

    test('appends at once keep their own order and lose nothing', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const batches = Array.from({ length: 8 }, (_, batch) => [line(batch), line(batch + 100)]);

      await Promise.all(batches.map((entries) => ledger.append(lease, entries)));

      const { journal } = await ledger.read(lease.rolloutId);
      expect(journal).toHaveLength(16);
      for (const batch of batches) {
        const at = journal.findIndex(({ endpointId }) => endpointId === batch[0]?.endpointId);
        expect(journal.slice(at, at + 2)).toEqual(batch);
      }
    });

    test('progress is replaced', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      await ledger.saveProgress(lease, progressOf(3, 1));
      await ledger.saveProgress(lease, progressOf(3, 2));

      expect((await ledger.read(lease.rolloutId)).progress).toEqual(progressOf(3, 2));
    });

    test('10,000 endpoints fit: plan, way back, journal and progress', async () => {
      const ledger = await makeLedger();
      const plan = planOf(10_000);
      const lease = await ledger.open(requestOf(randomUUID()), NOW, UNTIL, beginWith(plan));
      const journal = plan.endpoints.map(({ endpointId }) => ({ ...line(0), endpointId }));

      await ledger.freezeRollback(lease, rollbackOf(10_000));
      await ledger.append(lease, journal);
      await ledger.saveProgress(lease, progressOf(10_000, 1));

      const record = await ledger.read(lease.rolloutId);
      expect(record.plan).toEqual(plan);
      expect(record.rollback).toEqual(rollbackOf(10_000));
      expect(record.journal).toEqual(journal);
      expect(record.progress).toEqual(progressOf(10_000, 1));
    }, 20_000);

    test('a rollout that was never opened is not found', async () => {
      const ledger = await makeLedger();
      const rolloutId = randomUUID();

      await expectError('RolloutNotFound', ledger.read(rolloutId));
      await expectError('RolloutNotFound', ledger.close(rolloutId, ABORTED, NOW));
      await expectError('RolloutNotFound', ledger.signal(rolloutId, ABORT));
      const lease = { runtimeId: randomUUID(), rolloutId, epoch: 1 };
      await expectError('LeaseLost', ledger.renew(lease, UNTIL));
      await expectError('LeaseLost', ledger.append(lease, [line(1)]));
    });

    test('X01: of ten opens in the same millisecond exactly one wins', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const opens = await Promise.allSettled(
        Array.from({ length: 10 }, () => ledger.open(requestOf(runtimeId), NOW, UNTIL)),
      );

      const won = opens.filter(({ status }) => status === 'fulfilled');
      const lost = opens.flatMap((open) => (open.status === 'rejected' ? [open.reason.name] : []));
      expect(won).toHaveLength(1);
      expect(lost).toEqual(Array(9).fill('LeaseHeld'));
    });

    test('X01: of two take-overs in the same millisecond exactly one wins', async () => {
      const ledger = await makeLedger();
      const { runtimeId } = await opened(ledger);
      const opens = await Promise.allSettled([
        ledger.open(requestOf(runtimeId), EXPIRED, EXPIRED + 1),
        ledger.open(requestOf(runtimeId), EXPIRED, EXPIRED + 1),
      ]);

      expect(opens.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(opens).toContainEqual(
        expect.objectContaining({ value: expect.objectContaining({ epoch: 2 }) }),
      );
    });

    test('E01: the same rollout opened twice at once gets one lease', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      const [one, other] = await Promise.all([
        ledger.open(request, NOW, UNTIL),
        ledger.open(request, NOW, UNTIL),
      ]);

      expect(other).toEqual(one);
      expect(one.epoch).toBe(1);
    });

    test('every lease is listed until it is given back, also when it has run out', async () => {
      const ledger = await makeLedger();
      const first = await opened(ledger);
      const second = await ledger.open(requestOf(first.runtimeId), EXPIRED, EXPIRED + 1);
      await ledger.renew(second, EXPIRED + 5);
      const third = await opened(ledger);

      expect(await heldBy(ledger, first.rolloutId)).toEqual([]);
      expect(await heldBy(ledger, second.rolloutId)).toEqual([
        { ...second, leaseUntil: EXPIRED + 5 },
      ]);
      expect(await heldBy(ledger, third.rolloutId)).toEqual([{ ...third, leaseUntil: UNTIL }]);
    });

    test('a lease that was given back is not listed, and is again when it is taken', async () => {
      const ledger = await makeLedger();
      const first = await opened(ledger);
      await ledger.close(first.rolloutId, SUCCEEDED, NOW);
      expect(await heldBy(ledger, first.rolloutId)).toEqual([]);

      const second = await ledger.open(requestOf(first.runtimeId), NOW, UNTIL);

      expect(await heldBy(ledger, first.rolloutId)).toEqual([]);
      expect(await heldBy(ledger, second.rolloutId)).toEqual([{ ...second, leaseUntil: UNTIL }]);
    });

    test('A10: a rollout that was buried can never be opened, and keeps nobody else out', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      await ledger.bury(request.rolloutId);
      await ledger.bury(request.rolloutId);

      await expectError('LeaseLost', ledger.open(request, NOW, UNTIL));
      await expectError('RolloutNotFound', ledger.read(request.rolloutId));
      await expectError('RolloutNotFound', ledger.close(request.rolloutId, ABORTED, NOW));
      expect(await heldBy(ledger, request.rolloutId)).toEqual([]);
      expect((await ledger.open(requestOf(request.runtimeId), NOW, UNTIL)).epoch).toBe(1);
    });

    test('A10: a rollout that was opened is not buried any more', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      const lease = await ledger.open(request, NOW, UNTIL);

      await ledger.bury(request.rolloutId);

      await ledger.append(lease, [line(1)]);
      expect(await ledger.open(request, NOW, UNTIL)).toEqual(lease);
      expect(await heldBy(ledger, lease.rolloutId)).toEqual([{ ...lease, leaseUntil: UNTIL }]);
    });

    test('A10: a rollout that is closed and buried keeps its outcome', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      await ledger.open(request, NOW, UNTIL);
      await ledger.close(request.rolloutId, SUCCEEDED, NOW);

      await ledger.bury(request.rolloutId);

      await expectError('LeaseLost', ledger.open(request, NOW, UNTIL));
      expect((await ledger.read(request.rolloutId)).outcome).toEqual(SUCCEEDED);
    });

    test('ids are free text: none can reach into the record of another', async () => {
      const ledger = await makeLedger();
      const id = randomUUID();
      const ids = [id, `rollout#${id}`, `${id}#lease`, `${id}%`, `${id}'`, `${id} `, `${id}\u0000`];
      const requests = ids.map((text) => ({ ...requestOf(text), rolloutId: text }));
      for (const request of requests) {
        const lease = await ledger.open(request, NOW, UNTIL);
        await ledger.append(lease, [{ ...line(1), message: request.rolloutId }]);
      }

      for (const request of requests) {
        const record = await ledger.read(request.rolloutId);
        expect(record.request).toEqual(request);
        expect(record.epoch).toBe(1);
        expect(record.journal.map(({ message }) => message)).toEqual([request.rolloutId]);
      }
    });
  });
}

const writes: readonly {
  name: string;
  write: (ledger: Ledger, lease: Lease) => Promise<unknown>;
}[] = [
  { name: 'renew', write: (ledger, lease) => ledger.renew(lease, EXPIRED * 2) },
  {
    name: 'freeze a rollback',
    write: (ledger, lease) => ledger.freezeRollback(lease, rollbackOf(1)),
  },
  { name: 'append', write: (ledger, lease) => ledger.append(lease, [line(1)]) },
  { name: 'save progress', write: (ledger, lease) => ledger.saveProgress(lease, progressOf(1, 1)) },
  { name: 'tell', write: (ledger, lease) => ledger.recordEvent(lease, startOf(lease)) },
];

/** The way back of a plan of this size. */

const PROMOTE: Signal = { kind: 'promote', at: NOW, wave: 0, by: 'ann', reason: '' };
const APPROVE: Signal = { kind: 'approve', at: NOW, wave: 1, by: 'ann', reason: '' };
const REJECT: Signal = {
  ...{ kind: 'reject', at: NOW + 1, wave: 1, onFailure: 'roll-back' },
  ...{ by: 'bob', reason: 'the errors “doubled”' },
};
const ABORT: Signal = {
  kind: 'abort',
  at: NOW + 2,
  wave: null,
  by: 'ann',
  reason: 'wrong version',
};

function progressOf(size: number, reads: number): WaveProgress {
  return {
    direction: 'forward',
    wave: 1,
    clock: { at: NOW, watched: 900_000 },
    readAt: NOW,
    heard: 'silence',
    stuckMs: 6,
    silentMs: 5,
    readFault: 'UpstreamTimeout',
    bakedMs: 7,
    converged: { at: NOW - 3, watched: 899_997 },
    watch: {
      ...{ dueAt: 960_000, cursor: 0, noes: [] },
      kept: [
        {
          ...{ kind: 'check', name: 'smoke', verdict: 'unknown', detail: 'IN_PROGRESS' },
          ...{ wave: 1, attempts: 2, standsUntil: 930_000, atWorkSince: 899_997 },
          ...{ isAtEnd: true, isAtWork: true },
        },
      ],
    },
    gateCourses: [
      {
        ...{ gate: 'alarm errors', wave: 1, verdict: 'pass', since: NOW - 2 },
        ...{ asked: 9, noes: 2, silent: 1, lastNoAt: NOW - 3, lines: 4, lineAt: NOW - 2 },
      },
    ],
    askedMs: 8,
    looks: 9,
    fastestRollMs: 20_000,
    furthest: reads,
    observations: Array.from({ length: size }, (_, n) => ({
      state: n % 7 === 0 ? 'progressing' : 'converged',
      reads: reads + (n % 11),
      ...(n % 3 > 0 && { hadTarget: true }),
    })),
  };
}
