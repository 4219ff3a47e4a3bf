import { expect, test } from '@jest/globals';
import type { Decision } from '../../lib/domain/decision.ts';
import { LEASE_MARGIN_MS } from '../../lib/domain/lease.ts';
import { handOn } from '../../lib/steps/hand-on.ts';
import { recordOf } from '../domain/examples.ts';
import { NOW, onStage } from './stage.ts';

const AT = { direction: 'forward', wave: 1, looks: 7 } as const;
const ENDING = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;

function handedOn(decision: Decision) {
  return onStage({}, async ({ lease, ports, renewals }) => ({
    position: await handOn(decision, recordOf().request, lease, AT, ports),
    renewals,
  }));
}

test.each<Decision>([
  { next: 'wait', seconds: 60 },
  { next: 'bake', seconds: 0 },
  { next: 'roll', wave: 1, positions: [0], seconds: 5 },
  { next: 'close', ending: ENDING },
])('a short wait needs no more of the lease: $next', async (decision) => {
  const { position, renewals } = await handedOn(decision);

  expect(position).toMatchObject({ next: decision.next, wave: 1, direction: 'forward' });
  expect(renewals).toEqual([]);
});

test.each<Decision>([
  { next: 'wait', seconds: 61 },
  { next: 'bake', seconds: 6048 },
  { next: 'roll', wave: 1, positions: [0], seconds: 900 },
])('the lease lasts through a long wait, and the step after it: $next', async (decision) => {
  const { position, renewals } = await handedOn(decision);

  expect(renewals).toEqual([NOW + position.waitSeconds * 1000 + LEASE_MARGIN_MS]);
});

test.each<Decision['next']>(['wait', 'bake', 'roll'])(
  'after very many looks a %s gets longer, so that the history stays in bounds',
  (next) =>
    onStage({}, async ({ lease, ports }) => {
      const decision = { next, wave: 1, positions: [0], seconds: 5 } as Decision;
      const at = { ...AT, looks: 1_500 };
      const position = await handOn(decision, recordOf().request, lease, at, ports);

      expect(position.waitSeconds).toBeGreaterThan(300);
    }),
);

test('X03: after a take-over nothing is handed on', async () => {
  await onStage({}, async ({ lease, ports }) => {
    await ports.ledger.close(lease.rolloutId, { ...ENDING, cleanup: 'none' }, NOW);

    const wait: Decision = { next: 'wait', seconds: 61 };
    await expect(handOn(wait, recordOf().request, lease, AT, ports)).rejects.toMatchObject({
      name: 'LeaseLost',
    });
  });
});
