import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import { ONCE_MS, type ReleaseWish } from '../../../lib/domain/trigger/once.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { NOW, requestOf, SUCCEEDED, UNTIL } from './ledger-examples.ts';

const FAILED: Outcome = { ...SUCCEEDED, outcome: 'Failed', reason: 'Stalled' };

function wishOf(release: string, said: Partial<ReleaseWish> = {}): ReleaseWish {
  return { release, rolloutId: randomUUID(), at: NOW, ...said };
}

/** What every ledger promises of releases that are rolled once. */
export function describeReleases(makeLedger: () => Ledger | Promise<Ledger>): void {
  describe('a release that is rolled once', () => {
    test('is that of the first who asks, of each release its own', async () => {
      const ledger = await makeLedger();
      const [first, second] = [wishOf(randomUUID()), wishOf(randomUUID())];

      expect(await ledger.takeRelease(first, NOW)).toBe(first.rolloutId);
      expect(await ledger.takeRelease(second, NOW)).toBe(second.rolloutId);
      // Nobody has recorded the rollout yet: whoever comes next starts that one.
      expect(await ledger.takeRelease(wishOf(first.release), NOW + 1)).toBe(first.rolloutId);
      expect(await ledger.takeRelease(first, NOW + 1)).toBe(first.rolloutId);
    });

    test('E01: has one rollout when many ask at the same moment', async () => {
      const ledger = await makeLedger();
      const wishes = Array.from({ length: 5 }, (_, n) => wishOf('a', { rolloutId: `a-${n}` }));
      const of = randomUUID();

      const taken = await Promise.all(
        wishes.map((wish) => ledger.takeRelease({ ...wish, release: of }, NOW)),
      );

      expect(new Set(taken).size).toBe(1);
    });

    test('is rolled by another rollout once the first one has failed, and by one only', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      const { rolloutId } = request;
      const first = wishOf(randomUUID(), { rolloutId });
      await ledger.takeRelease(first, NOW);
      await ledger.open(request, NOW, UNTIL);
      expect(await ledger.takeRelease(wishOf(first.release), NOW + 1)).toBe(rolloutId);
      await ledger.close(rolloutId, FAILED, NOW + 10_000);

      const before = wishOf(first.release, { at: NOW + 5_000 });
      expect(await ledger.takeRelease(before, NOW + 20_000)).toBe(rolloutId);
      const again = wishOf(first.release, { at: NOW + 15_000 });
      const other = wishOf(first.release, { at: NOW + 15_000 });
      expect(await ledger.takeRelease(again, NOW + 20_000)).toBe(again.rolloutId);
      expect(await ledger.takeRelease(other, NOW + 20_000)).toBe(again.rolloutId);
      expect(await ledger.takeRelease(first, NOW + 20_000)).toBe(again.rolloutId);
    });

    test('E01: that has failed is rolled by one of many who ask again at the same moment', async () => {
      const ledger = await makeLedger();
      const request = requestOf(randomUUID());
      const { rolloutId } = request;
      const release = randomUUID();
      await ledger.takeRelease(wishOf(release, { rolloutId }), NOW);
      await ledger.open(request, NOW, UNTIL);
      await ledger.close(rolloutId, FAILED, NOW + 10_000);

      const wishes = Array.from({ length: 5 }, () => wishOf(release, { at: NOW + 15_000 }));
      const taken = await Promise.all(wishes.map((wish) => ledger.takeRelease(wish, NOW + 20_000)));

      expect(new Set(taken).size).toBe(1);
      expect(taken).not.toContain(rolloutId);
    });

    test('is free again after 24 hours', async () => {
      const ledger = await makeLedger();
      const first = wishOf(randomUUID());
      await ledger.takeRelease(first, NOW);

      const almost = NOW + ONCE_MS - 1;
      expect(await ledger.takeRelease(wishOf(first.release), almost)).toBe(first.rolloutId);
      const next = wishOf(first.release);
      expect(await ledger.takeRelease(next, almost + 1)).toBe(next.rolloutId);
    });
  });
}
