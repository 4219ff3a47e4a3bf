import type { EndpointState } from '../../../../lib/domain/endpoint/observation.ts';
import type { Outcome } from '../../../../lib/domain/rollout/outcome.ts';
import type { FailurePolicy } from '../../../../lib/domain/rollout/policy.ts';
import type { AskedRollout, Signal } from '../../../../lib/domain/rollout/record.ts';
import { type Call, isList, isWrite, type WriteCall } from '../../../../lib/rehearsal/calls.ts';
import { hasConverged, isWhole, letGoIn, REFUSED } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { type Ordeal, wasLeft } from '../ordeal.ts';
import { isPlain } from './plain.ts';
import { isOpen, stopsIn } from './told-cleanup.ts';
import { usualPolicy } from './usual-policy.ts';

// What the outcome says of the endpoints. How each of them was last seen is taken from the record, as `rollout show`
// prints it: where a list is old or does not say the versions, the calls do not tell.

/** An hour later every endpoint is where the outcome says, unless somebody else had a hand in it. */
export function cleanupIsTrue(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { people, broken, policy } = ordeal;
  const { outcome, record, endpoints, calls } = run;
  if (record?.plan == null || people.some(({ kind }) => MAY_ROLL.has(kind))) return [];
  if (ordeal.stall?.isRaced || ordeal.badReleases > 0 || ordeal.undo !== null) return [];
  if (ordeal.writes.some(({ operation, kind }) => operation === 'stop' && kind === 'ignored'))
    return [];
  const sent = new Set(calls.filter(mayBeCarriedOut).map(({ endpointId }) => endpointId));
  const letGo = letGoIn(record);
  const planned = record.plan.endpoints.filter(({ endpointId }) => !letGo.has(endpointId));
  return planned.flatMap(({ endpointId, previousVersion, name }) => {
    const isMoved = people.some((act) => 'endpoint' in act && act.endpoint === name);
    const isFickle = broken.some(
      ({ endpoint, kind }) =>
        endpoint === name && ['regress', 'vanish', 'take-back'].includes(kind),
    );
    const end = endpoints.get(name ?? '');
    if (isMoved || isFickle || end === undefined) return [];
    const { liveVersion, targetVersion, status } = end;
    // The latest version is another one where that is in quarantine.
    const isThere = liveVersion === record.request.desiredVersion;
    const isBack = liveVersion === previousVersion && targetVersion === previousVersion;
    const isSent = sent.has(endpointId);
    const isLeftOld =
      isSent && !isThere && targetVersion === record.request.desiredVersion && status !== 'STOPPED';
    // Whoever rejects a wave may say himself what is to be done.
    const isSaid = people.some(({ kind }) => kind === 'reject');
    const due = usualPolicy(policy.onFailure, record);
    const wantsAct = outcome.outcome === 'Failed' && due !== 'hold' && !isSaid;
    const isLie =
      (/^Converged(WithoutPinned)?$/.test(outcome.reason) && !isThere) ||
      (outcome.cleanup === 'rolledBack' && isSent && !isBack) ||
      (outcome.cleanup === 'stopped' && isLeftOld && !isToBeLeft(record)) ||
      (outcome.cleanup === 'none' && wantsAct && isLeftOld);
    const said = `${outcome.outcome}, ${outcome.cleanup}: ${outcome.message}`;
    return isLie
      ? [`${name} is ${status} on ${liveVersion} to ${targetVersion}, and: ${said}`]
      : [];
  });
}

/** Releases that may roll the same endpoints later. */
const MAY_ROLL: ReadonlySet<string> = new Set(['rival', 'stale', 'twin']);

function mayBeCarriedOut(call: ScenarioResult['calls'][number]): call is WriteCall {
  return isWrite(call) && call.operation === 'roll' && !REFUSED.has(call.answer ?? '');
}

export function holdsWhenTold(
  { policy, people, word }: Ordeal,
  { record, stopped, rolledBack }: ScenarioResult,
): string[] {
  const isAborted = word !== null || people.some(({ kind }) => kind === 'abort');
  const isRejected = people.some(({ kind }) => kind === 'reject');
  const isTold = usualPolicy(policy.onFailure, record) !== 'hold' || isAborted || isRejected;
  return isTold || stopped.length + rolledBack.length === 0 ? [] : ['it was told to hold'];
}

