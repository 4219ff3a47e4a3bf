import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isNewer, type LatestRequest } from '../../../lib/domain/turn/queue.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { NOW, requestOf, UNTIL } from './ledger-examples.ts';

const URL = 'https://endpoints.example.com';
const HOUR_MS = 3_600_000;

/** A request of another rollout each time. The rollout waits, and looks again in an hour. */
export function datedRequest(runtimeId: string, said: Partial<LatestRequest> = {}): LatestRequest {
  return {
    ...{ runtimeId, endpointUrl: URL, rolloutId: randomUUID(), desiredVersion: 7, at: NOW },
    wakesAt: NOW + HOUR_MS,
    ...said,
  };
}

/** What every ledger promises of the latest request of a runtime. */
export function describeLatestRequests(makeLedger: () => Ledger | Promise<Ledger>): void {
  describe('the latest request', () => {
    test('is kept as it was said, of each runtime its own', async () => {
      const ledger = await makeLedger();
      const waits = datedRequest(randomUUID(), { at: NOW + 1 });
      const opened = datedRequest(randomUUID(), { wakesAt: null });
      await ledger.recordLatestRequest(waits, NOW);
      await ledger.recordLatestRequest(opened, NOW);

      expect(await ledger.findLatestRequest(waits)).toEqual(waits);
      expect(await ledger.findLatestRequest(opened)).toMatchObject(opened);
    });

    test('is none of a runtime that nobody wanted to roll', async () => {
      expect(await (await makeLedger()).findLatestRequest(datedRequest(randomUUID()))).toBeNull();
    });

    test('E10: of a runtime of the same id at another service is another one', async () => {
      const ledger = await makeLedger();
      const here = datedRequest(randomUUID());
      const there = {
        ...datedRequest(here.runtimeId),
        endpointUrl: 'https://staging.example.com',
        at: NOW + 1,
      };
      await ledger.recordLatestRequest(here, NOW);
      await ledger.recordLatestRequest(there, NOW);

      expect(await ledger.findLatestRequest(here)).toEqual(here);
      expect(await ledger.findLatestRequest(there)).toEqual(there);
    });

    test('E03: remembers the newest one that has begun, whatever is asked for after it', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const of = (at: number, said: Partial<LatestRequest> = {}) =>
        datedRequest(runtimeId, { at: NOW + at, ...said });
      const older = of(1, { wakesAt: null });
      const begun = of(2, { wakesAt: null });
      const newer = of(4);
      await ledger.recordLatestRequest(begun, NOW);
      await ledger.recordLatestRequest(newer, NOW);
      // It says so again, and an older one says it late, while the newer one waits.
      expect(await ledger.recordLatestRequest(begun, NOW)).toBe(false);
      expect(await ledger.recordLatestRequest(older, NOW)).toBe(false);

      const { rolloutId, desiredVersion, at } = begun;
      const kept = { rolloutId, desiredVersion, at };
      expect(await ledger.findLatestRequest(newer)).toEqual({ ...newer, begun: kept });

      const later = of(3, { wakesAt: null });
      expect(await ledger.recordLatestRequest(later, NOW)).toBe(false);
      expect(await ledger.findLatestRequest(newer)).toMatchObject({
        ...newer,
        begun: { rolloutId: later.rolloutId },
      });
    });

    test('takes no lease', async () => {
      const ledger = await makeLedger();
      const waits = datedRequest(randomUUID());
      await ledger.recordLatestRequest(waits, NOW);

      await ledger.open(requestOf(waits.runtimeId), NOW, UNTIL);

      expect(await ledger.findLatestRequest(waits)).toEqual(waits);
    });

    test('E10: is the newest of all that came, in whatever order they came', async () => {
      const ledger = await makeLedger();
      const request = fc.record({
        at: fc.integer({ min: 0, max: 4 }),
        desiredVersion: fc.integer({ min: 1, max: 4 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 6 }), async (requests) => {
          const runtimeId = randomUUID();
          let newest: LatestRequest | undefined;
          for (const each of requests.map((said) => datedRequest(runtimeId, said))) {
            if (newest === undefined || isNewer(each, newest)) newest = each;
            await ledger.recordLatestRequest(each, NOW);

            expect(await ledger.findLatestRequest({ runtimeId, endpointUrl: URL })).toEqual(newest);
          }
        }),
        { numRuns: 20 },
      );
    });

    test('E10: is the newest of many that come at once', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const all = Array.from({ length: 10 }, (_, n) =>
        datedRequest(runtimeId, { at: NOW + (n % 4), desiredVersion: n + 1 }),
      );

      await Promise.all(all.map((each) => ledger.recordLatestRequest(each, NOW)));

      // Among the requests at NOW + 3, the one for the highest version is the latest.
      expect(await ledger.findLatestRequest({ runtimeId, endpointUrl: URL })).toMatchObject({
        desiredVersion: 8,
      });
    });

    test('of two that are alike is always the same one', async () => {
      const ledger = await makeLedger();
      const first = datedRequest(randomUUID());
      const second = datedRequest(first.runtimeId);
      await ledger.recordLatestRequest(first, NOW);
      await ledger.recordLatestRequest(second, NOW);

      expect(await ledger.findLatestRequest(first)).toEqual(
        first.rolloutId > second.rolloutId ? first : second,
      );
    });

    test('stays the same one when it looks again later, and when it is opened', async () => {
      const ledger = await makeLedger();
      const request = datedRequest(randomUUID());
      for (const wakesAt of [NOW, NOW + HOUR_MS, null]) {
        await ledger.recordLatestRequest({ ...request, wakesAt }, NOW);

        expect(await ledger.findLatestRequest(request)).toMatchObject({ ...request, wakesAt });
      }
    });

    test.each([
      ['E10: one that did not wake', { at: NOW + 1, wakesAt: NOW - HOUR_MS }],
      ['E05: one of a clock that is wrong', { at: NOW + HOUR_MS, wakesAt: null }],
    ])('makes room for an older one: %s', async (_, said) => {
      const ledger = await makeLedger();
      const gone = datedRequest(randomUUID(), said);
      const older = datedRequest(gone.runtimeId);
      await ledger.recordLatestRequest(gone, NOW);
      await ledger.recordLatestRequest(older, NOW);

      expect(await ledger.findLatestRequest(gone)).toMatchObject(older);
    });
  });
}
