import { describe, expect, test } from '@jest/globals';
import type { Hold, HoldScope } from '../../../lib/domain/holds/hold.ts';
import { type Holdable, whatFreezes, whatPauses } from '../../../lib/domain/holds/what-holds.ts';
import { whatFreezesRolls } from '../../../lib/domain/turn/roll-window.ts';

const NOW = 1_000;

function holdOf(kind: string, scope: HoldScope, said: Partial<Hold> = {}): Hold {
  return { id: 'h', kind, scope, by: 'ann', reason: 'x', at: 0, until: 2_000, ...said };
}

const ALONE: Holdable = { rolloutId: 'r', runtimeId: 'shop' };
const CHILD: Holdable = { ...ALONE, parent: 'g', group: 'prod' };
const GROUP: Holdable = { rolloutId: 'g', runtimeId: 'group:prod' };

const EVERYTHING = {};
const OF_SHOP = { runtimeId: 'shop' };
const OF_DOCS = { runtimeId: 'docs' };
const OF_GROUP = { runtimeId: 'group:prod' };
const OF_PARENT = { runtimeId: 'group:prod', rolloutId: 'g' };
const OF_ITSELF = { runtimeId: 'shop', rolloutId: 'r' };
const OF_OTHER = { runtimeId: 'shop', rolloutId: 'q' };

describe('what freezes', () => {
  test.each<[string, Holdable, HoldScope, number]>([
    ['a rollout', ALONE, EVERYTHING, 1],
    ['a rollout', ALONE, OF_SHOP, 1],
    ['a rollout', ALONE, OF_DOCS, 0],
    ['a rollout that no group has started', ALONE, OF_GROUP, 0],
    ['a group', GROUP, EVERYTHING, 1],
    ['a group', GROUP, OF_GROUP, 1],
    ['a group', GROUP, OF_SHOP, 0],
    ['a runtime of a group that runs', CHILD, EVERYTHING, 0],
    ['a runtime of a group that runs', CHILD, OF_GROUP, 0],
    ['a runtime of a group that runs', CHILD, OF_SHOP, 1],
  ])('%s: %j by %j: %d', (_, rollout, scope, count) => {
    expect(whatFreezes(rollout, [holdOf('freeze', scope)], NOW)).toHaveLength(count);
    expect(whatPauses(rollout, [holdOf('freeze', scope)], NOW)).toEqual([]);
  });
});

describe('what freezes the rolls of a rollout under way', () => {
  const policy = { windowsBind: 'rolls' } as const;
  test.each<[string, Holdable, HoldScope, number]>([
    ['a rollout', ALONE, EVERYTHING, 1],
    ['a rollout', ALONE, OF_DOCS, 0],
    ['a group', GROUP, EVERYTHING, 1],
    ['a group', GROUP, OF_SHOP, 0],
    ['a runtime of a group', CHILD, EVERYTHING, 1],
    ['a runtime of a group', CHILD, OF_GROUP, 1],
    ['a runtime of a group', CHILD, OF_SHOP, 1],
  ])('%s: %j by %j: %d', (_, rollout, scope, count) => {
    const holds = [holdOf('freeze', scope)];
    const frozen = (direction: 'forward' | 'back', said: object = policy) =>
      whatFreezesRolls({ direction }, { ...rollout, policy, ...said }, holds, NOW);
    expect(frozen('forward')).toHaveLength(count);
    expect(frozen('back')).toEqual([]);
    expect(frozen('forward', { policy: { windowsBind: 'start' } })).toEqual([]);
    expect(frozen('forward', { policy, revert: 'p' })).toEqual([]);
  });
});

describe('what pauses', () => {
  test.each<[string, Holdable, HoldScope, number]>([
    ['a rollout', ALONE, EVERYTHING, 1],
    ['a rollout', ALONE, OF_ITSELF, 1],
    ['a rollout', ALONE, OF_OTHER, 0],
    ['a runtime of a group', CHILD, EVERYTHING, 1],
    ['a runtime of a group', CHILD, OF_GROUP, 1],
    ['a runtime of a group', CHILD, OF_PARENT, 1],
    ['a runtime of a group', CHILD, OF_SHOP, 1],
    ['a group', GROUP, OF_SHOP, 0],
  ])('%s: %j by %j: %d', (_, rollout, scope, count) => {
    expect(whatPauses(rollout, [holdOf('pause', scope)], NOW)).toHaveLength(count);
    expect(whatFreezes(rollout, [holdOf('pause', scope)], NOW)).toEqual([]);
  });
});

test('several holds add up', () => {
  const holds = [holdOf('pause', EVERYTHING), holdOf('pause', OF_SHOP)];
  expect(whatPauses(ALONE, holds, NOW)).toHaveLength(2);
});

test.each([
  ['that is over', holdOf('pause', EVERYTHING, { until: NOW })],
  ['that was lifted', holdOf('pause', EVERYTHING, { lifted: { by: 'b', reason: '', at: 0 } })],
  ['of a kind that this version does not know', holdOf('slow-down', EVERYTHING)],
])('a hold %s holds nothing', (_, hold) => {
  expect(whatPauses(ALONE, [hold], NOW)).toEqual([]);
  const freeze = hold.kind === 'pause' ? { ...hold, kind: 'freeze' } : hold;
  expect(whatFreezes(ALONE, [freeze], NOW)).toEqual([]);
});

test('nothing holds a revert', () => {
  const revert = { ...ALONE, revert: 'p' };
  for (const scope of [EVERYTHING, OF_SHOP, OF_ITSELF]) {
    expect(whatPauses(revert, [holdOf('pause', scope)], NOW)).toEqual([]);
    expect(whatFreezes(revert, [holdOf('freeze', scope)], NOW)).toEqual([]);
  }
});