/** What the outcome says was done is what was sent. */
export function cleanupIsExact(
  ordeal: Ordeal,
  { record, calls, outcome, told }: ScenarioResult,
): string[] {
  if (record === null || ordeal.stall !== null) return [];
  const { cleanup, reason } = outcome;
  const writes = calls.filter(isWrite);
  // Nobody went on with what it had begun, so its journal and its last look are all that is known.
  if (wasLeft(ordeal)) return cleanupHasCause(ordeal, writes, { record, outcome, calls });
  if (ordeal.death !== null) return [];
  const stops = writes.filter(({ operation }) => operation === 'stop');
  const hasStopped = stops.some(({ answer }) => answer === 'accepted');
  const isKept = record.journal.some(({ result }) => result === 'kept');
  const mayBeKept = isKept || reason === 'ConvergedWithinThreshold' || record.rollback !== null;
  const isTruth = {
    none: !hasStopped,
    stopped: stops.some(({ answer = '' }) => !REFUSED.has(answer)),
    rolledBack: record.rollback !== null,
    kept: mayBeKept,
    incomplete: true,
  }[cleanup];
  return [
    ...(isTruth ? [] : [`its cleanup is not ${cleanup}: ${outcome.message}`]),
    ...cleanupHasCause(ordeal, writes, { record, outcome, calls }),
    ...(isPlain(ordeal) ? cleanupOfPlain(ordeal, writes, { record, outcome, told }) : []),
  ];
}

/** To hold leaves nothing to be done, and what was not done after an error is told. */
function cleanupHasCause(
  ordeal: Ordeal,
  writes: readonly WriteCall[],
  { record, outcome, calls }: Pick<ScenarioResult, 'record' | 'outcome' | 'calls'>,
): string[] {
  if (record === null || record.rollback !== null) return [];
  const { policy, people, word } = ordeal;
  const { cleanup } = outcome;
  const due = rejectionOf(record)?.onFailure ?? usualPolicy(policy.onFailure, record);
  const isLeftAlone = word === null && people.every(({ kind }) => ANSWERS.has(kind));
  const isToHold =
    (due === 'hold' && isLeftAlone) ||
    (outcome.outcome === 'Aborted' && isToLeaveAll(record, writes));
  const lastOf = (id: string) =>
    record.journal.findLast(
      ({ endpointId, operation }) => endpointId === id && operation === 'stop',
    )?.result;
  const sent = writes.filter(({ version, answer = '' }) => version === 2 && !REFUSED.has(answer));
  const mayStay = !takesAllBack(record, outcome, due);
  const open = sent
    .map(({ endpointId }) => endpointId)
    .filter((id) => {
      const isWell = mayStay && stateOf(record, id) === 'converged';
      return !isWell && !['accepted', 'kept'].includes(lastOf(id) ?? '');
    });
  const isAnyStopOpen = stopsIn(record).some(isOpen);
  const isUntold =
    outcome.outcome === 'Errored' &&
    cleanup === 'none' &&
    due !== 'hold' &&
    !open.every((id) => mayStillBe(id, record, calls));
  return [
    // A stop that a process meant just before its end may have been sent.
    ...(isToHold && cleanup === 'incomplete' && !isAnyStopOpen
      ? ['it was told to hold, and misses a cleanup']
      : []),
    // What a process meant to roll just before its end may have been rolled.
    ...(cleanup === 'incomplete' && open.length === 0 && !wasLeft(ordeal)
      ? [`nothing is left to do: ${outcome.message}`]
      : []),
    ...(isUntold && isLeftAlone
      ? [`old endpoints are left, and its cleanup is none: ${outcome.message}`]
      : []),
  ];
}

