import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import type { RolloutRequest } from '../../../lib/domain/rollout/request.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { NOW, requestOf, SUCCEEDED, UNTIL } from './ledger-examples.ts';
import { datedRequest } from './ledger-latest-request-contract.ts';

/** What every ledger promises of the rollouts that were. */
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
      await ledger.recordLatestRequest(datedRequest(runtimeId), NOW);
      await ledger.bury(randomUUID());

      expect(await ledger.list({ runtimeId, limit: 10 })).toEqual([]);
    });

    test('has in it what the smallest read of one rollout answers', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const request = requestOf(runtimeId);
      expect(await ledger.readSummary(request.rolloutId)).toBeNull();
      const waiting = acceptedAt(NOW);
      const inList = async () => (await ledger.list({ runtimeId, limit: 1 }))[0];
      await ledger.enlist(request, waiting, NOW);
      expect(await ledger.readSummary(request.rolloutId)).toMatchObject({
        wait: waiting.wait,
        outcome: null,
      });
      expect(await ledger.readSummary(request.rolloutId)).toEqual(await inList());
      await ledger.open(request, NOW, UNTIL);
      expect(await ledger.readSummary(request.rolloutId)).toEqual(await inList());
      await ledger.close(request.rolloutId, SUCCEEDED, NOW + 500);
      expect(await ledger.readSummary(request.rolloutId)).toEqual(await inList());
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

function summaryOf(request: RolloutRequest, said: object) {
  return { ...request, wait: null, endedAt: null, outcome: null, ...said };
}
