import { describe, expect, test } from '@jest/globals';
import { CONTAINMENTS, containmentOf } from '../../../lib/domain/containment/failure-policies.ts';
import {
  describeEnd,
  describeFailing,
  describeStart,
  describeWaveEvent,
} from '../../../lib/domain/events/event-sentences.ts';
import { FAILURE_POLICIES } from '../../../lib/domain/rollout/policy.ts';
import type { StartedBy } from '../../../lib/domain/rollout/request.ts';
import { describeStarter } from '../../../lib/domain/rollout/request.ts';
import { planOf, policyOf, recordOf } from '../examples.ts';
import { ENDING, OUTCOME } from './examples.ts';

const { request } = recordOf();
const WAVE = { direction: 'forward', wave: 1, waves: 3, endpoints: 2 } as const;

describe('the sentence of', () => {
  test('a start', () => {
    expect(describeStart(request, planOf([1, 2]))).toBe(
      'shop: rolling 3 endpoints to version 3 in 2 waves. Started by hand.',
    );
  });

  test('a start that leaves endpoints alone', () => {
    const leftOut = [{ endpointId: 'a', name: null, reason: 'stopped' }] as const;

    expect(describeStart(request, planOf([1], { leftOut }))).toBe(
      'shop: rolling 1 endpoint to version 3 in 1 wave, 1 left alone. Started by hand.',
    );
  });

  test.each<[StartedBy['kind'], string, string]>([
    ['person', '', 'hand'],
    ['person', 'ann', 'ann'],
    ['release', '', 'a release'],
    ['release', 'build-41', 'release build-41'],
    ['schedule', 'nightly', 'schedule nightly'],
  ])('whoever started it: %s %j', (kind, name, words) => {
    expect(describeStarter({ kind, name })).toBe(words);
  });

  test.each([
    ['wave-started', 'shop: wave 1 of 3, rolling 2 endpoints to version 3.'],
    ['wave-converged', 'shop: wave 1 of 3 has converged, 2 endpoints.'],
    ['approval-wanted', 'shop: wave 1 of 3 has baked and waits for approval.'],
  ] as const)('a wave: %s', (kind, words) => {
    expect(describeWaveEvent(kind, request, WAVE)).toBe(words);
  });

  test('a wave on the way back', () => {
    expect(describeWaveEvent('wave-started', request, { ...WAVE, direction: 'back' })).toBe(
      'shop: wave 1 of 3 on the way back, rolling 2 endpoints to the versions before.',
    );
  });

  test.each([
    ['reject', 'rejected'],
    ['approve', 'approved'],
  ] as const)('a wave that nobody approves in time, which then means %s', (onTimeout, word) => {
    const approval = { timeoutSeconds: 7200, onTimeout };
    const policy = policyOf({ verify: { probe: null, alarms: [], metrics: [], approval } });

    expect(describeWaveEvent('approval-wanted', { ...request, policy }, WAVE)).toBe(
      `shop: wave 1 of 3 has baked and waits for approval; without an answer within 2 h it is ${word}.`,
    );
  });

  test('a failure says what follows from each policy', () => {
    expect(
      FAILURE_POLICIES.map((policy) =>
        describeFailing(request, ENDING, CONTAINMENTS[policy], 2, true),
      ),
    ).toEqual([
      'shop: Failed. It stalled. 2 endpoints are stopped now, where that is safe.',
      'shop: Failed. It stalled. What was rolled goes back now.',
      'shop: Failed. It stalled. Everything stays as it is.',
    ]);
  });

  test('a failure without old endpoints announces no stop', () => {
    expect(describeFailing(request, ENDING, CONTAINMENTS['stop-old'], 0, true)).toBe(
      'shop: Failed. It stalled. There is nothing to stop.',
    );
  });

  test('a failure promises no stop where nothing can be stopped, and the rest is as it is elsewhere', () => {
    const plan = { cannotStop: true } as const;
    const told = FAILURE_POLICIES.map((policy) =>
      describeFailing(request, ENDING, containmentOf(policy, plan), 2, true),
    );
    expect(told).toEqual([
      'shop: Failed. It stalled. Everything stays as it is, because its service cannot stop any endpoint.',
      'shop: Failed. It stalled. What was rolled goes back now.',
      'shop: Failed. It stalled. Everything stays as it is.',
    ]);
    expect(containmentOf('stop-old', {})).toBe(CONTAINMENTS['stop-old']);
    expect(containmentOf('stop-old', null)).toBe(CONTAINMENTS['stop-old']);
  });

  test('the end', () => {
    expect(describeEnd(request, OUTCOME)).toBe('shop: Failed. It stalled.');
  });

  test('an abort is not said twice', () => {
    const aborted = {
      outcome: 'Aborted',
      reason: 'Aborted',
      message: 'Aborted by ann: no.',
    } as const;
    expect(describeEnd(request, { ...OUTCOME, ...aborted })).toBe('shop: Aborted by ann: no.');
    expect(describeFailing(request, aborted, CONTAINMENTS.hold, 1, true)).toBe(
      'shop: Aborted by ann: no. Everything stays as it is.',
    );
  });
});