/** What is live on the version is to go back, too: an abort has asked for that, or nobody looks after it any more. */
function takesAllBack(
  { signals }: Pick<AskedRollout, 'signals'>,
  { outcome, reason }: Outcome,
  due: FailurePolicy,
): boolean {
  const abort = signals.findLast(({ kind }) => kind === 'abort');
  const isCutOff = outcome === 'Errored' && !WAITED_FOR.has(reason);
  return abort?.onFailure === 'roll-back' || (isCutOff && due === 'roll-back');
}

/** A rollout that ends with these has waited for a list, or for a gate, until its deadline. */
const WAITED_FOR: ReadonlySet<string> = new Set([
  ...['UpstreamTimeout', 'UpstreamTransient', 'UpstreamThrottled', 'UpstreamAuth'],
  ...['ListUnstable', 'EndpointUnknown', 'GateUnknown', 'UpstreamProtocol'],
]);

/** In a wave before, one read that speaks against an endpoint may be an old answer. */
function mayStillBe(id: string, record: AskedRollout, calls: readonly Call[]): boolean {
  const { from = 0 } = record.plan?.waves[record.progress?.wave ?? 0] ?? {};
  const reads = calls.filter(isList).filter((read) => isWhole(read, record));
  return (
    indexOf(record, id) < from &&
    reads.at(-2)?.endpoints?.some((one) => one.id === id && hasConverged(one, 2)) === true
  );
}

const ANSWERS: ReadonlySet<string> = new Set(['approve', 'reject']);

/** Whoever rejects the wave under way may say what happens to the endpoints. */
function rejectionOf({ signals, progress }: AskedRollout): Signal | undefined {
  return signals.find(({ kind, wave }) => kind === 'reject' && wave === progress?.wave);
}

/** The last abort asks for nothing, and no stop was sent before it. */
function isToLeaveAll(
  record: Pick<AskedRollout, 'signals'>,
  writes: readonly WriteCall[],
): boolean {
  return isToBeLeft(record) && writes.every(({ operation }) => operation !== 'stop');
}

/** The last abort asks for nothing: what is not stopped by then stays as it is. */
function isToBeLeft({ signals }: Pick<AskedRollout, 'signals'>): boolean {
  const abort = signals.findLast(({ kind }) => kind === 'abort');
  return abort !== undefined && (abort.onFailure ?? 'hold') === 'hold';
}

/** Where only the version is at fault, the failure policy does all that it promises. */
function cleanupOfPlain(
  { policy }: Ordeal,
  writes: readonly WriteCall[],
  { record, outcome, told }: Pick<ScenarioResult, 'record' | 'outcome' | 'told'>,
): string[] {
  const failing = told.find(({ kind }) => kind === 'failing');
  const { cleanup, message, reason } = outcome;
  // Where a gate never answered, or lists said nothing, the rollout ends as Errored, and does nothing about what it has lost.
  if (reason === 'GateUnknown' || reason === 'EndpointUnknown') return [];
  if (cleanup === 'incomplete') return [`nothing was in the way of its cleanup: ${message}`];
  if (failing === undefined) return [];
  const sent = new Set(writes.filter(({ version }) => version === 2).map((one) => one.endpointId));
  const due = usualPolicy(policy.onFailure, record);
  const isDealtWith = (id: string) => {
    if (due === 'hold') return true;
    if (due === 'roll-back') {
      // Where no list has shown a version before, there is none to go back to.
      const isFromNone = !record?.plan?.endpoints[indexOf(record, id)]?.previousVersion;
      const isBack = (one: WriteCall) => one.endpointId === id && Number(one.version ?? 2) !== 2;
      return isFromNone || writes.some(isBack);
    }
    const isStopDecided = record?.journal.some(
      ({ endpointId, operation }) => endpointId === id && operation === 'stop',
    );
    return stateOf(record, id) === 'converged' || isStopDecided === true;
  };
  return [...sent]
    .filter((id) => !isDealtWith(id))
    .map((id) => `${id} was left as it is: ${message}`);
}

function stateOf(record: ScenarioResult['record'], id: string): EndpointState | undefined {
  return record?.progress?.observations[indexOf(record, id)]?.state;
}

function indexOf(record: ScenarioResult['record'], id: string): number {
  return record?.plan?.endpoints.findIndex(({ endpointId }) => endpointId === id) ?? -1;
}
