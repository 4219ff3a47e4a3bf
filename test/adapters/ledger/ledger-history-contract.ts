import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { QueuedRollout, RolloutRequest } from '../../../lib/domain/rollout.ts';
import { isNewer } from '../../../lib/domain/turn/is-newer.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { NOW, requestOf, SUCCEEDED, UNTIL } from './ledger-examples.ts';

/** What every ledger promises of the rollouts that were, and of those that wait for their turn. */
export function describeHistory(makeLedger: () => Ledger | Promise<Ledger>): void {
  describe('the list of rollouts', () => {
    test('has those of a runtime, the newest first, with what became of each', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const [first, second] = await runOneAfterAnother(ledger, runtimeId, 2);
      const running = requestOf(runtimeId);
      await ledger.open(running, NOW + 9_000, UNTIL);
      await ledger.open(requestOf(randomUUID()), NOW + 9_500, UNTIL);

      expect(await ledger.list({ runtimeId, limit: 10 })).toEqual([
        summaryOf(running, { startedAt: NOW + 9_000 }),
        summaryOf(second, { startedAt: NOW + 1_000, endedAt: NOW + 1_500, outcome: SUCCEEDED }),
        summaryOf(first, { startedAt: NOW, endedAt: NOW + 500, outcome: SUCCEEDED }),
      ]);
    });

    test('ends where enough are listed', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const requests = await runOneAfterAnother(ledger, runtimeId, 5);

      const newest = await ledger.list({ runtimeId, limit: 2 });

      expect(newest.map(({ rolloutId }) => rolloutId)).toEqual(
        requests
          .toReversed()
          .slice(0, 2)
          .map(({ rolloutId }) => rolloutId),
      );
    });

    test('is empty for a runtime that nobody rolled, also where others wait or were buried', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      await ledger.queue(queuedOf(runtimeId, { at: NOW, desiredVersion: 7 }));
      await ledger.bury(randomUUID());

      expect(await ledger.list({ runtimeId, limit: 10 })).toEqual([]);
    });

    test('has those of every runtime where none is named', async () => {
      const ledger = await makeLedger();
      // After whatever other tests have in the same ledger.
      const later = NOW + Number.parseInt(randomUUID().slice(0, 8), 16) * 1_000;
      const requests = [requestOf(randomUUID()), requestOf(randomUUID())];
      for (const [n, request] of requests.entries()) await ledger.open(request, later + n, UNTIL);

      const all = await ledger.list({ limit: 1_000 });

      const ids = requests.toReversed().map(({ rolloutId }) => rolloutId);
      expect(all.map(({ rolloutId }) => rolloutId).filter((id) => ids.includes(id))).toEqual(ids);
      const times = all.map(({ startedAt }) => startedAt);
      expect(times.toSorted((a, b) => b - a)).toEqual(times);
    });
  });

  describe('the rollouts that wait for their turn', () => {
    test('the only one is the newest, however often it asks', async () => {
      const ledger = await makeLedger();
      const only = queuedOf(randomUUID(), { at: NOW, desiredVersion: 7 });

      expect(await ledger.queue(only)).toEqual(only);
      expect(await ledger.queue(only)).toEqual(only);
    });

    test('E10: whoever asks learns the newest of all that came, in whatever order they came', async () => {
      const ledger = await makeLedger();
      const wish = fc.record({
        at: fc.integer({ min: 0, max: 4 }),
        desiredVersion: fc.integer({ min: 1, max: 4 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 6 }), async (wishes) => {
          const runtimeId = randomUUID();
          let newest: QueuedRollout | undefined;
          for (const each of wishes.map((said) => queuedOf(runtimeId, said))) {
            const isFirst = newest === undefined || isNewer(wishOf(each), wishOf(newest));
            newest = isFirst ? each : newest;

            expect(await ledger.queue(each)).toEqual(newest);
          }
        }),
        { numRuns: 20 },
      );
    });

    test('E10: of many at once all learn of the newest in the end', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const all = Array.from({ length: 10 }, (_, n) =>
        queuedOf(runtimeId, { at: NOW + (n % 4), desiredVersion: n + 1 }),
      );
      await Promise.all(all.map((each) => ledger.queue(each)));

      const answers = await Promise.all(all.map((each) => ledger.queue(each)));

      // Of those at NOW + 3 the one for the highest version.
      expect(new Set(answers.map(({ desiredVersion }) => desiredVersion))).toEqual(new Set([8]));
    });

    test('of two that are alike the first one stays: one of them alone is the newest', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const first = queuedOf(runtimeId, { at: NOW, desiredVersion: 7 });
      await ledger.queue(first);

      expect(await ledger.queue(queuedOf(runtimeId, { at: NOW, desiredVersion: 7 }))).toEqual(
        first,
      );
    });

    test('each runtime has its own, and none of them takes a lease', async () => {
      const ledger = await makeLedger();
      const later = queuedOf(randomUUID(), { at: NOW + 1, desiredVersion: 8 });
      const other = queuedOf(randomUUID(), { at: NOW, desiredVersion: 7 });
      await ledger.queue(later);

      expect(await ledger.queue(other)).toEqual(other);
      await ledger.open(requestOf(later.runtimeId), NOW, UNTIL);
    });
  });
}

/** Each is started a second after the one before, and takes half of it. */
async function runOneAfterAnother(
  ledger: Ledger,
  runtimeId: string,
  count: number,
): Promise<[RolloutRequest, RolloutRequest, ...RolloutRequest[]]> {
  const requests = Array.from({ length: count }, () => requestOf(runtimeId));
  for (const [n, request] of requests.entries()) {
    await ledger.open(request, NOW + n * 1_000, UNTIL);
    await ledger.close(request.rolloutId, SUCCEEDED, NOW + n * 1_000 + 500);
  }
  return requests as [RolloutRequest, RolloutRequest, ...RolloutRequest[]];
}

function summaryOf({ policy: _, ...request }: RolloutRequest, said: object) {
  return { ...request, endedAt: null, outcome: null, ...said };
}

function queuedOf(
  runtimeId: string,
  said: Pick<QueuedRollout, 'at' | 'desiredVersion'>,
): QueuedRollout {
  return { runtimeId, rolloutId: randomUUID(), ...said };
}

function wishOf({ desiredVersion, at }: QueuedRollout) {
  return { desiredVersion, startedBy: { kind: 'release', name: '', at } } as const;
}
