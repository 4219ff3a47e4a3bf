import { toTime } from '../../contract/event.ts';
import { groupIdOf } from '../../domain/rollout/group.ts';
import type { RolloutSummary } from '../../domain/rollout/record.ts';
import { describeStarter } from '../../domain/rollout/request.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../../steps/io/record.ts';
import { toListedRollout } from '../../telling/view/listed.ts';
import { stepsAfter } from '../../telling/words/errors.ts';
import { type HistoryQuery, LOOKED_THROUGH } from '../asked.ts';
import type { PastRollout, PastRollouts } from '../desk.ts';
import { attemptsAmong } from './attempts.ts';

/** What failed less than so many milliseconds ago is told above the history. */
const LATELY_MS = 3_600_000;

/** Of so many of them it is found out what helps. On AWS each costs some reads. */
const MOST_HELPED = 5;

/**
 * The rollouts that have ended and that the filters fit, among the newest 1,000 and the one whose id is asked for.
 *
 * @param where The arguments with which a command finds the engine.
 */
export async function readHistory(
  ledger: Pick<Ledger, 'list' | 'read' | 'readSummary'>,
  query: HistoryQuery,
  now: number,
  where: string,
): Promise<PastRollouts> {
  const newest = await ledger.list({ limit: LOOKED_THROUGH });
  const { id } = query;
  const isThere = id === undefined || newest.some(({ rolloutId }) => rolloutId.startsWith(id));
  const old = isThere ? null : await ledger.readSummary(id);
  const all = [...newest, ...(old === null ? [] : [old])];
  const attempts = attemptsAmong(all);
  const toPast = (one: RolloutSummary): PastRollout => {
    return { ...toListedRollout(one), again: attempts.after(one) };
  };
  const underWay = all.filter(({ outcome }) => outcome === null);
  const open = new Set(underWay.map(({ rolloutId }) => rolloutId));
  const ended = all
    .filter(({ outcome }) => outcome !== null)
    .toSorted((one, other) => (other.endedAt ?? 0) - (one.endedAt ?? 0));
  // What has gone well in a group that is under way stands on the page of the group.
  const isNamed = query.runtime !== undefined || query.id !== undefined;
  const isToldThere = ({ parent, outcome }: RolloutSummary) =>
    !isNamed && outcome?.outcome === 'Succeeded' && open.has(parent ?? '');
  const found = ended.filter((one) => fits(one, query, all) && !isToldThere(one));
  const ids = new Set(found.map(({ rolloutId }) => rolloutId));
  const others = found.filter(({ parent }) => !ids.has(parent ?? ''));
  const children = Map.groupBy(found, ({ parent }) => parent);
  const shown = others.slice(0, query.limit);
  const late = ended.filter((one) => hasFailedLately(one, now)).map(toPast);
  // A group tells of the runtimes that it failed with.
  const groups = new Set(late.map(({ rolloutId }) => rolloutId));
  const ofLate = late.filter(({ parent }) => !groups.has(parent ?? ''));
  const isPassed = (one: PastRollout) => hasBeenPassed(one, newest);
  const failed = ofLate.filter((one) => !isPassed(one));
  const busy = new Set(underWay.map(({ runtimeId }) => runtimeId));
  /** While a runtime is rolled, nothing of it is taken back or rolled again. */
  const mayHelp = (one: PastRollout) => one.again === null && !busy.has(one.runtimeId);
  const helped = failed.filter(mayHelp).slice(0, MOST_HELPED);
  const next = new Map<string, string | undefined>();
  await Promise.all(
    helped.map(async ({ rolloutId }) => {
      const record = await findRecord(rolloutId, ledger);
      if (record !== null) next.set(rolloutId, stepsAfter(record, where)[0]?.purpose);
    }),
  );
  return {
    rollouts: shown.flatMap((one) => [one, ...(children.get(one.rolloutId) ?? [])]).map(toPast),
    found: others.length,
    failed: failed.map((one) => ({ ...one, next: next.get(one.rolloutId) ?? null })),
    passed: ofLate.filter(isPassed),
    refused: ended
      .filter((one) => one.outcome?.outcome === 'Refused' && isLate(one, now))
      .map(toPast),
    runtimes: [...new Set(all.map(({ runtimeId }) => runtimeId))].toSorted(),
  };
}

/** Whether its runtime got another version since then. What was tried again stays with its attempts. */
function hasBeenPassed(
  { rolloutId, runtimeId, version, startedAt }: PastRollout,
  all: readonly RolloutSummary[],
): boolean {
  return all.some(
    (one) =>
      one.rolloutId !== rolloutId &&
      one.runtimeId === runtimeId &&
      one.desiredVersion !== version &&
      one.startedAt >= Date.parse(startedAt) &&
      one.outcome?.outcome === 'Succeeded',
  );
}

/** A person who aborts a rollout knows it, and one that another took over has not failed. */
function hasFailedLately(one: RolloutSummary, now: number): boolean {
  const hasFailed = one.outcome?.outcome === 'Failed' || one.outcome?.outcome === 'Errored';
  return hasFailed && isLate(one, now);
}

function isLate({ endedAt }: RolloutSummary, now: number): boolean {
  return endedAt !== null && now - endedAt < LATELY_MS;
}

function fits(
  { rolloutId, runtimeId, parent, outcome, startedBy, startedAt, ...asked }: RolloutSummary,
  { id, runtime, group, version, outcome: wanted, who, from, to }: HistoryQuery,
  all: readonly RolloutSummary[],
): boolean {
  const day = toTime(startedAt).slice(0, 10);
  const isOfGroup = (id: string) =>
    runtimeId === id || all.some((one) => one.rolloutId === parent && one.runtimeId === id);
  return (
    (id === undefined || rolloutId.startsWith(id)) &&
    (version === undefined ||
      asked.desiredVersion === version ||
      Object.values(asked.versions ?? {}).includes(version)) &&
    (runtime === undefined || runtimeId === runtime) &&
    (group === undefined || isOfGroup(groupIdOf(group))) &&
    (wanted === undefined || (outcome !== null && wanted.includes(outcome.outcome))) &&
    (who === undefined || describeStarter(startedBy).toLowerCase().includes(who.toLowerCase())) &&
    (from === undefined || day >= from) &&
    (to === undefined || day <= to)
  );
}
