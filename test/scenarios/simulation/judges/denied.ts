import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/** A list that the service lets nobody read ends a rollout that has not begun: it is not read again. */
export function deniedEnds(ordeal: Ordeal, { calls, record }: ScenarioResult): string[] {
  if (!isSteady(ordeal)) return [];
  const startedAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  const before = calls
    .filter(isList)
    .filter(({ at }) => at < (startedAt ?? Number.POSITIVE_INFINITY));
  const denied = before.findIndex(
    ({ endpoints, at }) => endpoints === null && isDenied(ordeal, (at - START) / 1000),
  );
  const again = denied < 0 ? undefined : before[denied + 1];
  return again === undefined
    ? []
    : [`the list was denied, and was read again ${(again.at - START) / 1000} s after the start`];
}

/** Of two faults at the same time, the first one counts. */
function isDenied({ lists }: Ordeal, second: number): boolean {
  const met = lists.find(({ fromSecond, seconds }) => {
    return second >= fromSecond && second < fromSecond + seconds;
  });
  return met?.kind === 'UpstreamAuth';
}

/** Those of its handful are in flight with it. */
export function deniedIsLast(ordeal: Ordeal, { calls, record }: ScenarioResult): string[] {
  const rolls = calls.filter(isWrite).filter(({ operation }) => operation === 'roll');
  if (!isSteady(ordeal)) {
    // Whoever goes on after a death knows of it by the journal.
    const notedAt = record?.journal.find(({ reason }) => reason === 'UpstreamAuth')?.at;
    return ordeal.clock !== null || ordeal.stall !== null || notedAt === undefined
      ? []
      : rolls
          .filter(({ at }) => at > notedAt)
          .map(({ endpointId }) => `${endpointId} was rolled after a refusal was noted`);
  }
  const denied = rolls.find(({ answer }) => answer === 'UpstreamAuth');
  const answeredAt = denied === undefined ? Number.POSITIVE_INFINITY : denied.at + ordeal.latencyMs;
  return rolls
    .filter(({ at }) => at >= answeredAt && at > (denied?.at ?? at))
    .map(({ endpointId }) => `${endpointId} was rolled after the credentials were refused`);
}
