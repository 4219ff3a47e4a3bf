import { describe, expect, test } from '@jest/globals';
import type { RolloutPolicy } from '../../lib/domain/policy.ts';
import type { QueuedRollout, RolloutRequest } from '../../lib/domain/rollout.ts';
import { takeTurn } from '../../lib/steps/take-turn.ts';
import { policyOf, recordOf } from '../domain/examples.ts';
import { freeze } from '../domain/window/examples.ts';
import { NOW, onStage, type Stage } from './stage.ts';

const HOUR_MS = 3_600_000;
const LATEST = { onConflict: 'latest' } as const;
/** In force at `NOW`, a midnight, and for two hours more. */
const FROZEN = { freezes: [freeze('2026-11-20T00:00', '2026-11-21T02:00')] };

function release(desiredVersion: number, policy: Partial<RolloutPolicy>, at = NOW): RolloutRequest {
  return {
    ...recordOf().request,
    ...{ rolloutId: `rollout-${desiredVersion}`, desiredVersion, policy: policyOf(policy) },
    startedBy: { kind: 'release', name: '', at },
  };
}

/** The same stage, and what is lined up on it. */
function noteQueue({ ports }: Stage) {
  const queued: QueuedRollout[] = [];
  const queue = (rollout: QueuedRollout) => {
    queued.push(rollout);
    return ports.ledger.queue(rollout);
  };
  return { queued, ports: { ...ports, ledger: { ...ports.ledger, queue } } };
}

describe('takeTurn', () => {
  test('may begin at once where nothing speaks against it, and lines nothing up', async () => {
    await onStage({}, async (stage) => {
      const { ports, queued } = noteQueue(stage);

      expect(await takeTurn(release(4, {}), ports)).toEqual({ next: 'open' });
      expect(queued).toEqual([]);
    });
  });

  test('waits for the end of a freeze, lined up', async () => {
    await onStage({}, async (stage) => {
      const { ports, queued } = noteQueue(stage);

      expect(await takeTurn(release(4, FROZEN), ports)).toEqual({
        next: 'queue',
        seconds: 2 * 3600,
      });
      expect(queued).toEqual([
        { runtimeId: 'shop', rolloutId: 'rollout-4', desiredVersion: 4, at: NOW },
      ]);
    });
  });

  test('never wakes before the opening: part of a second is a whole one', async () => {
    await onStage({}, async (stage) => {
      stage.now = NOW + 2 * HOUR_MS - 1_500;

      expect(await takeTurn(release(4, FROZEN), stage.ports)).toMatchObject({ seconds: 2 });
    });
  });

  test('OutsideWindow: may not wait, and is not lined up', async () => {
    await onStage({}, async (stage) => {
      const { ports, queued } = noteQueue(stage);
      const refused = takeTurn(release(4, { ...FROZEN, outsideWindow: 'refuse' }), ports);

      await expect(refused).rejects.toMatchObject({
        name: 'OutsideWindow',
        message: expect.stringContaining('2026-11-21T02:00Z'),
      });
      expect(queued).toEqual([]);
    });
  });

  test('E10: of those that waited the newest alone opens, whichever wakes first', async () => {
    await onStage({}, async (stage) => {
      const older = release(4, FROZEN, NOW - 1);
      const newest = release(5, FROZEN);
      await takeTurn(newest, stage.ports);
      await takeTurn(older, stage.ports);
      stage.now = NOW + 2 * HOUR_MS;

      expect(await takeTurn(older, stage.ports)).toMatchObject({ next: 'close' });
      expect(await takeTurn(newest, stage.ports)).toEqual({ next: 'open' });
    });
  });

  test('E10: an overtaken one ends while it would still wait, and says for whom', async () => {
    await onStage({}, async (stage) => {
      await takeTurn(release(5, FROZEN, NOW + 1), stage.ports);

      expect(await takeTurn(release(4, FROZEN), stage.ports)).toEqual({
        next: 'close',
        ending: {
          outcome: 'Superseded',
          reason: 'Overtaken',
          message:
            'Nothing was rolled: "rollout-5", to version 5, is the newer rollout of this runtime.',
        },
      });
    });
  });

  test('E03: with the policy latest a release that comes late is overtaken by one that began already', async () => {
    await onStage({}, async (stage) => {
      expect(await takeTurn(release(5, LATEST), stage.ports)).toEqual({ next: 'open' });

      expect(await takeTurn(release(4, LATEST, NOW - 1), stage.ports)).toMatchObject({
        ending: { reason: 'Overtaken' },
      });
    });
  });

  test('X04: asked again it answers the same', async () => {
    await onStage({}, async (stage) => {
      const once = await takeTurn(release(4, FROZEN), stage.ports);

      expect(await takeTurn(release(4, FROZEN), stage.ports)).toEqual(once);
    });
  });
});
