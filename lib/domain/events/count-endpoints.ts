import type { Direction } from '../direction.ts';
import type { WriteResult } from '../journal.ts';
import { rollHistories, wasSent } from '../judge/roll-history.ts';
import type { RolloutRecord } from '../rollout.ts';
import type { EndpointCounts } from './rollout-event.ts';

type Journal = RolloutRecord['journal'];

/** What was done to a rollout's endpoints, by its journal. */
export function countEndpoints({
  plan,
  journal,
}: Pick<RolloutRecord, 'plan' | 'journal'>): EndpointCounts {
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

/** The last line of each endpoint counts. */
function countStops(journal: Journal, wanted: WriteResult): number {
  const stops = journal.filter(({ operation }) => operation === 'stop');
  const last = new Map(stops.map(({ endpointId, result }) => [endpointId, result]));
  return [...last.values()].filter((result) => result === wanted).length;
}
