import { describe, expect, test } from '@jest/globals';
import { acceptedAt } from '../../../lib/domain/rollout/opening.ts';
import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { LatestRequest } from '../../../lib/domain/turn/queue.ts';
import type { Ready } from '../../../lib/steps/opening/condition.ts';
import { opening as startWith } from '../../../lib/steps/opening/conditions.ts';
import { mayWaitForWindow, windowOpen } from '../../../lib/steps/opening/holds.ts';
import { newest as isNewest } from '../../../lib/steps/opening/newest.ts';
import { policyOf, recordOf } from '../../domain/examples.ts';
import { freeze } from '../../domain/turn/examples.ts';
import { NOW, onStage, openingPorts, type Stage } from '../stage.ts';

const URL = 'https://endpoints.example.com';
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** In force at `NOW`, a midnight, and for two hours more. */
const FROZEN = { freezes: [freeze('2026-11-20T00:00', '2026-11-21T02:00')] };

function release(
  desiredVersion: number,
  policy: Partial<RolloutPolicy>,
  at = NOW - MINUTE_MS,
): Ready['request'] {
  return {
    ...recordOf().request,
    endpointUrl: URL,
    ...{ rolloutId: `rollout-${desiredVersion}`, desiredVersion, policy: policyOf(policy) },
    startedBy: { kind: 'release', name: '', at },
  };
}

/** The request of a later release, for version 5, which waits for the end of the freeze. */
function datedRequest(said: Partial<LatestRequest> = {}): LatestRequest {
  return {
    ...{ runtimeId: 'shop', endpointUrl: URL, rolloutId: 'rollout-5', desiredVersion: 5, at: NOW },
    wakesAt: NOW + 2 * HOUR_MS,
    ...said,
  };
}

const OVERTAKEN = {
  next: 'close',
  ending: {
    outcome: 'Superseded',
    reason: 'Overtaken',
    message: 'Nothing was rolled: "rollout-5", to version 5, is the newer rollout of this runtime.',
  },
};
const LOOK_SOON = expect.objectContaining({ next: 'wait', step: 'open', seconds: 15 });
const OPEN = 'It may begin.';

const newestOn = ({ ports }: Stage) =>
  ports.ledger.findLatestRequest({ runtimeId: 'shop', endpointUrl: URL });

/** As `openRollout` does it: of a rollout that the ledger has. */
async function turnOf(
  request: Ready['request'],
  newest: LatestRequest | null,
  ports: Stage['ports'],
) {
  const { ledger, clock } = ports;
  await ledger.enlist(request, acceptedAt(clock.now()), clock.now());
  const { wait, opening } = await ledger.read(request.rolloutId);
  const rollout = { request, wait, opening };
  if (newest !== null) await ledger.recordLatestRequest(newest, clock.now());
  const answer = await startWith<typeof rollout>()
    .with(mayWaitForWindow)
    .with(isNewest)
    .with(windowOpen)
    .firstNotGo(rollout, openingPorts(ports));
  return 'next' in answer ? answer : OPEN;
}

describe('whose turn it is', () => {
  test('may begin at once where nothing speaks against it, and leaves no request', async () => {
    await onStage({}, async (stage) => {
      expect(await turnOf(release(4, {}), null, stage.ports)).toEqual(OPEN);
      expect(await newestOn(stage)).toBeNull();
    });
  });

  test('waits for the end of a freeze, and leaves its request', async () => {
    await onStage({}, async (stage) => {
      expect(await turnOf(release(5, FROZEN, NOW), null, stage.ports)).toMatchObject({
        ...{ next: 'wait', step: 'open' },
        seconds: 2 * 3600,
      });
      expect(await newestOn(stage)).toEqual(datedRequest());
    });
  });

  test('never wakes before the opening: part of a second is a whole one', async () => {
    await onStage({}, async (stage) => {
      stage.now = NOW + 2 * HOUR_MS - 1_500;

      expect(await turnOf(release(4, FROZEN), null, stage.ports)).toMatchObject({ seconds: 2 });
    });
  });

  test('OutsideWindow: may not wait, and ends nobody', async () => {
    await onStage({}, async (stage) => {
      await turnOf(release(4, FROZEN), null, stage.ports);
      const before = await newestOn(stage);
      const refused = release(5, { ...FROZEN, outsideWindow: 'refuse' }, NOW);

      expect(await turnOf(refused, before, stage.ports)).toMatchObject({
        next: 'close',
        ending: {
          outcome: 'Refused',
          reason: 'OutsideWindow',
          message: expect.stringContaining('2026-11-21 02:00Z'),
        },
      });
      expect(await newestOn(stage)).toEqual(before);
    });
  });

  test('X04: asked again it answers the same', async () => {
    await onStage({}, async (stage) => {
      const once = await turnOf(release(4, FROZEN), null, stage.ports);
      const again = await turnOf(release(4, FROZEN), await newestOn(stage), stage.ports);

      expect(again).toEqual(once);
    });
  });
});

