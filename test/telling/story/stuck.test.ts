import { expect, test } from '@jest/globals';
import type { EndpointState } from '../../../lib/domain/endpoint/observation.ts';
import { storyOf } from '../../../lib/telling/story/story.ts';
import { findStuck } from '../../../lib/telling/story/stuck.ts';
import { line, planOf, progressOf, recordOf, seen, waitFor } from '../../domain/examples.ts';

const MINUTE_MS = 60_000;

interface Told {
  /** How long the roll that has come to its end took, in milliseconds. @default - none has */
  readonly tookMs?: number;
  readonly state?: EndpointState;
  readonly runtimeId?: string;
  /** For how long the wave gets no further. @default 0 */
  readonly stuckMs?: number;
}

/** Of two endpoints the second one has been in mid-roll since the beginning of time. */
function stuckAt(at: number, said: Told = {}) {
  const { tookMs, state = 'progressing', runtimeId = 'shop', stuckMs = 0 } = said;
  const rolls = ['web-1', 'web-2'].map((name) => ({ ...line('roll', name, 'accepted'), at: 0 }));
  const first =
    tookMs === undefined ? seen('pending') : { ...seen('converged', 2), changedAt: tookMs };
  const progress = {
    ...progressOf(0, [first, seen(state)]),
    clock: { at, watched: at },
    readAt: at,
    stuckMs,
  };
  const own = tookMs === undefined ? rolls.slice(1) : rolls;
  const record = recordOf(own);
  const request = { ...record.request, runtimeId };
  const deadlineMs = request.policy.progressDeadlineSeconds * 1_000;
  const wait = waitFor('roll', { until: at + deadlineMs - stuckMs, lookAt: at + 5_000 });
  return findStuck(storyOf({ ...record, request, plan: planOf([2]), progress, wait }, at));
}

test('a roll is stuck that has taken three times as long as the longest one before it', () => {
  const longestMs = 2 * MINUTE_MS;
  expect(stuckAt(6 * MINUTE_MS - 1, { tookMs: longestMs })).toBeNull();
  expect(stuckAt(6 * MINUTE_MS, { tookMs: longestMs })).toEqual({
    ...{ what: 'roll', since: 0, name: 'web-2', state: 'progressing', others: 0, longestMs },
  });
});

test('no roll is stuck within its first minute', () => {
  expect(stuckAt(MINUTE_MS - 1, { tookMs: 1 })).toBeNull();
  expect(stuckAt(MINUTE_MS, { tookMs: 1 })).not.toBeNull();
});

test('where no roll has ended before, half of the deadline without any progress says it', () => {
  const deadlineMs = recordOf().request.policy.progressDeadlineSeconds * 1_000;
  expect(stuckAt(deadlineMs, { stuckMs: deadlineMs / 2 })).toBeNull();
  expect(stuckAt(deadlineMs, { stuckMs: deadlineMs / 2 + 1 })).toMatchObject({ name: 'web-2' });
});

test.each([
  ['what is live, and is to be seen so once more', { state: 'converged' }],
  ['a group, for which its runtimes speak', { runtimeId: 'group:eu' }],
] as const)('%s is not stuck', (_, said) => {
  expect(stuckAt(60 * MINUTE_MS, { tookMs: 1, ...said })).toBeNull();
});
