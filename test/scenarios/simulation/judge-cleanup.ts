import { isFailed, isStopped } from '../../../lib/domain/endpoint/endpoint.ts';
import { ErrorName } from '../../../lib/domain/errors.ts';
import { isList, isWrite, type WriteCall } from '../../../lib/rehearsal/calls.ts';
import { hasConverged } from '../../support/read-evidence.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import { isWhole } from './judge-kept.ts';
import type { Ordeal } from './ordeal.ts';

/** An hour later every endpoint is where the outcome says, unless somebody else had a hand in it. */
export function cleanupIsTrue(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { people, broken, policy } = ordeal;
  const { outcome, record, endpoints, calls } = run;
  if (record?.plan == null || people.some(({ kind }) => RELEASES.has(kind))) return [];
  if (ordeal.stall?.isRaced || ordeal.badReleases > 0 || ordeal.undo !== null) return [];
  if (ordeal.writes.some(({ operation, kind }) => operation === 'stop' && kind === 'ignored'))
    return [];
  const sent = new Set(calls.filter(mayBeCarriedOut).map(({ endpointId }) => endpointId));
  return record.plan.endpoints.flatMap(({ endpointId, previousVersion, name }) => {
    const isMoved = people.some((act) => 'endpoint' in act && act.endpoint === name);
    const isFickle = broken.some(
      ({ endpoint, kind }) => endpoint === name && (kind === 'regress' || kind === 'vanish'),
    );
    const end = endpoints.get(name ?? '');
    if (isMoved || isFickle || end === undefined) return [];
    const { liveVersion, targetVersion, status } = end;
    const isThere = liveVersion === 2;
    const isBack = liveVersion === previousVersion && targetVersion === previousVersion;
    const isSent = sent.has(endpointId);
    const isLeftOld = isSent && !isThere && targetVersion === 2 && status !== 'STOPPED';
    // Whoever rejects a wave may say himself what is to be done.
    const isSaid = people.some(({ kind }) => kind === 'reject');
    const wantsAct = outcome.outcome === 'Failed' && policy.onFailure !== 'hold' && !isSaid;
    const isLie =
      (outcome.reason === 'Converged' && !isThere) ||
      (outcome.cleanup === 'rolledBack' && isSent && !isBack) ||
      (outcome.cleanup === 'stopped' && isLeftOld) ||
      (outcome.cleanup === 'none' && wantsAct && isLeftOld);
    const said = `${outcome.outcome}, ${outcome.cleanup}: ${outcome.message}`;
    return isLie
      ? [`${name} is ${status} on ${liveVersion} to ${targetVersion}, and: ${said}`]
      : [];
  });
}

/** A way back is incomplete as long as something is neither back nor somebody else's, or a stop has no answer. */
export function wayBackIsTold(
  { death, stall }: Ordeal,
  { record, outcome }: ScenarioResult,
): string[] {
  if (record?.rollback == null || death !== null || stall !== null) return [];
  const { plan } = record.rollback;
  const shown = record.progress?.direction === 'back' ? record.progress.observations : [];
  const isAway = plan.endpoints.some((_, index) => {
    const { state = 'pending', reads = 0 } = shown[index] ?? {};
    return state !== 'superseded' && (state !== 'converged' || reads < 2);
  });
  const stops = Map.groupBy(
    record.journal.filter(({ operation }) => operation === 'stop'),
    ({ endpointId }) => endpointId,
  );
  const isOpen = [...stops.values()].some((entries) => {
    const last = entries.at(-1)?.result ?? '';
    const isSent = last === 'intended' || entries.some(({ result }) => ANSWERED.has(result));
    return isSent && last !== 'accepted' && last !== 'kept';
  });
  const isLost = plan.leftOut.some(({ reason }) => reason === 'previous-unknown');
  const isIncomplete = isAway || isOpen || isLost;
  return isIncomplete === (outcome.cleanup === 'incomplete')
    ? []
    : [`it was ${isIncomplete ? 'not ' : ''}all done, and its cleanup is ${outcome.cleanup}`];
}

const ANSWERED: ReadonlySet<string> = new Set(['accepted', 'unknown']);

/** Releases that may roll the same endpoints later. */
const RELEASES: ReadonlySet<string> = new Set(['rival', 'stale', 'twin']);

const NOT_CARRIED_OUT = /^Upstream/;

function mayBeCarriedOut(call: ScenarioResult['calls'][number]): call is WriteCall {
  return isWrite(call) && call.operation === 'roll' && !NOT_CARRIED_OUT.test(call.answer ?? '');
}

/** Where old endpoints are stopped, each of them is: what two looks in a row did not show live is stopped or kept. */
export function noneIsForgotten(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, outcome } = run;
  const { clock, death, stall, latencyMs, writes } = ordeal;
  // Where calls take time, a read may be that of a batch, and no look.
  const isClear =
    latencyMs + writes.length === 0 && [clock, death, stall].every((one) => one === null);
  const { plan, journal = [], rollback, events = [], request } = record ?? {};
  const failedAt = events.find(({ kind }) => kind === 'failing')?.at;
  if (!isClear || plan == null || rollback !== null || failedAt === undefined) return [];
  const statuses = request?.policy?.statuses;
  if (outcome.reason === ErrorName.LeaseLost || statuses === undefined) return [];
  const isDealtWith = (id: string) =>
    journal.some(({ endpointId, operation }) => endpointId === id && operation === 'stop');
  if (!plan.endpoints.some(({ endpointId }) => isDealtWith(endpointId))) return [];
  const reads = calls
    .filter(isList)
    .filter((read) => read.at <= failedAt && isWhole(read, { plan }));
  // Reads of the same moment may be those of the stops already.
  const before = reads.findLast(({ at }) => at < failedAt)?.at;
  const looks = reads.filter(({ at }) => at === failedAt || at === before);
  const isOld = (id: string) =>
    looks.every(({ endpoints }) => {
      const shown = endpoints?.find((one) => one.id === id);
      if (shown === undefined || isFailed(shown, statuses) || isStopped(shown, statuses))
        return true;
      return shown.targetVersion !== null && !hasConverged(shown, request?.desiredVersion ?? 2);
    });
  const wasRolled = (id: string) =>
    journal.some(
      ({ endpointId, operation, result }) =>
        endpointId === id && operation === 'roll' && result === 'accepted',
    );
  return plan.endpoints
    .filter(({ endpointId: id }) => wasRolled(id) && isOld(id) && !isDealtWith(id))
    .map(({ name }) => `${name} was neither stopped nor kept`);
}
