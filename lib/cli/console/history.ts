import type { History } from '../../console/desk.ts';
import { type HistoryQuery, LOOKED_THROUGH } from '../../contract/console/asked.ts';
import { toTime } from '../../contract/output/event.ts';
import { toListedRollout } from '../../contract/output/listed.ts';
import { describeStarter } from '../../domain/events/event-sentences.ts';
import { groupIdOf } from '../../domain/rollout/group.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';

/** The rollouts that have ended and that the filters fit, among the newest 1,000. */
export async function readHistory(
  ledger: Pick<Ledger, 'list'>,
  query: HistoryQuery,
): Promise<History> {
  const all = await ledger.list({ limit: LOOKED_THROUGH });
  const found = all.filter((one) => one.outcome !== null && fits(one, query, all));
  return {
    rollouts: found.slice(0, query.limit).map((one) => toListedRollout(one, null)),
    found: found.length,
    runtimes: [...new Set(all.map(({ runtimeId }) => runtimeId))].toSorted(),
  };
}

function fits(
  { runtimeId, parent, outcome, startedBy, startedAt }: RolloutSummary,
  { runtime, group, outcome: wanted, who, from, to }: HistoryQuery,
  all: readonly RolloutSummary[],
): boolean {
  const day = toTime(startedAt).slice(0, 10);
  const isOfGroup = (id: string) =>
    runtimeId === id || all.some((one) => one.rolloutId === parent && one.runtimeId === id);
  return (
    (runtime === undefined || runtimeId === runtime) &&
    (group === undefined || isOfGroup(groupIdOf(group))) &&
    (wanted === undefined || outcome?.outcome === wanted) &&
    (who === undefined || describeStarter(startedBy).toLowerCase().includes(who.toLowerCase())) &&
    (from === undefined || day >= from) &&
    (to === undefined || day <= to)
  );
}
