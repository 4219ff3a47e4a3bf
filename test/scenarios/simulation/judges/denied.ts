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
  // Once a list was read, who asks, and where, was right: a later one is waited for.
  const read = before.findIndex(({ endpoints }) => endpoints !== null);
  const first = before.slice(0, read === -1 ? before.length : read);
  const denied = first.findIndex(
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
  return met?.kind === NO_ACCESS;
}

const NO_ACCESS = 'UpstreamAuth';

/** Those of its handful are in flight with it. After them comes a look, and one roll alone, until somebody is let in. */
export function deniedGoesAlone(ordeal: Ordeal, { calls }: ScenarioResult): string[] {
  // What never left the client is in the journal beside it, and nobody here sees it.
  if (!isSteady(ordeal) || ordeal.wire !== null) return [];
  return calls.flatMap((call, index) => {
    if (!isWrite(call) || call.operation !== 'roll') return [];
    const before = calls.slice(0, index).filter(isWrite);
    const isBeside = before.at(-1)?.at === call.at && before.at(-1)?.operation === 'roll';
    const earlier = before.filter(({ operation, at }) => operation === 'roll' && at < call.at);
    const isLockedOut = earlier.at(-1)?.answer === NO_ACCESS;
    return isBeside && isLockedOut
      ? [`${call.endpointId} was rolled beside another one while nobody was let in`]
      : [];
  });
}

/** A write that nobody let in is looked at before it is tried again. */
export function deniedIsLookedAt(ordeal: Ordeal, { calls }: ScenarioResult): string[] {
  if (!isSteady(ordeal)) return [];
  return calls.flatMap((call, index) => {
    if (!isWrite(call) || call.answer !== NO_ACCESS) return [];
    const rest = calls.slice(index + 1);
    const next = rest.findIndex((one) => isWrite(one) && one.at >= call.at + ordeal.latencyMs);
    const again = rest[next];
    const isSame =
      again !== undefined &&
      isWrite(again) &&
      again.at > call.at &&
      again.operation === call.operation;
    return isSame && !rest.slice(0, next).some(isList)
      ? [`${again.endpointId} was written to after a refusal, and nothing was read before`]
      : [];
  });
}
