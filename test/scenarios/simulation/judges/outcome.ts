import type { OutcomeKind } from '../../../../lib/domain/rollout/outcome.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';

/** What has gone wrong decides what the end is called. */
export function endIsCalledSo({ outcome: { outcome, reason } }: ScenarioResult): string[] {
  const due = KINDS.get(reason);
  return due === undefined || outcome === due ? [] : [`${reason} makes it ${due}, not ${outcome}`];
}

/** What was refused has never been: nothing of it is anywhere but in its request, its outcome and its last event. */
export function refusedHasNotBegun({ outcome, record }: ScenarioResult): string[] {
  if (outcome.outcome !== 'Refused' || record === null) return [];
  const { plan, journal, events } = record;
  const isNothing = plan === null && journal.length === 0 && events.length === 0;
  return isNothing ? [] : ['it was refused, although it had begun'];
}

const KINDS: ReadonlyMap<string, OutcomeKind> = new Map([
  ...['Converged', 'ConvergedWithinThreshold', 'ConvergedWithoutPinned', 'NothingToDo'].map(
    (reason) => [reason, 'Succeeded'] as const,
  ),
  ...[
    'ApprovalTimedOut',
    'EndpointFailed',
    'EndpointVanished',
    'GateFailed',
    'LiveRegressed',
    'Rejected',
    'RollNotStarted',
    'Stalled',
  ].map((reason) => [reason, 'Failed'] as const),
  ...['EndpointUnknown', 'GateUnknown', 'LeaseLost', 'ListUnstable'].map(
    (reason) => [reason, 'Errored'] as const,
  ),
  ...['EmptyScope', 'GateRed', 'OutsideWindow', 'PlanChanged', 'VersionUnknown'].map(
    (reason) => [reason, 'Refused'] as const,
  ),
  ...['AllPinned', 'GaveWay', 'Overtaken', 'Superseded'].map(
    (reason) => [reason, 'Superseded'] as const,
  ),
]);
