import { describe, expect, test } from '@jest/globals';
import type { Approval } from '../../../lib/domain/rollout/policy.ts';
import type { StartedBy } from '../../../lib/domain/rollout/request.ts';
import { findAnswer } from '../../../lib/domain/signals/approval.ts';
import { policyOf, recordOf, signal } from '../examples.ts';

const yes = (key: string, wave = 0) => ({ ...signal('approve'), by: 'root', key, wave });
const no = (key: string) => ({ ...signal('reject'), by: 'root', key, wave: 0 });
const two = { count: 2 };
const others = { notTheStarter: true };

describe('an approval of several people', () => {
  test.each<[string, Partial<Approval>, StartedBy['kind'], ReturnType<typeof yes>[], unknown]>([
    ['a yes, where one is enough', {}, 'person', [yes('a')], 'pass'],
    ['a yes, where two are needed', two, 'person', [yes('a')], undefined],
    ['two yeses of one person', two, 'person', [yes('a'), yes('a')], undefined],
    ['yeses of two people who say the same name', two, 'person', [yes('a'), yes('b')], 'pass'],
    ['a yes to another wave', two, 'person', [yes('a'), yes('b', 1)], undefined],
    ['a no after a yes', two, 'person', [yes('a'), no('b')], 'fail'],
    ['a no after all yeses', two, 'person', [yes('a'), yes('b'), no('c')], 'fail'],
    ['a no of who has said yes', two, 'person', [yes('a'), no('a'), yes('b')], 'fail'],
    // Nobody knows who has started it: of two people at most one has.
    ['a yes, maybe of the starter', others, 'person', [yes('a')], undefined],
    ['two yeses, one maybe of the starter', others, 'person', [yes('a'), yes('b')], 'pass'],
    ['a yes, maybe of who has released', others, 'release', [yes('a')], undefined],
    ['a yes to what a schedule has started', others, 'schedule', [yes('a')], 'pass'],
    [
      'two yeses, where two others are needed',
      { ...two, ...others },
      'person',
      [yes('a'), yes('b')],
      undefined,
    ],
  ])('%s', (_, said, kind, signals, answer) => {
    const approval = { timeoutSeconds: 60, onTimeout: 'reject', ...said } as const;
    const { request } = recordOf([], { verify: { ...policyOf().verify, approval } });
    const startedBy = { ...request.startedBy, kind };
    const record = { request: { ...request, startedBy }, signals };
    expect(findAnswer(record, 0)?.answer).toBe(answer);
  });
});
