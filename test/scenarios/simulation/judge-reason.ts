import { type Endpoint, isFailed, isStopped } from '../../../lib/domain/endpoint/endpoint.ts';
import { isWrite, type ListCall } from '../../../lib/rehearsal/calls.ts';
import { hasConverged } from '../../support/read-evidence.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import type { Ordeal } from './ordeal.ts';

/** A rollout fails for the reason that the last two looks show, because one look may be an old answer. */
export function reasonIsSeen(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, outcome } = run;
  const isClear = [ordeal.death, ordeal.stall, ordeal.clock].every((one) => one === null);
  const { policy } = record?.request ?? {};
  if (record?.plan == null || !policy || !isClear) return [];
  const { endpoints: planned } = record.plan;
  const { statuses } = policy;
  const failing = record.events.find((event) => event.kind === 'failing');
  const { reason } = failing ?? outcome;
  const fleet = planned.length + record.plan.leftOut.length;
  const before = calls.filter(({ at }) => failing === undefined || at <= failing.at);
  const reads = before
    .filter((call): call is ListCall => call.operation === 'list' && call.endpoints !== null)
    .filter(({ endpoints }) => 2 * (endpoints?.length ?? 0) >= fleet);
  const isShown = (count: number, isMeant: (one: Endpoint | undefined) => boolean) =>
    planned.some(({ endpointId }) =>
      reads
        .slice(-count)
        .every(({ endpoints }) => isMeant(endpoints?.find(({ id }) => id === endpointId))),
    );
  const isBad = (one: Endpoint | undefined) =>
    one !== undefined && (isFailed(one, statuses) || isStopped(one, statuses));
  const writes = before.filter(isWrite);
  const holds: Readonly<Record<string, () => boolean>> = {
    EndpointFailed: () => isShown(2, isBad),
    EndpointVanished: () => isShown(3, (one) => one === undefined),
    LiveRegressed: () =>
      isShown(2, (one) => one === undefined || !hasConverged(one, 2) || isBad(one)),
    Stalled: () => isShown(1, (one) => one === undefined || !hasConverged(one, 2)),
    RollNotStarted: () =>
      planned.some(
        ({ endpointId }) =>
          writes.filter((write) => write.endpointId === endpointId).length >= 2 &&
          isShown(1, (one) => one?.id === endpointId && one.targetVersion !== 2),
      ),
    Converged: () => !isShown(1, (one) => one === undefined || !hasConverged(one, 2) || isBad(one)),
    ConvergedWithinThreshold: () =>
      isShown(1, (one) => one === undefined || !hasConverged(one, 2) || isBad(one)),
    NothingToDo: () => writes.length === 0 && planned.length === 0,
  };
  const isRefusal = reason.startsWith('Upstream') && outcome.outcome === 'Failed';
  const isTrue = isRefusal
    ? writes.some(({ answer }) => answer === reason)
    : (holds[reason]?.() ?? true);
  return isTrue ? [] : [`it names ${reason}, and that is not to be seen`];
}
