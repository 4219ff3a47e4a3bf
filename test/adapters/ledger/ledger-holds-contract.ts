import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { endOf, type Hold, MOST_HOLDS, MOST_PINS } from '../../../lib/domain/holds/hold.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { EXPIRED, expectError, NOW, opened, UNTIL } from './ledger-examples.ts';
import { describeQuarantines } from './ledger-quarantine-contract.ts';

function holdOf(said: Partial<Hold> = {}): Hold {
  const id = randomUUID();
  return {
    id,
    kind: 'pause',
    scope: {},
    by: 'ann',
    reason: 'patching',
    at: NOW,
    until: UNTIL,
    ...said,
  };
}

const LIFTED = { by: 'bob', reason: 'done', at: NOW };

const DAY = 24 * 3_600_000;

const byId = (one: Hold, other: Hold) => (one.id < other.id ? -1 : 1);

/** In the order in which the ledger has them. */
async function holdsOn(ledger: Ledger, { runtimeId }: Hold['scope']): Promise<readonly Hold[]> {
  return (await ledger.listHolds()).filter(({ scope }) => scope.runtimeId === runtimeId);
}

/** What every ledger promises about holds. Other tests may have added some to the same one. */
export function describeHolds(makeLedger: () => Ledger | Promise<Ledger>): void {
  describeQuarantines(makeLedger);
  describe('holds', () => {
    test('of everything, of groups and of its runtime are heard by a rollout with its signals', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const scopes = [{}, { runtimeId: 'group:prod' }, { runtimeId: lease.runtimeId }];
      const holds = scopes.map((scope) => holdOf({ scope }));
      const ofOther = holdOf({ scope: { runtimeId: 'another' } });
      for (const hold of [...holds, ofOther]) await ledger.addHold(hold, NOW);

      const { holds: heard, signals } = await ledger.hear(lease);
      const ids = new Set([...holds, ofOther].map(({ id }) => id));
      expect(heard.filter(({ id }) => ids.has(id)).sort(byId)).toEqual(holds.sort(byId));
      expect(signals).toEqual([]);
      expect(await ledger.renew(lease, UNTIL + 1)).toEqual(heard);
      expect((await ledger.listHolds()).filter(({ id }) => ids.has(id))).toHaveLength(4);
    });

    test('an unlock is listed and lifted like a hold, and no rollout under way hears it', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const unlock = holdOf({ kind: 'unlock', scope: { runtimeId: lease.runtimeId } });
      await ledger.addHold(unlock, NOW);

      expect(await ledger.listHolds()).toContainEqual(unlock);
      expect((await ledger.hear(lease)).holds).not.toContainEqual(unlock);
      const { kind: _, ...asHold } = unlock;
      expect(await ledger.liftHold(asHold, LIFTED)).toBe(false);
      await ledger.markTold(unlock, ['hold-added']);
      expect(await ledger.liftHold(unlock, LIFTED)).toBe(true);
      expect(await ledger.listHolds()).toContainEqual({
        ...unlock,
        told: ['hold-added'],
        lifted: LIFTED,
      });
    });

    test('of one rollout are heard by that rollout', async () => {
      const ledger = await makeLedger();
      const { runtimeId, rolloutId } = await opened(ledger);
      const hold = holdOf({ scope: { runtimeId, rolloutId } });
      await ledger.addHold(hold, NOW);

      expect((await ledger.hear({ runtimeId, rolloutId })).holds).toContainEqual(hold);
    });

    test('that are lifted are heard no more, and lifting twice does nothing', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const [first, second] = [
        holdOf({ scope: { runtimeId: lease.runtimeId } }),
        holdOf({ scope: { runtimeId: lease.runtimeId } }),
      ] as const;
      await ledger.addHold(first, NOW);
      await ledger.addHold(second, NOW);

      expect(await ledger.liftHold(first, LIFTED)).toBe(true);
      expect(await ledger.liftHold(first, LIFTED)).toBe(false);
      const { holds } = await ledger.hear(lease);
      expect(holds).toContainEqual(second);
      expect(holds.map(({ id }) => id)).not.toContain(first.id);
      expect(await ledger.listHolds()).toContainEqual({ ...first, lifted: LIFTED });
    });

    test('of two kinds with one id are both there, and are lifted together', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const freeze = holdOf({ kind: 'freeze', scope: { runtimeId: lease.runtimeId } });
      const pause = { ...freeze, kind: 'pause' };
      for (const hold of [freeze, pause, pause]) await ledger.addHold(hold, NOW);
      const own = (holds: readonly Hold[]) => holds.filter(({ id }) => id === freeze.id);
      expect(own((await ledger.hear(lease)).holds)).toEqual([freeze, pause]);

      await ledger.liftHold(freeze, LIFTED);
      expect(own((await ledger.hear(lease)).holds)).toEqual([]);
    });

    test('that are added at once are all there, and each of them once', async () => {
      const ledger = await makeLedger();
      const lease = await opened(ledger);
      const { runtimeId } = lease;
      const holds = Array.from({ length: 5 }, () => holdOf({ scope: { runtimeId } }));
      await Promise.all([...holds, ...holds].map((hold) => ledger.addHold(hold, NOW)));

      const heard = (await ledger.hear(lease)).holds.filter(
        ({ scope }) => scope.runtimeId === runtimeId,
      );
      expect([...heard].sort(byId)).toEqual(holds.sort(byId));
    });

    test('of a kind that this version does not know stay as they are, whatever else is changed', async () => {
      const ledger = await makeLedger();
      const { runtimeId } = await opened(ledger);
      const unknown = { ...holdOf({ kind: 'slow-down', scope: { runtimeId } }), speed: 3 };
      await ledger.addHold(unknown, NOW);
      const other = holdOf({ scope: { runtimeId } });
      await ledger.addHold(other, NOW);
      await ledger.liftHold(other, LIFTED);

      expect(await ledger.listHolds()).toContainEqual(unknown);
    });

    test('are limited, and make room when they are over', async () => {
      const ledger = await makeLedger();
      const scope = { runtimeId: randomUUID() };
      for (let count = 0; count < MOST_HOLDS; count += 1)
        await ledger.addHold(holdOf({ scope }), NOW);

      await expectError('InvalidInput', ledger.addHold(holdOf({ scope }), NOW));
      const next = holdOf({ scope, until: EXPIRED + 1 });
      await ledger.addHold(next, EXPIRED);
      expect((await holdsOn(ledger, scope)).filter((hold) => EXPIRED < endOf(hold))).toEqual([
        next,
      ]);
    });

    test('leave room for a pause, however many endpoints are pinned', async () => {
      const ledger = await makeLedger();
      const scope = { runtimeId: randomUUID() };
      const pinOf = (endpointId: string) =>
        holdOf({ kind: 'pin', scope: { ...scope, endpointId }, until: null });
      for (let count = 0; count < MOST_PINS; count += 1)
        await ledger.addHold(pinOf(`ep-${count}`), NOW);

      await expectError('InvalidInput', ledger.addHold(pinOf('one-more'), NOW));
      await ledger.addHold(holdOf({ scope }), NOW);
      const [lifted] = await holdsOn(ledger, scope);
      expect(await ledger.liftHold(lifted as Hold, LIFTED)).toBe(true);
      await ledger.addHold(pinOf('one-more'), NOW);
    });

    test('that are over stay until they are told, but not for more than a week', async () => {
      const ledger = await makeLedger();
      const scope = { runtimeId: randomUUID() };
      const [told, untold, next] = [holdOf({ scope }), holdOf({ scope }), holdOf({ scope })] as [
        Hold,
        Hold,
        Hold,
      ];
      await ledger.addHold(told, NOW);
      await ledger.addHold(untold, NOW);
      await ledger.markTold(told, ['hold-added']);
      await ledger.markTold(told, ['hold-added']);
      expect(await holdsOn(ledger, scope)).toContainEqual({ ...told, told: ['hold-added'] });
      expect(await holdsOn(ledger, scope)).toContainEqual(untold);

      await ledger.addHold({ ...next, until: NOW + 9 * DAY }, EXPIRED);
      const ids = async () => (await holdsOn(ledger, scope)).map(({ id }) => id).sort();
      expect(await ids()).toEqual([untold.id, next.id].sort());
      await ledger.addHold(
        holdOf({ scope, at: NOW + 8 * DAY, until: NOW + 9 * DAY }),
        NOW + 8 * DAY,
      );
      expect(await ids()).not.toContain(untold.id);
    });

    test('that are told keep what others have changed meanwhile, and one that is gone is ignored', async () => {
      const ledger = await makeLedger();
      const scope = { runtimeId: randomUUID() };
      const hold = holdOf({ scope });
      await ledger.addHold(hold, NOW);
      await ledger.liftHold(hold, LIFTED);
      await ledger.markTold(hold, ['hold-added']);
      await ledger.markTold(hold, ['hold-lifted']);
      await ledger.markTold(holdOf({ scope }), ['hold-added']);
      await ledger.markTold({ ...hold, kind: 'freeze' }, ['hold-ending']);

      const told = ['hold-added', 'hold-lifted'];
      expect(await holdsOn(ledger, scope)).toEqual([{ ...hold, lifted: LIFTED, told }]);
    });

    test('keep nobody from a rollout that nobody has recorded', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const hold = holdOf({ scope: { runtimeId } });
      await ledger.addHold(hold, NOW);

      const heard = await ledger.hear({ rolloutId: randomUUID(), runtimeId });
      expect(heard.signals).toEqual([]);
      expect(heard.holds).toContainEqual(hold);
    });
  });
}
