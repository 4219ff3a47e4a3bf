import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { untoldOf } from '../../../lib/domain/holds/news.ts';
import type { Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutRequest } from '../../../lib/domain/rollout/request.ts';
import type { Ledger } from '../../../lib/ports/ledger.ts';
import { NOW, requestOf, SUCCEEDED, UNTIL } from './ledger-examples.ts';

const BAD: Outcome = {
  outcome: 'Failed',
  failure: 'bad',
  cleanup: 'rolledBack',
  reason: 'GateFailed',
  message: 'Wave 1: a gate says no: alarm errors.',
};

const AGAIN = { again: true, startedBy: { kind: 'person', name: 'ada', at: NOW } } as const;

/** What every ledger promises about the version of a rollout that failed as bad. */
export function describeQuarantines(makeLedger: () => Ledger | Promise<Ledger>): void {
  describe('a version that failed as bad', () => {
    /** Opens a rollout of this runtime, to the same version as all others, and ends it. */
    async function end(
      ledger: Ledger,
      runtimeId: string,
      outcome: Outcome,
      at: number,
      said: Partial<RolloutRequest> = {},
    ): Promise<string> {
      const { rolloutId } = await ledger.open({ ...requestOf(runtimeId), ...said }, at, UNTIL);
      await ledger.close(rolloutId, outcome, at);
      return rolloutId;
    }

    async function heard(ledger: Ledger, runtimeId: string) {
      const { holds } = await ledger.hear({ rolloutId: randomUUID(), runtimeId });
      return holds.filter(({ scope }) => scope.runtimeId === runtimeId);
    }

    test('is in quarantine as soon as its rollout is closed, once, however often that is done', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const rolloutId = await end(ledger, runtimeId, BAD, NOW);
      await ledger.close(rolloutId, BAD, NOW + 1_000);

      expect(await heard(ledger, runtimeId)).toEqual([
        expect.objectContaining({
          kind: 'quarantine',
          scope: { runtimeId, version: 7 },
          after: rolloutId,
          at: NOW,
          until: NOW + 30 * 24 * 3_600_000,
        }),
      ]);
    });

    test('stays out of quarantine once it was lifted, however late its rollout is closed again', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const rolloutId = await end(ledger, runtimeId, BAD, NOW);
      for (const hold of await heard(ledger, runtimeId))
        await ledger.liftHold(hold, { by: 'bob', reason: 'a false alarm', at: NOW + 1_000 });
      await ledger.close(rolloutId, BAD, NOW + 2_000);

      expect(await heard(ledger, runtimeId)).toEqual([]);
    });

    test('is in one quarantine, that of its last failure', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const first = await end(ledger, runtimeId, BAD, NOW);
      const second = await end(ledger, runtimeId, BAD, NOW + 1_000, AGAIN);
      await ledger.close(first, BAD, NOW + 2_000);

      expect((await heard(ledger, runtimeId)).map(({ after }) => after)).toEqual([second]);
    });

    test('is out of it after a success that a person has asked for, and a hold of a person stays', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      await end(ledger, runtimeId, BAD, NOW);
      const scope = { runtimeId, version: 7 };
      const hold = { id: randomUUID(), kind: 'quarantine', scope, by: 'ann', reason: 'leaks' };
      await ledger.addHold({ ...hold, at: NOW, until: UNTIL }, NOW);
      await end(ledger, runtimeId, SUCCEEDED, NOW + 1_000, AGAIN);

      expect((await heard(ledger, runtimeId)).map(({ id }) => id)).toEqual([hold.id]);
    });

    test('stays in quarantine when a success that was before the failure is closed again', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      const good = await end(ledger, runtimeId, SUCCEEDED, NOW, AGAIN);
      const bad = await end(ledger, runtimeId, BAD, NOW + 1_000, AGAIN);
      await ledger.close(good, SUCCEEDED, NOW + 2_000);

      expect((await heard(ledger, runtimeId)).map(({ after }) => after)).toEqual([bad]);
    });

    test('leaves room for holds of people, however many versions have failed', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      for (let version = 1; version <= 60; version += 1) {
        await end(ledger, runtimeId, BAD, NOW + version, { desiredVersion: version });
      }
      const versions = (await heard(ledger, runtimeId)).map(({ scope }) => scope.version);
      expect(versions).toHaveLength(50);
      expect(versions.at(-1)).toBe(60);
    });

    test('that has to make room for another one is told of, and shown', async () => {
      const ledger = await makeLedger();
      const runtimeId = randomUUID();
      for (let version = 1; version <= 51; version += 1) {
        await end(ledger, runtimeId, BAD, NOW + version, { desiredVersion: version });
      }
      const holds = await ledger.listHolds();
      const [gone] = holds.filter(
        ({ scope }) => scope.runtimeId === runtimeId && scope.version === 1,
      );
      expect(gone?.lifted).toMatchObject({
        by: 'steproll',
        reason: expect.stringContaining('puts version 51 into quarantine'),
      });
      expect(gone && untoldOf(gone, NOW + 52).map(({ kind }) => kind)).toContain('hold-lifted');
    });
  });
}
