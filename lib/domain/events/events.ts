import type { Seconds } from '../clock.ts';
import { containmentOf } from '../containment/failure-policies.ts';
import type { Decision } from '../decision/decision.ts';
import { stopHistories } from '../endpoint/attempts.ts';
import type { Direction, WriteResult } from '../endpoint/journal.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import {
  type EndedEvent,
  eventIdOf,
  type FailingEvent,
  type RolloutEvent,
  type StartedEvent,
  type WaveEvent,
  waveEventIdOf,
} from '../rollout/event.ts';
import { groupOf } from '../rollout/group.ts';
import type { Outcome } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { AskedRollout, RolloutRecord, Signal, WaveProgress } from '../rollout/record.ts';
import type { AskedRequest, RolloutRequest } from '../rollout/request.ts';
import { describePromoted, isPromoted, promotionOf } from '../signals/promote.ts';
import { bakeSecondsOf } from '../wave/bake.ts';
import {
  describeEnd,
  describeFailing,
  describeStart,
  describeWaveEvent,
} from './event-sentences.ts';

export function startedEvent(request: RolloutRequest, plan: RolloutPlan, at: number): StartedEvent {
  return {
    kind: 'started',
    eventId: eventIdOf(request.rolloutId, 'started'),
    ...subjectOf(request),
    at,
    message: describeStart(request, plan),
    startedBy: request.startedBy,
    endpoints: plan.endpoints.length,
    leftOut: plan.leftOut.length,
    waves: plan.waves.length,
  };
}

/**
 * The event after a look and its decision. When the same is decided again, the event is the same. `null`: there is nothing
 * to tell.
 */
export function eventAfter(
  decision: Decision,
  { request, journal, signals }: Pick<RolloutRecord, 'request' | 'journal' | 'signals'>,
  plan: RolloutPlan,
  {
    direction,
    wave,
    gates,
    bakedMs,
  }: Pick<WaveProgress, 'direction' | 'wave' | 'gates' | 'bakedMs'>,
  at: number,
): RolloutEvent | null {
  const answers = gates === undefined ? {} : { gates };
  switch (decision.next) {
    case 'roll': {
      const event = waveEvent('wave-started', request, plan, decision.wave, at, signals);
      const before = decision.wave - 1;
      const isEarly = plan.direction === 'forward' && isPromoted(signals, before);
      const early = isEarly ? describePromoted(before, gates) : '';
      return { ...event, message: `${event.message}${early}`, ...answers };
    }
    case 'wait': {
      // A way back that has not begun is looked at with the progress of the way forward.
      if (bakedMs === null || direction !== plan.direction) return null;
      const kind = decision.for === 'approval' ? 'approval-wanted' : 'wave-converged';
      return waveEvent(kind, request, plan, wave, at, signals);
    }
    case 'contain':
      return { ...failingEvent(decision, request, plan, journal, at), ...answers };
    case 'close':
      return null;
    default:
      return decision satisfies never;
  }
}

function waveEvent(
  kind: WaveEvent['kind'],
  request: RolloutRequest,
  plan: RolloutPlan,
  wave: number,
  at: number,
  signals: readonly Signal[],
): WaveEvent {
  const { from = 0, to = 0 } = plan.waves[wave] ?? {};
  const bakeSeconds = bakeToTell(request, plan, wave, signals);
  const fields = {
    direction: plan.direction,
    wave: wave + 1,
    waves: plan.waves.length,
    endpoints: to - from,
  };
  return {
    kind,
    eventId: waveEventIdOf(request.rolloutId, kind, plan.direction, wave + 1),
    ...subjectOf(request),
    at,
    message: describeWaveEvent(kind, request, { ...fields, bakeSeconds }),
    ...fields,
  };
}

/** How long a wave bakes from its convergence on. `undefined`: its plan has no bake. */
function bakeToTell(
  { policy }: RolloutRequest,
  plan: RolloutPlan,
  wave: number,
  signals: readonly Signal[],
): Seconds | undefined {
  if (plan.direction === 'back' || bakeSecondsOf(plan, { wave }) === 0) return undefined;
  // A wave is promoted by its own promotion only once it bakes, so that one changes nothing here.
  const others = signals.filter((signal) => signal.wave !== wave);
  return bakeSecondsOf(plan, { wave, promoted: promotionOf(policy, others, wave) });
}

function failingEvent(
  { ending, onFailure, oldEndpoints }: Extract<Decision, { next: 'contain' }>,
  request: RolloutRequest,
  plan: RolloutPlan,
  journal: Journal,
  at: number,
): FailingEvent {
  const isAnyRolled = countRolls(journal, 'forward') > 0;
  const containment = containmentOf(onFailure, plan);
  return {
    kind: 'failing',
    eventId: eventIdOf(request.rolloutId, 'failing'),
    ...subjectOf(request),
    at,
    message: describeFailing(request, ending, containment, oldEndpoints.length, isAnyRolled),
    reason: ending.reason,
    ...(ending.failure && { failure: ending.failure }),
    onFailure,
    cause: ending,
  };
}

/** The event of a rollout that was closed. It follows from the record, so it cannot get lost. */
export function endedEvent(
  record: Pick<AskedRollout, 'request' | 'plan' | 'journal'>,
  outcome: Outcome,
  at: number,
): EndedEvent {
  const { request } = record;
  return {
    kind: 'ended',
    eventId: eventIdOf(request.rolloutId, 'ended'),
    ...subjectOf(request),
    at,
    message: describeEnd(request, outcome),
    outcome: outcome.outcome,
    ...(outcome.tell && { tell: outcome.tell }),
    ...(outcome.failure && { failure: outcome.failure }),
    cleanup: outcome.cleanup,
    reason: outcome.reason,
    counts: countEndpoints(record),
  };
}

function subjectOf<Version extends AskedRequest['desiredVersion']>(
  request: AskedRequest & { readonly desiredVersion: Version },
) {
  const { rolloutId, runtimeId, desiredVersion, parent } = request;
  const group = groupOf(request);
  return {
    rolloutId,
    runtimeId,
    desiredVersion,
    ...(parent !== undefined && { parent }),
    ...(group !== null && { group }),
  };
}

type Journal = RolloutRecord['journal'];

export function countEndpoints({
  plan,
  journal,
}: Pick<RolloutRecord, 'plan' | 'journal'>): EndedEvent['counts'] {
  return {
    planned: plan?.endpoints.length ?? 0,
    rolled: countRolls(journal, 'forward'),
    rolledBack: countRolls(journal, 'back'),
    stopped: countStops(journal, 'accepted'),
    kept: countStops(journal, 'kept'),
  };
}

function countRolls(journal: Journal, direction: Direction): number {
  return [...rollHistories(journal, direction).values()].filter(wasSent).length;
}

function countStops(journal: Journal, wanted: WriteResult): number {
  return [...stopHistories(journal).values()].filter(({ last }) => last.result === wanted).length;
}

export function unsentEvents(record: AskedRollout): readonly RolloutEvent[] {
  const unsent = new Set(record.unsent);
  return allEvents(record).filter(({ eventId }) => unsent.has(eventId));
}

export function allEvents(record: AskedRollout): readonly RolloutEvent[] {
  const { events, outcome, endedAt } = record;
  return outcome === null || endedAt === null
    ? events
    : [...events, endedEvent(record, outcome, endedAt)];
}
