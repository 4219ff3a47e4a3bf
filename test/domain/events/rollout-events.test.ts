import { describe, expect, test } from '@jest/globals';
import { toLifecycleEvent } from '../../../lib/contract/event.ts';
import type { Decision } from '../../../lib/domain/decision/decision.ts';
import { endedEvent, eventAfter, startedEvent } from '../../../lib/domain/events/events.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import type { GateLook } from '../../../lib/domain/rollout/gates.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import { DESIRED, line, planBackOf, planOf, recordOf } from '../examples.ts';
import { AT, BAKE, CONTAIN, ENDING, OUTCOME, rollWave, WAIT_FOR_APPROVAL } from './examples.ts';

const { request } = recordOf();
const SUBJECT = { rolloutId: 'rollout-1', runtimeId: 'shop', desiredVersion: DESIRED, at: AT };
const PLAN = planOf([1, 4]);

const told = { request, journal: [], signals: [] };
const eventOf = (decision: Decision, wave = 0, plan: RolloutPlan = PLAN, gates?: GateLook) =>
  eventAfter(
    decision,
    told,
    plan,
    { direction: plan.direction, wave, bakedMs: 0, ...(gates && { gates }) },
    AT,
  );

test('the start says what is to be done, and who wants it', () => {
  const startedBy = { kind: 'release', name: 'build-41', at: AT - 5_000 } as const;
  const plan = { ...PLAN, leftOut: [{ endpointId: 'a', name: null, reason: 'stopped' }] as const };

  expect(startedEvent({ ...request, startedBy }, plan, AT)).toEqual({
    ...SUBJECT,
    kind: 'started',
    eventId: 'rollout-1/0-started',
    message: expect.any(String),
    startedBy,
    endpoints: 5,
    leftOut: 1,
    waves: 2,
  });
});

describe('a decision', () => {
  test.each<[string, Decision]>([
    ['to close: the end tells that', { next: 'close', ending: ENDING }],
  ])('%s is not told', (_, decision) => {
    expect(eventOf(decision)).toBeNull();
  });

  test('to look again is not told of a wave that has not converged, nor of a way back that has not begun', () => {
    const forward = { direction: 'forward', wave: 0, bakedMs: 0 } as const;
    expect(eventAfter(BAKE, told, PLAN, { ...forward, bakedMs: null }, AT)).toBeNull();
    expect(eventAfter(BAKE, told, planBackOf(1), forward, AT)).toBeNull();
  });

  test('to roll is the start of the wave that is rolled, not of the one before', () => {
    expect(eventOf(rollWave(1), 0)).toMatchObject({
      ...SUBJECT,
      kind: 'wave-started',
      ...{ direction: 'forward', wave: 2, waves: 2, endpoints: 4 },
    });
  });

  test('to roll or to contain has what the gates answered before it, and what is sent has not', () => {
    const gates = { wave: 1, at: AT, answers: [] };
    for (const decision of [rollWave(1), CONTAIN]) {
      const event = eventOf(decision, 0, PLAN, gates);
      expect(event).toMatchObject({ gates });
      expect(toLifecycleEvent(event as RolloutEvent).detail).not.toHaveProperty('gates');
    }
    expect(eventOf(BAKE, 0, PLAN, gates)).not.toHaveProperty('gates');
  });

  test('to bake is the convergence of the wave that is looked at', () => {
    expect(eventOf(BAKE, 1)).toMatchObject({ kind: 'wave-converged', wave: 2, endpoints: 4 });
  });

  test('to wait for a person is that their word is wanted', () => {
    expect(eventOf(WAIT_FOR_APPROVAL)).toMatchObject({ kind: 'approval-wanted', wave: 1 });
  });

  test('to contain is that it fails, why, and what follows', () => {
    expect(eventOf(CONTAIN, 1)).toEqual({
      ...SUBJECT,
      kind: 'failing',
      eventId: 'rollout-1/2-failing',
      message: expect.any(String),
      reason: 'Stalled',
      onFailure: 'roll-back',
      cause: ENDING,
    });
  });

  test('on the way back is told as such, under an id of its own', () => {
    const there = eventOf(rollWave(0));
    const back = eventOf(rollWave(0), 0, planBackOf(3));

    expect(back).toMatchObject({ kind: 'wave-started', direction: 'back', waves: 1, endpoints: 3 });
    expect(back?.eventId).not.toBe(there?.eventId);
  });
});

test('the end has the outcome as it is stored, and what was done, by the journal', () => {
  const record = { ...recordOf([line('roll', 'web-1', 'accepted')]), plan: PLAN };

  expect(endedEvent(record, OUTCOME, AT)).toEqual({
    ...SUBJECT,
    kind: 'ended',
    eventId: 'rollout-1/9-ended',
    message: expect.stringContaining(OUTCOME.message),
    outcome: 'Failed',
    cleanup: 'rolledBack',
    reason: 'Stalled',
    counts: { planned: 5, rolled: 1, rolledBack: 0, stopped: 0, kept: 0 },
  });
});

test('the end of a rollout that has no plan yet counts nothing', () => {
  expect(endedEvent(recordOf(), OUTCOME, AT).counts).toEqual({
    ...{ planned: 0, rolled: 0, rolledBack: 0, stopped: 0, kept: 0 },
  });
});
