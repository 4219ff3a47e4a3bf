import type { PlannedEndpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import type { FailureKind } from '../../../../lib/domain/rollout/policy.ts';
import { isList, isWrite, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import { hasConverged, isWhole } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

// Whether a failure is a stuck one or a bad one, as the lists show it that were read up to then.

/** The kind that was told is the one that the endpoints have shown, and it stays, however the rollout ends. */
export function kindFollowsTheEndpoint(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, outcome } = run;
  const failing = record?.events.find((event) => event.kind === 'failing');
  if (failing?.kind !== 'failing') return [];
  // Of one that was not approved in time nothing is known, unless that is its end.
  const isUnjudged = failing.reason === 'ApprovalTimedOut' && outcome.reason !== failing.reason;
  const stays = isUnjudged ? undefined : failing.failure;
  const ended = record?.outcome;
  if (ended && ended.failure !== stays)
    return [`it told of a ${failing.failure} failure, and ended with ${ended.failure}`];
  if (outcome.outcome !== 'Failed') return [];
  const { failure, reason } = failing;
  const due = SAID.get(reason);
  // What got to the version and is lost wins over what hangs beside it.
  const mayWin = due === 'stuck' && mayBeLost(run, failing.at);
  const isOther = due !== undefined && failure !== due && !mayWin;
  const shown = shownBy(ordeal, run, failing.at);
  const isUnfounded = due === undefined && failure === 'bad' && shown?.mayBeBad === false;
  return [
    ...(isOther ? [`${reason} makes the failure ${due}, and not ${failure}`] : []),
    ...(isUnfounded
      ? [`its failure is bad, and no list has shown an endpoint live and lost, or taken back`]
      : []),
  ];
}

/** What got to the version and is lost makes the failure a bad one, whatever else hangs or has failed beside it. */
export function badWins(ordeal: Ordeal, run: ScenarioResult): string[] {
  const failing = run.record?.events.find((event) => event.kind === 'failing');
  if (failing?.kind !== 'failing' || failing.failure !== 'stuck') return [];
  return (shownBy(ordeal, run, failing.at)?.bad ?? []).map(
    ({ name }) => `${name} was live and is lost, and the failure is ${failing.reason}, stuck`,
  );
}

/** Whether some endpoint was shown with the version live on it, and the last list before does not show it well any more. */
function mayBeLost({ record, calls }: ScenarioResult, until: number): boolean {
  const reads = calls.filter(isList).filter(({ at, endpoints }) => at <= until && endpoints);
  const last = reads.at(-1);
  return (record?.plan?.endpoints ?? []).some(
    (one) =>
      last !== undefined &&
      !isLive(last, one) &&
      reads.some((read) => isLive(read, one) || hasFailedLive(read, one)),
  );
}

/** Whatever the endpoints show, but for a loss beside what is stuck. */
const SAID: ReadonlyMap<string, FailureKind> = new Map([
  ...['GateFailed', 'Rejected', 'ApprovalTimedOut', 'TakenBack', 'LiveRegressed'].map(
    (reason) => [reason, 'bad'] as const,
  ),
  ...['RollNotStarted'].map((reason) => [reason, 'stuck'] as const),
]);

interface Shown {
  readonly bad: readonly PlannedEndpoint[];
  readonly mayBeBad: boolean;
}

/** `null`: lists, answers or others may have said something else than what is true. */
function shownBy(ordeal: Ordeal, run: ScenarioResult, until: number): Shown | null {
  const { record, calls } = run;
  const { lists, writes, people, guises, wire, latencyMs } = ordeal;
  const isClear = [lists, writes, people, guises].every((ills) => ills.length === 0);
  const isKnown = isClear && isSteady(ordeal) && latencyMs === 0 && wire === null;
  if (record?.plan == null || !isKnown || ordeal.policy.statuses !== undefined) return null;
  const { plan } = record;
  const reads = calls.filter(isList).filter((read) => read.at <= until && isWhole(read, { plan }));
  const rolled = plan.endpoints.filter(({ endpointId, previousVersion, previousTarget }) => {
    const isNew = previousVersion !== 2 && previousTarget !== 2;
    return isNew && calls.some((call) => isWrite(call) && call.endpointId === endpointId);
  });
  return {
    bad: rolled.filter((one) => {
      const gotThere =
        wasConfirmed(reads, one) || reads.slice(-3).every((read) => hasFailedLive(read, one));
      return gotThere && isSurelyLost(reads, one);
    }),
    mayBeBad: rolled.some((one) =>
      reads.some(
        (read, nth) =>
          isLive(read, one) ||
          hasFailedLive(read, one) ||
          (targetIn(read, one) === 2 && isTakenBackIn(reads.slice(nth + 1), one)),
      ),
    ),
  };
}

/** Two looks in a row have shown it live. Reads of the same moment are one look. */
function wasConfirmed(reads: readonly ListCall[], one: PlannedEndpoint): boolean {
  return reads.some((read, nth) => {
    const next = reads.slice(nth + 1).find(({ at }) => at > read.at);
    return next !== undefined && isLive(read, one) && isLive(next, one);
  });
}

/** The last three looks have shown it with a failed status, or not at all. */
function isSurelyLost(reads: readonly ListCall[], { endpointId }: PlannedEndpoint): boolean {
  const looks = [...new Map(reads.map((read) => [read.at, read])).values()].slice(-3);
  const states = looks.map(({ endpoints }) => {
    const row = endpoints?.find(({ id }) => id === endpointId);
    if (row === undefined) return 'missing';
    return row.status === 'ERROR' && row.targetVersion === 2 ? 'failed' : 'there';
  });
  const [first] = states;
  return states.length === 3 && first !== 'there' && states.every((state) => state === first);
}

function isLive({ endpoints }: ListCall, { endpointId }: PlannedEndpoint): boolean {
  const row = endpoints?.find(({ id }) => id === endpointId);
  return row !== undefined && hasConverged(row, 2) && row.status !== 'ERROR';
}

/** It shows another target than the version. */
function isTakenBackIn(reads: readonly ListCall[], one: PlannedEndpoint): boolean {
  return reads.some((read) => (targetIn(read, one) ?? 2) !== 2);
}

function targetIn({ endpoints }: ListCall, { endpointId }: PlannedEndpoint) {
  return endpoints?.find(({ id }) => id === endpointId)?.targetVersion;
}

/** It is broken, and the version is live on it all the same. */
function hasFailedLive({ endpoints }: ListCall, { endpointId }: PlannedEndpoint): boolean {
  const row = endpoints?.find(({ id }) => id === endpointId);
  return row?.status === 'ERROR' && row.targetVersion === 2 && row.liveVersion === 2;
}
