import { describe, expect, test } from '@jest/globals';
import { decideUnreadable, isWorthWaiting } from '../../../lib/domain/decision/unreadable.ts';
import { ErrorName, SteprollError } from '../../../lib/domain/errors.ts';
import { policyOf } from '../examples.ts';

const WORTH_WAITING = [
  'InvalidCredential',
  'ListUnstable',
  'PermissionMissing',
  'ResponseTooLarge',
  'SecretUnavailable',
  'UpstreamAuth',
  'UpstreamConflict',
  'UpstreamNotFound',
  'UpstreamProtocol',
  'UpstreamProxy',
  'UpstreamRedirect',
  'UpstreamRejected',
  'UpstreamThrottled',
  'UpstreamTimeout',
  'UpstreamTls',
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

const AT = { clock: { at: 0, watched: 0 } };
const LIST = { next: 'wait', for: 'list' };

describe('decideUnreadable', () => {
  const error = new SteprollError(ErrorName.UpstreamTimeout, 'GET /list: no answer in 10 s');
  const policy = policyOf({ progressDeadlineSeconds: 600, pollSeconds: 7 });

  test('H26: looks again while the last complete read is younger than the deadline', () => {
    expect(decideUnreadable(error, { ...AT, silentMs: 0 }, policy)).toMatchObject({
      ...LIST,
      seconds: 7,
    });
    expect(decideUnreadable(error, { ...AT, silentMs: 593_000 }, policy)).toMatchObject({
      ...LIST,
      seconds: 7,
    });
    expect(decideUnreadable(error, { ...AT, silentMs: 599_999 }, policy)).toMatchObject({
      ...LIST,
      seconds: 1,
    });
  });

  test('under a pause its time stands still, and what is left of it brings no read forward', () => {
    const paused = { ...AT, silentMs: 599_999, isPaused: true as const };
    expect(decideUnreadable(error, paused, policy)).toMatchObject({
      ...LIST,
      until: null,
      seconds: 7,
    });
    const over = { ...paused, silentMs: 600_000 };
    expect(decideUnreadable(error, over, policy)).toMatchObject({ next: 'close' });
  });

  test.each([
    [undefined, 7],
    [0, 7],
    [6, 7],
    [20, 20],
    [300, 300],
    [301, 300],
    [999_999, 300],
  ])('H14: asked for %p s of patience, it waits %p s', (retryAfterSeconds, seconds) => {
    const throttled = new SteprollError(ErrorName.UpstreamThrottled, 'GET /list: 429', {
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
    expect(decideUnreadable(throttled, { ...AT, silentMs: 0 }, policy)).toMatchObject({
      ...LIST,
      seconds,
    });
  });

  test('invariants 13, 14: at the deadline it ends as not known, and nothing is stopped', () => {
    expect(decideUnreadable(error, { ...AT, silentMs: 607_900 }, policy)).toEqual({
      next: 'close',
      ending: {
        outcome: 'Errored',
        reason: 'UpstreamTimeout',
        message:
          'The list of endpoints cannot be read, and for 10 min 8 s nobody has known how the wave is, so nothing is stopped or rolled back. GET /list: no answer in 10 s',
      },
    });
  });
});
