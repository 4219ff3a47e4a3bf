import { describe, expect, test } from '@jest/globals';
import {
  HELD,
  type Held,
  HOLD_KINDS,
  type Hold,
  type HoldKind,
} from '../../../lib/domain/holds/hold.ts';
import {
  whatFreezes,
  whatPauses,
  whatQuarantines,
  whatSendsBack,
} from '../../../lib/domain/holds/what-holds.ts';

// @ts-expect-error A kind of which nobody says what it holds does not compile.
const WITHOUT_A_ROW: Readonly<Record<HoldKind | 'embargo', Held>> = HELD;
// @ts-expect-error Nor does one that leaves a question out.
const HALF_A_ROW: Held = { target: 'rollouts', begin: 'waits', mayBeOnOne: false };

test('a kind without its whole row does not compile', () => {
  expect(Object.keys(WITHOUT_A_ROW)).toEqual([...HOLD_KINDS]);
  expect(HALF_A_ROW).not.toHaveProperty('underWay');
});

describe('what a row says is what a hold of this kind does', () => {
  const ROLLOUT = { rolloutId: 'r', runtimeId: 'shop', desiredVersion: 8 };
  test.each(HOLD_KINDS)('%s', (kind) => {
    const { target, begin, underWay } = HELD[kind];
    const scope = { runtimeId: 'shop', ...(target === 'version' && { version: 8 }) };
    const of = { id: 'h', kind, scope, by: 'ann', reason: 'x', at: 0, until: 2_000 };
    const hold: Hold = { ...of, underWay: 'go-back' };
    const counts = {
      waits: whatFreezes(ROLLOUT, [hold], 1_000).length,
      refuses: whatQuarantines('shop', [8], [hold], 1_000).length,
      pauses: whatPauses(ROLLOUT, [hold], 1_000).length,
      sendsBack: whatSendsBack(ROLLOUT, [hold], 1_000).length,
    };
    expect(counts).toEqual({
      waits: Number(begin === 'waits'),
      refuses: Number(begin === 'is refused'),
      pauses: Number(underWay !== 'goes on'),
      sendsBack: Number(underWay === 'is paused or goes back'),
    });
  });

  test('of a kind that only a newer steproll knows, nothing', () => {
    const scope = { runtimeId: 'shop' };
    const hold = { id: 'h', kind: 'embargo', scope, by: 'ann', reason: 'x', at: 0, until: 2_000 };
    expect(whatFreezes(ROLLOUT, [hold], 1_000)).toEqual([]);
    expect(whatPauses(ROLLOUT, [hold], 1_000)).toEqual([]);
  });
});
