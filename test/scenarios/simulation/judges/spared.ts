import {
  isFailed,
  type PlannedEndpoint,
  type StatusWords,
} from '../../../../lib/domain/endpoint/endpoint.ts';
import { type Call, isList, isWrite, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import { isWhole } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isOneOf } from '../name-patterns.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

// What is never stopped, by what the read just before the stop shows, and by what was rolled.

/** What this rollout has not rolled, what is stopped already, and what does not say its live version. */
export function doubtfulIsSpared(_: Ordeal, { calls, record }: ScenarioResult): string[] {
  return calls.flatMap((call, index) => {
    const read = calls[index - 1];
    if (call.operation !== 'stop' || read?.operation !== 'list') return [];
    const isRolled = calls.slice(0, index).some(isRollOf(call.endpointId));
    // A step that died before its roll has only noted it, and nobody can know that it did not send it.
    const isNoted = record?.journal.some(
      (entry) => entry.endpointId === call.endpointId && entry.operation === 'roll',
    );
    const shown = read.endpoints?.find(({ id }) => id === call.endpointId);
    const doubts = [
      ...(isRolled || isNoted === true ? [] : ['it was never rolled']),
      ...(shown?.status?.startsWith('STOPP') ? ['it is stopped already'] : []),
      ...(shown?.liveVersion === null ? ['nobody knows which version is live'] : []),
    ];
    return doubts.map((doubt) => `${call.endpointId} was stopped, although ${doubt}`);
  });
}

function isRollOf(endpointId: string): (call: Call) => boolean {
  return (call) => isWrite(call) && call.endpointId === endpointId && call.version === 2;
}

/**
 * What a list has shown at the target, and what the read before the stop shows at another one, was taken back by
 * somebody else.
 */
export function takenBackIsSpared({ people }: Ordeal, { calls }: ScenarioResult): string[] {
  if (!people.some(({ kind }) => kind === 'move')) return [];
  return calls.flatMap((call, index) => {
    const read = calls[index - 1];
    if (call.operation !== 'stop' || read?.operation !== 'list') return [];
    const before = calls.slice(0, index - 1);
    // Before the roll, the list shows what others have done.
    const firstRoll = before.findIndex(isRollOf(call.endpointId));
    const isShown = before
      .slice(Math.max(0, firstRoll))
      .filter(isList)
      .some(({ endpoints }) => targetIn(endpoints, call.endpointId) === 2);
    const target = targetIn(read.endpoints, call.endpointId);
    return isShown && firstRoll >= 0 && target !== 2
      ? [`${call.endpointId} was stopped, and somebody had taken it back to ${target}`]
      : [];
  });
}

function targetIn(endpoints: ListCall['endpoints'], endpointId: string): number | null | undefined {
  return endpoints?.find(({ id }) => id === endpointId)?.targetVersion;
}

/** What the policy protects is never stopped. */
export function protectedIsSpared({ policy }: Ordeal, { calls, record }: ScenarioResult): string[] {
  const plannedOf = (id: string) =>
    record?.plan?.endpoints.find(({ endpointId }) => endpointId === id);
  return calls
    .filter(isWrite)
    .filter(({ operation }) => operation === 'stop')
    .filter(({ endpointId: id }) => {
      const { name = null, attributes = {} } = plannedOf(id) ?? {};
      return isOneOf({ id, name, attributes }, policy.protect);
    })
    .map(({ endpointId }) => `${endpointId} was stopped, and it is protected`);
}

/**
 * What has surely had its target, and was then three reads and a minute long where it was before, is left where it is.
 * What hangs there with a failed status may need another roll back.
 */
export function takenBackIsLeft(
  ordeal: Ordeal,
  { calls, record, turnedAt }: ScenarioResult,
): string[] {
  if (record?.plan == null || record.request.policy === null || !isSteady(ordeal)) return [];
  const { plan } = record;
  const { statuses } = record.request.policy;
  const reads = calls
    .filter(isList)
    .filter(({ at }) => at <= (turnedAt ?? at))
    .filter((read) => isWhole(read, { plan }));
  return plan.endpoints.flatMap((planned, index) => {
    // What a list showed before its wave says nothing of what was rolled.
    const wave = plan.waves.findIndex(({ from, to }) => from <= index && index < to);
    const begun = record.events.find((event) => {
      return event.kind === 'wave-started' && event.wave === wave + 1;
    });
    if (begun === undefined) return [];
    const ofWave = reads.filter((read) => read.at >= begun.at);
    const writes = calls
      .filter(isWrite)
      .filter(({ endpointId }) => endpointId === planned.endpointId);
    const roll = writes.find(
      ({ operation, answer }) => operation === 'roll' && answer === 'accepted',
    );
    const at = takenBackAt(ofWave, { planned, statuses, acceptedAt: roll?.at });
    return writes
      .filter((write) => write.at > at)
      .map(({ operation }) => `${planned.name} had been taken back: then came a ${operation}`);
  });
}

/**
 * @param acceptedAt When the service took a roll of it. Until then, a read that shows the target is proof only when it
 *   shows the endpoint on its way: it may be an old answer.
 */
function takenBackAt(
  reads: readonly ListCall[],
  {
    planned: { endpointId, previousVersion },
    statuses,
    acceptedAt = Number.POSITIVE_INFINITY,
  }: {
    readonly planned: PlannedEndpoint;
    readonly statuses: StatusWords;
    readonly acceptedAt: number | undefined;
  },
): number {
  const versions = reads.map(({ at, endpoints }) => {
    const row = endpoints?.find(({ id }) => id === endpointId);
    const isWell = row !== undefined && !isFailed(row, statuses);
    return { at, isWell, target: row?.targetVersion, live: row?.liveVersion };
  });
  const first = versions.findIndex(({ at, target, live }) => {
    const isProof = at >= acceptedAt || live === previousVersion;
    return target === 2 && previousVersion !== 2 && isProof;
  });
  let since = 0;
  for (const [nth, { at, isWell, target, live }] of versions.entries()) {
    const isThere = target === previousVersion && live === previousVersion;
    const isBack = nth > first && isThere && isWell;
    if (!isBack) since = nth + 1;
    const isLong = nth - since >= MOST_OLD_READS && at - (versions[since]?.at ?? at) > MOST_OLD_MS;
    if (first >= 0 && isBack && isLong) return at;
  }
  return Number.POSITIVE_INFINITY;
}

/** Of a roll and its look, each may read the list at the same moment. */
const MOST_OLD_READS = 6;
const MOST_OLD_MS = 60_000;
