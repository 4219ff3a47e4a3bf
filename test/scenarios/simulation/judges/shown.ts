import type { Endpoint, PlannedEndpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import type { EndpointState } from '../../../../lib/domain/endpoint/observation.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import {
  byId,
  hasConverged,
  isAtStop,
  isBad,
  isForeign,
  isWhole,
} from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/** What the record says of each endpoint is what the list of the last look shows, as far as one list can tell. */
export function lastLookIsShown(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls } = run;
  const { plan: forward, progress, rollback } = record ?? {};
  if (record === null || forward == null || progress == null) return [];
  if (!isSteady(ordeal) || ordeal.policy.statuses !== undefined) return [];
  const isBack = progress.direction === 'back';
  const planned = (isBack ? rollback?.plan : forward)?.endpoints ?? [];
  // Of the lists of that moment, the others are those for the writes that follow.
  const look = calls
    .filter(isList)
    .find((list) => list.at === progress.readAt && isWhole(list, { plan: forward }));
  if (look === undefined) return [];
  const rows = byId(look.endpoints ?? []);
  return progress.observations.flatMap(({ state }, index) => {
    const one = planned[index];
    // Who was moved once is not ours any more, whatever else it shows.
    if (one === undefined || state === 'superseded' || state === 'taken-back') return [];
    const row = rows.get(one.endpointId);
    const rolls = calls.filter(isWrite).filter(({ endpointId }) => endpointId === one.endpointId);
    const isAccepted = !isBack && rolls.length === 1 && rolls[0]?.answer === 'accepted';
    const shows = `${row?.status} on ${row?.liveVersion} to ${row?.targetVersion}`;
    return mayBe(state, row, one) && !(isAccepted && isOtherwise(state, row, one))
      ? []
      : [`${one.name} is shown as ${state}, and was seen ${shows}`];
  });
}

/** Whether the list can come to be told so. */
function mayBe(state: EndpointState, row: Endpoint | undefined, planned: PlannedEndpoint): boolean {
  if (row === undefined || state === 'missing') return row === undefined && state === 'missing';
  const told = [row.targetVersion, row.liveVersion].filter((version) => version !== null);
  const isThere = told.every((version) => version === planned.desiredVersion);
  return !isForeign(row, planned) && (state !== 'converged' || isThere);
}

/** When its only roll was accepted, a list that shows it live, well or not, is told so. */
function isOtherwise(
  state: EndpointState,
  row: Endpoint | undefined,
  { desiredVersion, wrongBefore, leftAs }: PlannedEndpoint,
): boolean {
  if (row === undefined || row.targetVersion !== desiredVersion) return false;
  const isWell = hasConverged(row, desiredVersion) && !isBad(row);
  const mayHeal = wrongBefore.includes('failed') || leftAs !== undefined;
  const isLost = isAtStop(row) || (isBad(row) && !mayHeal);
  return (isWell && state !== 'converged') || (isLost && state !== 'failed');
}
