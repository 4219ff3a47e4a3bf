import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { eventKey } from '../../lib/ledger/keys.ts';
import { PAUSE, PAUSED, textFromTomorrow } from '../support/from-tomorrow.ts';
import { storeField } from '../support/store-field.ts';
import { onHostStage, triggered } from './host-stage.ts';

test('runs several rollouts at once, each to its end, and says so', async () => {
  await onHostStage({}, async ({ createHost, log, logged, liveVersions }) => {
    const host = createHost();
    expect(await host.start('release-1', triggered('shop', 2))).toBe('started');
    expect(await host.start('release-2', triggered('cart', 3))).toBe('started');
    await logged('release-1 of shop: Succeeded');
    await logged('release-2 of cart: Succeeded');

    expect([liveVersions('shop'), liveVersions('cart')]).toEqual([
      [2, 2, 2],
      [3, 3, 3],
    ]);
    expect(log).toEqual([
      'Rollout release-1 of shop: to version 2, started by release build-2',
      'Rollout release-2 of cart: to version 3, started by release build-3',
      expect.stringMatching(/^Rollout release-. of \w+: Succeeded \(Converged\): 3 endpoints/),
      expect.stringMatching(/^Rollout release-. of \w+: Succeeded \(Converged\): 3 endpoints/),
    ]);
    expect(host.isRunning('release-1')).toBe(false);
  });
});

test('a rollout that waits in a host hears an abort within 2 s', async () => {
  await onHostStage({}, async ({ createHost, context, log, logged, sleep }) => {
    await createHost().start('release-1', triggered('shop', 2));
    // A look has just been at 5 s, and the next one is due at 10 s.
    await sleep(6);
    const at = Date.now();
    const abort = { kind: 'abort', at, wave: null, by: 'ada', reason: '' };
    await context.ledger.signal('release-1', abort);
    await logged('Aborted');
    const { endedAt } = await context.ledger.read('release-1');
    expect(endedAt).toBeLessThanOrEqual(at + 2_000);
    expect(log).toHaveLength(2);
  });
});

test('E01: of two deliveries at once, one starts the rollout', async () => {
  await onHostStage({}, async ({ createHost, logged, calls }) => {
    const host = createHost();
    const results = await Promise.all([
      host.start('release-1', triggered('shop', 2)),
      host.start('release-1', triggered('shop', 2)),
    ]);
    expect(results.toSorted()).toEqual(['duplicate', 'started']);
    await logged('Succeeded');
    expect(calls.filter(({ operation }) => operation === 'roll')).toHaveLength(3);
  });
});

test('E01: a delivery after the rollout has ended starts nothing, in another process either', async () => {
  await onHostStage({}, async ({ createHost, logged }) => {
    const host = createHost();
    await host.start('release-1', triggered('shop', 2));
    await logged('Succeeded');
    expect(await host.start('release-1', triggered('shop', 2))).toBe('duplicate');
    expect(await createHost().start('release-1', triggered('shop', 2))).toBe('duplicate');
  });
});

test('E08: a rollout of a runtime that is being rolled ends at once, and the other one goes on', async () => {
  await onHostStage({}, async ({ createHost, logged, log, liveVersions, calls, sleep }) => {
    const host = createHost();
    await host.start('release-1', triggered('shop', 2));
    // It has the lease once it rolls.
    while (!calls.some(({ operation }) => operation === 'roll')) await sleep(1);
    await host.start('release-2', triggered('shop', 3));
    await logged('release-1 of shop: Succeeded');
    expect(log).toContainEqual(
      expect.stringMatching(/^Rollout release-2 of shop: Refused \(LeaseHeld\)/),
    );
    expect(liveVersions('shop')).toEqual([2, 2, 2]);
  });
});

test('a ledger that cannot be written ends no other rollout, and is said', async () => {
  await onHostStage({}, async ({ context, createHost, logged }) => {
    const { ledger } = context;
    const broken = {
      ...ledger,
      close: (id: string, ...rest: [never, never]) =>
        id === 'release-1' ? Promise.reject(new Error('disk full')) : ledger.close(id, ...rest),
    };
    Object.assign(context, { ledger: broken });
    const host = createHost();
    await host.start('release-1', triggered('shop', 2));
    await host.start('release-2', triggered('cart', 2));
    await logged('release-1 of shop: cannot go on here. Error: disk full');
    await logged('release-2 of cart: Succeeded');
    expect(host.isRunning('release-1')).toBe(false);
  });
});

