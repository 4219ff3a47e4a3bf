import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isNewer, type NewestWish } from '../../../lib/domain/turn/queue.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { NOW, requestOf, UNTIL } from './ledger-examples.ts';

const URL = 'https://endpoints.example.com';
const HOUR_MS = 3_600_000;

/** Of another rollout each time: one that waits, and looks again in an hour. */
export function wishOf(runtimeId: string, said: Partial<NewestWish> = {}): NewestWish {
  return {
    ...{ runtimeId, endpointUrl: URL, rolloutId: randomUUID(), desiredVersion: 7, at: NOW },
    wakesAt: NOW + HOUR_MS,
    ...said,
  };
}

/** What every ledger promises of the newest wish of a runtime. */
export function describeWishes(makeLedger: () => Ledger | Promise<Ledger>): void {
  describe('the newest wish', () => {
    test('is kept as it was said, of each runtime its own', async () => {
      const ledger = await makeLedger();
      const waits = wishOf(randomUUID(), { at: NOW + 1 });
      const opened = wishOf(randomUUID(), { wakesAt: null });
      await ledger.recordWish(waits, NOW);
      await ledger.recordWish(opened, NOW);

      expect(await ledger.findNewestWish(waits)).toEqual(waits);
      expect(await ledger.findNewestWish(opened)).toEqual(opened);
    });

    test('is none of a runtime that nobody wanted to roll', async () => {
      expect(await (await makeLedger()).findNewestWish(wishOf(randomUUID()))).toBeNull();
    });

    test('E10: of a runtime of the same id at another service is another one', async () => {
      const ledger = await makeLedger();
      const here = wishOf(randomUUID());
      const there = {
        ...wishOf(here.runtimeId),
        endpointUrl: 'https://staging.example.com',
        at: NOW + 1,
      };
      await ledger.recordWish(here, NOW);
      await ledger.recordWish(there, NOW);

      expect(await ledger.findNewestWish(here)).toEqual(here);
      expect(await ledger.findNewestWish(there)).toEqual(there);
    });

    test('takes no lease', async () => {
      const ledger = await makeLedger();
      const waits = wishOf(randomUUID());
      await ledger.recordWish(waits, NOW);

      await ledger.open(requestOf(waits.runtimeId), NOW, UNTIL);

      expect(await ledger.findNewestWish(waits)).toEqual(waits);
    });

    test('E10: is the newest of all that came, in whatever order they came', async () => {
      const ledger = await makeLedger();
      const wish = fc.record({
        at: fc.integer({ min: 0, max: 4 }),
        desiredVersion: fc.integer({ min: 1, max: 4 }),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(wish, { minLength: 1, maxLength: 6 }), async (wishes) => {
          const runtimeId = randomUUID();
          let newest: NewestWish | undefined;
          for (const each of wishes.map((said) => wishOf(runtimeId, said))) {
            if (newest === undefined || isNewer(each, newest)) newest = each;
            await ledger.recordWish(each, NOW);

            expect(await ledger.findNewestWish({ runtimeId, endpointUrl: URL })).toEqual(newest);
          }
        }),
        { numRuns: 20 },
      );
    });

    test('E10: is the newest of many that come at once', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const all = Array.from({ length: 10 }, (_, n) =>
        wishOf(runtimeId, { at: NOW + (n % 4), desiredVersion: n + 1 }),
      );

      await Promise.all(all.map((each) => ledger.recordWish(each, NOW)));

      // Of those at NOW + 3 the one for the highest version.
      expect(await ledger.findNewestWish({ runtimeId, endpointUrl: URL })).toMatchObject({
        desiredVersion: 8,
      });
    });

    test('of two that are alike is always the same one', async () => {
      const ledger = await makeLedger();
      const first = wishOf(randomUUID());
      const second = wishOf(first.runtimeId);
      await ledger.recordWish(first, NOW);
      await ledger.recordWish(second, NOW);

      expect(await ledger.findNewestWish(first)).toEqual(
        first.rolloutId > second.rolloutId ? first : second,
      );
    });

    test('stays the same one when it looks again later, and when it is opened', async () => {
      const ledger = await makeLedger();
      const wish = wishOf(randomUUID());
      for (const wakesAt of [NOW, NOW + HOUR_MS, null]) {
        await ledger.recordWish({ ...wish, wakesAt }, NOW);

        expect(await ledger.findNewestWish(wish)).toEqual({ ...wish, wakesAt });
      }
    });

    test.each([
      ['E10: one that did not wake', { at: NOW + 1, wakesAt: NOW - HOUR_MS }],
      ['E05: one of a clock that is wrong', { at: NOW + HOUR_MS, wakesAt: null }],
    ])('makes room for an older one: %s', async (_, said) => {
      const ledger = await makeLedger();
      const gone = wishOf(randomUUID(), said);
      const older = wishOf(gone.runtimeId);
      await ledger.recordWish(gone, NOW);
      await ledger.recordWish(older, NOW);

      expect(await ledger.findNewestWish(gone)).toEqual(older);
    });
  });
}
