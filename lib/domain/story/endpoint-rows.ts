import { activePlan } from '../active-plan.ts';
import type { JournalEntry } from '../journal.ts';
import { hasConverged } from '../judge/endpoint-verdict.ts';
import { ROLL_OPERATION } from '../judge/roll-history.ts';
import type { EndpointState, Observation } from '../observation.ts';
import type { AskedRollout } from '../rollout.ts';
import type { PlannedEndpoint } from '../rollout-plan.ts';
import { latestObservations } from './latest-observations.ts';

/** What matters most comes first. */
export const CONCERNS = ['lost', 'in-mid-roll', 'pending', 'converged'] as const;
export type Concern = (typeof CONCERNS)[number];

/** An endpoint of the plan that is followed now, and all that is known of it. */
export interface EndpointRow {
  readonly planned: PlannedEndpoint;
  /** 1-based. */
  readonly wave: number;
  readonly state: EndpointState;
  readonly concern: Concern;
  /** The last line that the journal has of its roll in this direction, intentions among them. */
  readonly roll: JournalEntry | null;
  readonly stop: JournalEntry | null;
}

/** In the order of the plan. */
export function listEndpointRows(record: AskedRollout): EndpointRow[] {
  const plan = activePlan(record);
  if (plan === null) return [];
  const rolls = lastLines(record.journal, ROLL_OPERATION[plan.direction]);
  const stops = lastLines(record.journal, 'stop');
  const observations = latestObservations(record);
  return plan.waves.flatMap(({ from, to }, index) =>
    plan.endpoints.slice(from, to).map((planned, place) => {
      const seen = observations[from + place] as Observation;
      const stop = stops.get(planned.endpointId) ?? null;
      return {
        planned,
        wave: index + 1,
        state: seen.state,
        concern: stop === null ? concernOf(seen) : 'lost',
        roll: rolls.get(planned.endpointId) ?? null,
        stop,
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
      // One read that speaks against an endpoint may be old, and yet it is what people look for.
      return 'lost';
  }
}

function lastLines(
  journal: readonly JournalEntry[],
  wanted: JournalEntry['operation'],
): Map<string, JournalEntry> {
  const lines = journal.filter(({ operation }) => operation === wanted);
  return new Map(lines.map((line) => [line.endpointId, line]));
}
