import { describe, expect, test } from '@jest/globals';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { decideUnreadable, isWorthWaiting } from '../../../lib/domain/judge/decide-unreadable.ts';
import { policyOf } from '../examples.ts';

const WORTH_WAITING = [
  'ListUnstable',
  'ResponseTooLarge',
  'UpstreamConflict',
  'UpstreamNotFound',
  'UpstreamProtocol',
  'UpstreamThrottled',
  'UpstreamTimeout',
  'UpstreamTransient',
];

describe('isWorthWaiting', () => {
  test.each(Object.values(ErrorName))('%s', (name) => {
    expect(isWorthWaiting(new SteprollError(name, ''))).toBe(WORTH_WAITING.includes(name));
  });

  test('nothing that steproll did not throw itself', () => {
    const named = Object.assign(new Error(''), { name: 'UpstreamTimeout' });
    expect(isWorthWaiting(named)).toBe(false);
    expect(isWorthWaiting(undefined)).toBe(false);
  });
});

describe('decideUnreadable', () => {
  const error = new SteprollError(ErrorName.UpstreamTimeout, 'GET /list: no answer in 10 s');
  const policy = policyOf({ progressDeadlineSeconds: 600 });

  test('H26: waits while the last complete read is younger than the deadline', () => {
    expect(decideUnreadable(error, 0, policy)).toEqual({ next: 'wait' });
    expect(decideUnreadable(error, 599_999, policy)).toEqual({ next: 'wait' });
  });

  test('invariants 13, 14: at the deadline it ends as not known, and nothing is stopped', () => {
    expect(decideUnreadable(error, 600_000, policy)).toEqual({
      next: 'close',
      ending: {
        outcome: 'Errored',
        reason: 'UpstreamTimeout',
        message: expect.stringContaining('GET /list: no answer in 10 s'),
      },
    });
  });
});
