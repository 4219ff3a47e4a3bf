import { describe, expect, test } from '@jest/globals';
import { decideInterruption } from '../../../lib/domain/decision/interruption.ts';
import type { Observation } from '../../../lib/domain/endpoint/observation.ts';
import type { Signal } from '../../../lib/domain/rollout/record.ts';
import { planBackOf, planOf, progressOf, recordOf, signal } from '../examples.ts';

const GIVE_WAY = signal('give-way', { by: 'rollout-2', reason: 'Gave way to the newer rollout' });

const { request } = recordOf();
const decide = (signals: readonly Signal[], plan = planOf([3]), progress = progressOf(0, [])) =>
  decideInterruption({ record: { ...recordOf(), signals }, plan, progress });

test('nobody waits for it', () => {
  expect(decide([])).toBeUndefined();
});

test.each(['approve', 'reject'] as const)('to %s is a word of people', (kind) => {
  expect(decide([signal(kind)])).toBeUndefined();
});

test('E08: it ends as Superseded, and leaves what it rolled as it is', () => {
  expect(decide([signal('approve'), GIVE_WAY])).toEqual({
    next: 'close',
    ending: {
      outcome: 'Superseded',
      reason: 'GaveWay',
      message: 'Gave way to the newer rollout.',
    },
  });
});

test('E08: a way back is gone to its end', () => {
  expect(decide([GIVE_WAY], planBackOf(2))).toBeUndefined();
});

describe('E08: a group', () => {
  const group = { ...request, runtimeId: 'group:prod' };
  const plan = planOf([3]);
  const given = (...states: Observation['state'][]) =>
    decideInterruption({
      record: { ...recordOf(), request: group, signals: [GIVE_WAY] },
      plan,
      progress: progressOf(
        0,
        states.map((state) => ({ state, reads: 2 })),
      ),
    });

  test('waits for the rollouts of its runtimes, which the newer one would meet', () => {
    expect(given('converged', 'progressing', 'pending')).toBeUndefined();
  });

  test('ends when none of them is under way, and begins no other', () => {
    expect(given('converged', 'failed', 'pending')).toMatchObject({ next: 'close' });
  });
});
