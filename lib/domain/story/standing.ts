import { NO_ATTEMPTS, stopHistories } from '../endpoint/attempts.ts';
import type { PlannedEndpoint } from '../endpoint/endpoint.ts';
import type { Direction, JournalEntry } from '../endpoint/journal.ts';
import {
  type EndpointState,
  hasConverged,
  isInMidRoll,
  isLostForGood,
  type Observation,
} from '../endpoint/observation.ts';
import { rollHistories, wasSent } from '../endpoint/rolls.ts';
import { type AskedRollout, activePlan, progressOn } from '../rollout/record.ts';

/** The most important one comes first. */
export const CONCERNS = ['lost', 'in-mid-roll', 'pending', 'converged'] as const;
type Concern = (typeof CONCERNS)[number];

/** An endpoint of the plan that is followed now, and everything that is known about it. */
export interface EndpointRow {
  readonly planned: PlannedEndpoint;
  /** 1-based. */
  readonly wave: number;
  readonly state: EndpointState;
  readonly concern: Concern;
  /** The last journal line about its roll in this direction, which may be an intention. */
  readonly roll: JournalEntry | null;
  readonly stop: JournalEntry | null;
  /** Why the endpoint has failed, if the service says so. */
  readonly statusReason: string | null;
}

export function listEndpointRows(record: AskedRollout): EndpointRow[] {
  const plan = activePlan(record);
  if (plan === null) return [];
  const rolls = rollHistories(record.journal, plan.direction);
  const stops = stopHistories(record.journal);
  const observations = latestObservations(record);
  return plan.waves.flatMap(({ from, to }, index) =>
    plan.endpoints.slice(from, to).map((planned, place) => {
      const seen = observations[from + place] as Observation;
      const stop = stops.get(planned.endpointId)?.last ?? null;
      return {
        planned,
        wave: index + 1,
        state: seen.state,
        concern: stop === null ? concernOf(seen) : 'lost',
        roll: rolls.get(planned.endpointId)?.last ?? null,
        stop,
        statusReason: seen.statusReason ?? null,
      };
    }),
  );
}

function concernOf(seen: Observation): Concern {
  switch (seen.state) {
    case 'pending':
      return 'pending';
    case 'converged':
      // One read proves nothing yet.
      return hasConverged(seen) ? 'converged' : 'in-mid-roll';
    case 'requested':
    case 'progressing':
      return 'in-mid-roll';
    default:
      // One read against an endpoint may be an old answer, but people want to see it.
      return 'lost';
  }
}

export interface WaveCount {
  /** 1-based. */
  readonly wave: number;
  readonly waves: number;
  readonly direction: Direction;
  readonly state: 'waiting' | 'current' | 'done';
  readonly total: number;
  readonly converged: number;
  readonly inMidRoll: number;
  readonly lost: number;
}

/** How far each wave has got, in the plan that is followed now. */
export function countWaves(record: AskedRollout): WaveCount[] {
  const plan = activePlan(record);
  if (plan === null) return [];
  const { direction, waves } = plan;
  const observations = latestObservations(record);
  const current = progressOn(record, plan)?.wave ?? 0;
  return waves.map(({ from, to }, index) => {
    const seen = observations.slice(from, to);
    const converged = seen.filter(hasConverged).length;
    const total = to - from;
    return {
      wave: index + 1,
      waves: waves.length,
      direction,
      state: stateOf(index, current, converged === total),
      total,
      converged,
      inMidRoll: seen.filter(isInMidRoll).length,
      lost: seen.filter(isLostForGood).length,
    };
  });
}

function stateOf(index: number, current: number, isWhole: boolean): WaveCount['state'] {
  if (index > current) return 'waiting';
  return index < current || isWhole ? 'done' : 'current';
}

/**
 * The latest observation of each endpoint of the plan that is followed now, by its place in the plan. The journal
 * knows of a roll up to half a minute before the next read of the list does.
 */
function latestObservations(record: AskedRollout): Observation[] {
  const plan = activePlan(record);
  if (plan === null) return [];
  const { direction, endpoints } = plan;
  // What was seen on the way forward says nothing about the rollback.
  const seen = progressOn(record, plan)?.observations ?? [];
  const histories = rollHistories(record.journal, direction);
  return endpoints.map(({ endpointId }, place) => {
    const observation = seen[place] ?? PENDING;
    const isRolled = wasSent(histories.get(endpointId) ?? NO_ATTEMPTS);
    return observation.state === 'pending' && isRolled ? REQUESTED : observation;
  });
}

const PENDING: Observation = { state: 'pending', reads: 1 };
const REQUESTED: Observation = { state: 'requested', reads: 1 };
