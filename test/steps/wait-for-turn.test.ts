import { describe, expect, test } from '@jest/globals';
import type { RolloutRequest } from '../../lib/domain/rollout.ts';
import type { NewestWish } from '../../lib/domain/turn/newest-wish.ts';
import { waitForTurn, waitingSince } from '../../lib/steps/wait-for-turn.ts';
import { recordOf } from '../domain/examples.ts';
import { NOW, onStage } from './stage.ts';

const REQUEST: RolloutRequest = {
  ...recordOf().request,
  ...{ rolloutId: 'rollout-4', desiredVersion: 4 },
  startedBy: { kind: 'release', name: '', at: NOW - 1_000 },
};

const WISH: NewestWish = {
  ...{ runtimeId: 'shop', rolloutId: 'rollout-4', desiredVersion: 4, at: NOW - 1_000 },
  ...{ since: NOW, wakesAt: NOW + 60_000 },
};

describe('waitForTurn', () => {
  test('keeps the wish, with when it was started and when it looks again', async () => {
    await onStage({}, async ({ ports }) => {
      expect(await waitForTurn(REQUEST, null, 60, ports)).toEqual({ next: 'queue', seconds: 60 });

      expect(await ports.ledger.findNewestWish('shop')).toEqual(WISH);
    });
  });

  test('waits again, and has waited since the first time', async () => {
    await onStage({}, async (stage) => {
      await waitForTurn(REQUEST, null, 60, stage.ports);
      stage.now = NOW + 60_000;
      await waitForTurn(REQUEST, WISH, 15, stage.ports);

      expect(await stage.ports.ledger.findNewestWish('shop')).toEqual({
        ...WISH,
        wakesAt: NOW + 75_000,
      });
    });
  });

  test('E10: leaves a newer wish as it is', async () => {
    await onStage({}, async ({ ports }) => {
      const newer = { ...WISH, rolloutId: 'rollout-5', desiredVersion: 5, at: NOW };
      await ports.ledger.recordWish(newer, NOW);
      await waitForTurn(REQUEST, null, 60, ports);

      expect(await ports.ledger.findNewestWish('shop')).toEqual(newer);
    });
  });
});

describe('waitingSince', () => {
  test.each([
    ['it has not waited yet', null, NOW],
    ['another one has waited', { ...WISH, rolloutId: 'rollout-5', since: NOW - 9 }, NOW],
    ['it has waited', { ...WISH, since: NOW - 9 }, NOW - 9],
  ])('%s', (_, newest, since) => {
    expect(waitingSince(REQUEST, newest, NOW)).toBe(since);
  });
});
