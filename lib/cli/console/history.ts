import type { History, PastRollout } from '../../console/desk.ts';
import { type HistoryQuery, LOOKED_THROUGH } from '../../contract/console/asked.ts';
import { toTime } from '../../contract/output/event.ts';
import { toListedRollout } from '../../contract/output/listed.ts';
import { describeStarter } from '../../domain/events/event-sentences.ts';
import { groupIdOf } from '../../domain/rollout/group.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { attemptsAmong } from './attempts.ts';

/** What failed less than so many milliseconds ago is told above the history. */
const LATELY_MS = 3_600_000;

/** The rollouts that have ended and that the filters fit, among the newest 1,000. */
export async function readHistory(
  ledger: Pick<Ledger, 'list'>,
  query: HistoryQuery,
  now: number,
): Promise<History> {
  const all = await ledger.list({ limit: LOOKED_THROUGH });
  const attempts = attemptsAmong(all);
  const toPast = (one: RolloutSummary): PastRollout => {
    return { ...toListedRollout(one, null), again: attempts.after(one) };
  };
  const open = new Set(all.flatMap((one) => (one.outcome === null ? [one.rolloutId] : [])));
  const ended = all.filter(({ outcome }) => outcome !== null).toSorted(byEnd);
  // What has gone well in a group that is under way stands on the page of the group.
  const isToldThere = ({ parent, outcome }: RolloutSummary) =>
    query.runtime === undefined && outcome?.outcome === 'Succeeded' && open.has(parent ?? '');
  const found = ended.filter((one) => fits(one, query, all) && !isToldThere(one));
  const ids = new Set(found.map(({ rolloutId }) => rolloutId));
  const [inGroups = [], others = []] = partition(found, ({ parent }) => ids.has(parent ?? ''));
  const children = Map.groupBy(inGroups, ({ parent }) => parent);
  const shown = others.slice(0, query.limit);
  return {
    rollouts: shown.flatMap((one) => [one, ...(children.get(one.rolloutId) ?? [])]).map(toPast),
    found: others.length,
    failed: ended.filter((one) => hasFailedLately(one, now)).map(toPast),
    runtimes: [...new Set(all.map(({ runtimeId }) => runtimeId))].toSorted(),
  };
}

function byEnd(one: RolloutSummary, other: RolloutSummary): number {
  return (other.endedAt ?? 0) - (one.endedAt ?? 0);
}

function partition<T>(all: readonly T[], isFirst: (one: T) => boolean): readonly (readonly T[])[] {
  return [all.filter(isFirst), all.filter((one) => !isFirst(one))];
}

/** A person who aborts a rollout knows it, and one that another took over has not failed. */
function hasFailedLately({ outcome, endedAt }: RolloutSummary, now: number): boolean {
  const hasFailed = outcome?.outcome === 'Failed' || outcome?.outcome === 'Errored';
  return hasFailed && endedAt !== null && now - endedAt < LATELY_MS;
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
