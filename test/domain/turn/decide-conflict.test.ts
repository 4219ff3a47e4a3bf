import { expect, test } from '@jest/globals';
import { decideConflict } from '../../../lib/domain/turn/queue.ts';
import { policyOf, recordOf } from '../examples.ts';

const MINUTE_MS = 60_000;

/** A release of this version, so many minutes after the first one. */
const release = (desiredVersion: number, minutes: number, allowDowngrade = false) => ({
  ...recordOf().request,
  rolloutId: `rollout-${desiredVersion}`,
  desiredVersion,
  policy: policyOf({ onConflict: 'latest', allowDowngrade }),
  startedBy: { kind: 'release', name: '', at: minutes * MINUTE_MS } as const,
});

const ACTIVE = { request: release(5, 0) };

test.each([
  ['a later release of a higher version', release(6, 1)],
  ['a higher version of the same moment', release(6, 0)],
  ['a later release of a lower version, where the policy allows it', release(4, 1, true)],
])('asks it to give way, and waits: %s', (_, request) => {
  expect(decideConflict(request, ACTIVE)).toEqual({
    ...{ decision: 'wait', asks: true },
    message: 'It waits for rollout "rollout-5" to version 5 to give way.',
  });
});

test('E02: a later request for the same version lets it go on, and waits', () => {
  expect(decideConflict(release(5, 1), ACTIVE)).toEqual({
    ...{ decision: 'wait', asks: false },
    message: 'It waits for rollout "rollout-5" to version 5 to end.',
  });
});

test.each([
  ['E02: an older request for the same version', release(5, -1)],
  ['E02: the same version of the same moment', release(5, 0)],
  ['E03: a higher version that is the older request', release(6, -1)],
  ['E03: a lower version that comes late', release(4, -1)],
  ['E03: a lower version of the same moment', release(4, 0, true)],
])('overtaken: %s', (_, request) => {
  expect(decideConflict(request, ACTIVE)).toEqual({ decision: 'overtaken' });
});

test('E03: refused: a later request for a lower version', () => {
  expect(decideConflict(release(4, 1), ACTIVE)).toEqual({
    decision: 'refuse',
    error: 'DowngradeRefused',
    message: expect.stringContaining('rollout "rollout-5" to version 5 is under way'),
  });
});
