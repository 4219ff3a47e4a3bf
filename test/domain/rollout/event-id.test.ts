import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Decision } from '../../../lib/domain/decision/decision.ts';
import { endedEvent, eventAfter, startedEvent } from '../../../lib/domain/events/events.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import {
  AT,
  BAKE,
  CONTAIN,
  everyEvent,
  OUTCOME,
  rollWave,
  WAIT_FOR_APPROVAL,
} from '../events/examples.ts';
import { planOf, recordOf } from '../examples.ts';

const MOST_WAVES = 100;
const waves = fc.integer({ min: 1, max: MOST_WAVES });

/** How a rollout went: so many waves forward, whether each was approved, and so many back. */
const story = fc.record({
  rolloutId: fc.string({ unit: 'binary', maxLength: 80 }),
  forward: waves,
  isApproved: fc.boolean(),
  back: fc.option(waves),
});

test('the ids of a rollout sort in the order of what they tell, and each is its own', () => {
  fc.assert(
    fc.property(story, (told) => {
      const ids = idsOf(told);

      expect(ids.toSorted()).toEqual(ids);
      // The order in which a DynamoDB table has them.
      expect(ids.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))).toEqual(ids);
      expect(new Set(ids).size).toBe(ids.length);
    }),
  );
});

test('they say what they are', () => {
  expect(everyEvent().map(({ eventId }) => eventId)).toEqual([
    'rollout-1/0-started',
    'rollout-1/1-001-0-wave-started',
    'rollout-1/1-001-1-wave-converged',
    'rollout-1/1-001-2-approval-wanted',
    'rollout-1/2-failing',
    'rollout-1/3-001-0-wave-started',
    'rollout-1/9-ended',
  ]);
});

test('the same decision, made again later, has the same id; another rollout has others', () => {
  const ids = everyEvent().map(({ eventId }) => eventId);
  const others = everyEvent({ rolloutId: 'rollout-2' }).map(({ eventId }) => eventId);

  expect(everyEvent().map(({ eventId }) => eventId)).toEqual(ids);
  expect(ids.filter((id) => others.includes(id))).toEqual([]);
});

function idsOf({ rolloutId, forward, isApproved, back }: Told): string[] {
  const record = recordOf();
  const request = { ...record.request, rolloutId };
  const there = planOf(Array(forward).fill(1));
  const idOf = (decision: Decision, plan: RolloutPlan, wave: number) =>
    eventAfter(
      decision,
      { request, journal: [], signals: [] },
      plan,
      { direction: plan.direction, wave, bakedMs: 0 },
      AT,
    )?.eventId ?? 'untold';
  const wavesOf = (plan: RolloutPlan, ...decisions: readonly Decision[]) =>
    plan.waves.flatMap((_, wave) => [
      idOf(rollWave(wave), plan, wave - 1),
      ...decisions.map((decision) => idOf(decision, plan, wave)),
    ]);
  const ending = isApproved ? [BAKE, WAIT_FOR_APPROVAL] : [BAKE];
  return [
    startedEvent(request, there, AT).eventId,
    ...wavesOf(there, ...ending),
    ...(back === null
      ? []
      : [
          idOf(CONTAIN, there, forward - 1),
          ...wavesOf(planOf(Array(back).fill(1), { direction: 'back' })),
        ]),
    endedEvent({ ...record, request }, OUTCOME, AT).eventId,
  ];
}

type Told = typeof story extends fc.Arbitrary<infer T> ? T : never;