test('stopped, it finishes the step under way and leaves the rollout open for the next one', async () => {
  await onHostStage(
    {},
    async ({ context, createHost, sleep, log, calls, logged, liveVersions }) => {
      const host = createHost();
      await host.start('release-1', triggered('shop', 2));
      while (calls.length === 0 || calls.at(-1)?.operation !== 'roll') await sleep(0.01);
      await host.stop();
      const sent = calls.length;
      await sleep(3600);

      expect(calls).toHaveLength(sent);
      const record = await context.ledger.read('release-1');
      expect(record.outcome).toBeNull();
      expect(record.journal.map(({ result }) => result)).toEqual(['intended', 'accepted']);
      expect(log.at(-1)).toBe(
        'Rollout release-1 of shop: left open. The next listener goes on with it, or: steproll rollout resume release-1',
      );

      createHost().goOn(record);
      await logged('Succeeded');
      expect(liveVersions('shop')).toEqual([2, 2, 2]);
      expect(calls.filter(({ operation }) => operation === 'roll')).toHaveLength(3);
    },
  );
});

test('stopped, it starts nothing any more', async () => {
  await onHostStage({}, async ({ createHost, calls }) => {
    const host = createHost();
    await host.stop();
    await expect(host.start('release-1', triggered('shop', 2))).rejects.toThrow();
    expect(calls).toEqual([]);
  });
});

test('a rollout that waits for a window says so, and is left for the next process when this one ends', async () => {
  // The stage begins on a Thursday.
  const windows = [{ days: ['thu'], from: '00:15', to: '16:00', timeZone: 'UTC' }] as const;
  await onHostStage({ windows: [...windows] }, async ({ createHost, log, sleep, calls }) => {
    const host = createHost();
    await host.start('release-1', triggered('shop', 2));
    await sleep(60);
    await host.stop();
    expect(log.slice(1)).toEqual([
      'Rollout release-1 of shop: waits. Outside of the deployment windows: the rollout waits until 2026-01-01 00:15Z (thu 2026-01-01 00:15 UTC).',
      'Rollout release-1 of shop: left open. The next listener goes on with it, or: steproll rollout resume release-1',
    ]);
    expect(calls).toEqual([]);
  });
});

test('a rollout that waits for a window starts when it opens', async () => {
  const windows = [{ days: ['thu'], from: '00:15', to: '16:00', timeZone: 'UTC' }] as const;
  await onHostStage({ windows: [...windows] }, async ({ createHost, logged, calls }) => {
    await createHost().start('release-1', triggered('shop', 2));
    await logged('Succeeded');
    expect(new Date(calls[0]?.at ?? 0).toISOString()).toMatch(/^2026-01-01T00:15/);
  });
});

test('A11: a rollout goes on, whatever a newer steproll writes beside it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'steproll-tomorrow-'));
  const file = join(folder, 'ledger.sqlite');
  await onHostStage(
    {},
    async ({ createHost, sleep, context, liveVersions }) => {
      await createHost().start('release-1', triggered('shop', 2));
      let looks = 0;
      while ((await context.ledger.read('release-1')).outcome === null) {
        await sleep(1);
        writeTomorrow(file, 'release-1');
        looks += 1;
      }
      expect(looks).toBeGreaterThan(10);
      expect(await context.ledger.read('release-1')).toMatchObject({
        outcome: { outcome: 'Succeeded' },
        signals: [],
      });
      expect(liveVersions('shop')).toEqual([2, 2, 2]);
    },
    file,
  );
  rmSync(folder, { recursive: true });
});

function writeTomorrow(file: string, rolloutId: string): void {
  const database = new DatabaseSync(file);
  database.function('tomorrow', (text) => textFromTomorrow(String(text)));
  database.exec(`UPDATE field SET value = tomorrow(value)
    WHERE name IN ('request', 'plan', 'progress', 'outcome', 'journal', 'event')`);
  storeField(database, rolloutId, 'signals', PAUSE);
  storeField(database, rolloutId, 'event', PAUSED, eventKey(rolloutId, 'paused'));
  database.close();
}