describe('whose turn it is, with a newer request', () => {
  test.each([
    ['that waits for the same freeze', FROZEN],
    ['that could begin', {}],
  ])(
    'E10: an older one %s waits behind it, says so, and looks again once it has looked',
    async (_, policy) => {
      await onStage({}, async (stage) => {
        const soon = datedRequest({ wakesAt: NOW + 60_000 });
        expect(await turnOf(release(4, policy), soon, stage.ports)).toMatchObject({
          ...{ next: 'wait', step: 'open' },
          seconds: 60,
        });
        const { wait } = await stage.ports.ledger.read('rollout-4');
        expect(wait?.of).toContain('"rollout-5", to version 5,');
        const late = datedRequest();
        expect(await turnOf(release(3, policy), late, stage.ports)).toMatchObject({
          seconds: 3_600,
        });
      });
    },
  );

  test.each([
    ['that waits', FROZEN],
    ['that comes late', {}],
  ])('E03: one that was opened overtakes an older one %s', async (_, policy) => {
    await onStage({}, async (stage) => {
      const opened = datedRequest({ wakesAt: null });

      expect(await turnOf(release(4, policy), opened, stage.ports)).toEqual(OVERTAKEN);
    });
  });

  test('E10: of those that waited the newest alone opens, whichever wakes first', async () => {
    await onStage({}, async (stage) => {
      const older = release(4, FROZEN);
      stage.now = NOW + 2 * HOUR_MS;

      expect(await turnOf(older, datedRequest(), stage.ports)).toEqual(LOOK_SOON);
      expect(await turnOf(release(5, FROZEN, NOW), datedRequest(), stage.ports)).toEqual(OPEN);
      const opened = datedRequest({ wakesAt: null });
      expect(await turnOf(older, opened, stage.ports)).toEqual(OVERTAKEN);
    });
  });

  test.each([
    ['A08: one that should be awake is waited for', 0, LOOK_SOON],
    ['A08: for five minutes', 5 * MINUTE_MS, LOOK_SOON],
    ['A08: and then it is gone', 5 * MINUTE_MS + 1, OPEN],
  ])('%s', async (_, lateMs, turn) => {
    await onStage({}, async (stage) => {
      stage.now = NOW + 2 * HOUR_MS + lateMs;

      expect(await turnOf(release(4, FROZEN), datedRequest(), stage.ports)).toEqual(turn);
    });
  });

  test('E10: while it looks whether the newer one wakes, its own request does not come back', async () => {
    await onStage({}, async (stage) => {
      await turnOf(release(4, {}), datedRequest({ wakesAt: NOW }), stage.ports);

      expect(await newestOn(stage)).toEqual(datedRequest({ wakesAt: NOW }));
    });
  });

  test.each(['withdraw', 'close'] as const)(
    'E03: one that ended without having begun, by %s, overtakes nobody, and makes room',
    async (end) => {
      await onStage({}, async (stage) => {
        const { ledger } = stage.ports;
        await turnOf(release(5, FROZEN, NOW), null, stage.ports);
        const message = 'Taken back.';
        const outcome = {
          outcome: 'Aborted',
          reason: 'Aborted',
          cleanup: 'none',
          message,
        } as const;
        await ledger[end]('rollout-5', outcome, NOW);

        const turn = { next: 'wait', step: 'open', seconds: 2 * 3600 };
        expect(await turnOf(release(4, FROZEN), null, stage.ports)).toMatchObject(turn);
        expect(await newestOn(stage)).toMatchObject({ rolloutId: 'rollout-4' });
      });
    },
  );

  test('E10: the request for a runtime of the same id at another service does not count', async () => {
    await onStage({}, async (stage) => {
      const elsewhere = datedRequest({ endpointUrl: 'https://staging.example.com' });

      expect(await turnOf(release(4, {}), elsewhere, stage.ports)).toEqual(OPEN);
    });
  });

  test('E05: the request of a clock that is wrong does not count, opened or not', async () => {
    await onStage({}, async (stage) => {
      for (const wakesAt of [null, NOW + HOUR_MS]) {
        const ahead = datedRequest({ at: NOW + HOUR_MS, wakesAt });

        expect(await turnOf(release(4, {}), ahead, stage.ports)).toEqual(OPEN);
      }
    });
  });

  test('X04: its own request never overtakes it, whatever the clock said before', async () => {
    await onStage({}, async (stage) => {
      const own = datedRequest({ at: NOW + 1 });

      expect(await turnOf(release(5, {}, NOW), own, stage.ports)).toEqual(OPEN);
    });
  });

  test('E02: one that is just as new is not overtaken', async () => {
    await onStage({}, async (stage) => {
      const twin = { ...release(5, {}, NOW), rolloutId: 'twin' };

      expect(await turnOf(twin, datedRequest(), stage.ports)).toEqual(OPEN);
    });
  });
});
