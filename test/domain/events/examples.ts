import type { Decision } from '../../../lib/domain/decision/decision.ts';
import { endedEvent, eventAfter, startedEvent } from '../../../lib/domain/events/events.ts';
import type { RolloutEvent } from '../../../lib/domain/rollout/event.ts';
import type { Ending, Outcome } from '../../../lib/domain/rollout/outcome.ts';
import type { RolloutPlan } from '../../../lib/domain/rollout/plan.ts';
import { planBackOf, planOf, recordOf } from '../examples.ts';

export const AT = Date.UTC(2026, 10, 21, 9, 30);

export const ENDING: Ending = { outcome: 'Failed', reason: 'Stalled', message: 'It stalled.' };
export const OUTCOME: Outcome = { ...ENDING, cleanup: 'rolledBack' };

/** The decisions that are told. */
export const rollWave = (wave: number): Decision => ({
  next: 'roll',
  wave,
  indexes: [0],
  wait: { for: 'roll', of: null, until: null, seconds: 5, step: 'look' },
});
export const BAKE = {
  ...{ next: 'wait', for: 'bake', of: null, until: null, seconds: 300, step: 'look' },
} as const satisfies Decision;
export const WAIT_FOR_APPROVAL: Decision = { ...BAKE, for: 'approval' };
export const CONTAIN: Decision = {
  next: 'contain',
  onFailure: 'roll-back',
  ending: ENDING,
  oldEndpoints: [0],
};

const FORWARD = planOf([1, 2]);
const BACK = planBackOf(3);

/** One of each, in the order of a rollout. Their record is that of `recordOf()`. */
export function everyEvent(said: { readonly rolloutId?: string } = {}): readonly RolloutEvent[] {
  const record = recordOf();
  const request = { ...record.request, ...said };
  const tell = (decision: Decision, plan: RolloutPlan = FORWARD, wave = 0) =>
    eventAfter(
      decision,
      { request, journal: [], signals: [] },
      plan,
      { direction: plan.direction, wave, bakedMs: 0 },
      AT,
    ) as RolloutEvent;
  return [
    startedEvent(request, FORWARD, AT),
    tell(rollWave(0)),
    tell(BAKE),
    tell(WAIT_FOR_APPROVAL),
    tell(CONTAIN),
    tell(rollWave(0), BACK),
    endedEvent({ ...record, request, plan: FORWARD }, OUTCOME, AT),
  ];
}
