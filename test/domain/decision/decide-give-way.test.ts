import { expect, test } from '@jest/globals';
import { decideGiveWay } from '../../../lib/domain/decision/interruption.ts';
import { planBackOf, planOf, signal } from '../examples.ts';

const GIVE_WAY = signal('give-way', { by: 'rollout-2', reason: 'Gave way to the newer rollout' });

test('nobody waits for it', () => {
  expect(decideGiveWay({ signals: [] }, planOf([3]))).toBeUndefined();
});

test.each(['approve', 'reject', 'abort'] as const)('to %s is a word of people', (kind) => {
  expect(decideGiveWay({ signals: [signal(kind)] }, planOf([3]))).toBeUndefined();
});

test('E08: it ends as Superseded, and leaves what it rolled as it is', () => {
  expect(decideGiveWay({ signals: [signal('approve'), GIVE_WAY] }, planOf([3]))).toEqual({
    next: 'close',
    ending: {
      outcome: 'Superseded',
      reason: 'GaveWay',
      message: 'Gave way to the newer rollout.',
    },
  });
});

test('E08: a way back is gone to its end', () => {
  expect(decideGiveWay({ signals: [GIVE_WAY] }, planBackOf(2))).toBeUndefined();
});
