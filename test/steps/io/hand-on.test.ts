import { expect, test } from '@jest/globals';
import type { Decision } from '../../../lib/domain/decision/decision.ts';
import { LEASE_MARGIN_MS } from '../../../lib/domain/rollout/lease.ts';
import type { PlannedWait } from '../../../lib/domain/rollout/wait.ts';
import { handOn } from '../../../lib/steps/io/hand-on.ts';
import { planOf, recordOf, seen } from '../../domain/examples.ts';
import { NOW, onStage } from '../stage.ts';

const PROGRESS = {
  ...({ direction: 'forward', wave: 1, looks: 7, bakedMs: null } as const),
  observations: [seen('converged', 2)],
} as const;
const EXECUTION = { number: 1, startedAt: NOW, events: 100 };
const AT = {
  record: recordOf(),
  plan: planOf([1, 2]),
  progress: PROGRESS,
  execution: EXECUTION,
};
const ENDING = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' } as const;

function waitOf(seconds: number): PlannedWait {
  return { for: 'roll', of: null, until: null, seconds, step: 'look' };
}

function handedOn(decision: Decision) {
  return onStage({}, async ({ lease, ports, renewals }) => ({
    position: await handOn(decision, { ...AT, lease }, ports),
    renewals,
  }));
}

test.each<Decision>([
  { next: 'wait', ...waitOf(60) },
  { next: 'wait', ...waitOf(0) },
  { next: 'roll', wave: 1, indexes: [0], wait: waitOf(5) },
  { next: 'close', ending: ENDING },
])('a short wait needs no more of the lease: $next', async (decision) => {
  const { position, renewals } = await handedOn(decision);

  expect(position).toMatchObject({ wave: 1, looks: 7, direction: 'forward' });
  expect(renewals).toEqual([]);
});

test('people who look at the execution are told where the rollout stands', async () => {
  const { position } = await handedOn({ next: 'wait', ...waitOf(60) });
  expect(position.says).toBe('Wave 2 of 2: 1 of 3 live, rolling');
});

test.each<Decision>([
  { next: 'wait', ...waitOf(61) },
  { next: 'wait', ...waitOf(6048) },
  { next: 'roll', wave: 1, indexes: [0], wait: waitOf(900) },
])('the lease lasts through a long wait, and the step after it: $next', async (decision) => {
  const { position, renewals } = await handedOn(decision);

  expect(renewals).toEqual([NOW + position.waitSeconds * 1000 + LEASE_MARGIN_MS]);
});

test('that a wave has converged is told before the decision is handed on, once', async () => {
  await onStage({}, async ({ lease, ports, told, read }) => {
    const bake: Decision = { next: 'wait', ...waitOf(5) };
    const progress = { ...PROGRESS, bakedMs: 0 };
    await handOn(bake, { ...AT, lease }, ports);
    expect(told).toEqual([]);
    await handOn(bake, { ...AT, progress, lease }, ports);
    await handOn(bake, { ...AT, progress, record: await read(), lease }, ports);

    expect(told).toMatchObject([{ kind: 'wave-converged', wave: 2, at: NOW }]);
  });
});

test('X03: after a take-over nothing is handed on', async () => {
  await onStage({}, async ({ lease, ports }) => {
    await ports.ledger.close(lease.rolloutId, { ...ENDING, cleanup: 'none' }, NOW);

    const wait: Decision = { next: 'wait', ...waitOf(61) };
    await expect(handOn(wait, { ...AT, lease }, ports)).rejects.toMatchObject({
      name: 'LeaseLost',
    });
  });
});
