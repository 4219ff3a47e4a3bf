import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { estimateRollout } from '../../../../lib/domain/planning/estimate.ts';
import { type Call, isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import { isForeign, isRollBack } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import { mayBeLost } from './plan.ts';

// What is known for certain of rollouts in which nothing goes wrong, or only one thing does.

/** Whether nothing goes wrong but what is drawn of one kind, and no gate and no person is waited for. */
function isHaleBut(ordeal: Ordeal, ailment: 'broken' | 'people' | 'writes'): boolean {
  const { broken, people, lists, writes, alarms, readings, word, policy, opensAfter } = ordeal;
  const { hours, asked, earlier, ahead, guises, latencyMs, badReleases } = ordeal;
  const { metrics } = gatesIn(policy);
  const { approval } = policy.verify;
  const ills = { broken, people, writes, lists, alarms, readings, metrics, guises };
  const isAlone = [word, hours, asked, earlier, ahead, approval].every((one) => one === null);
  const isWell = Object.entries(ills).every(([name, all]) => name === ailment || all.length === 0);
  return (
    isSteady(ordeal) &&
    !isTold(ordeal) &&
    isAlone &&
    isWell &&
    opensAfter + latencyMs + badReleases === 0
  );
}

/** Nothing is wrong but the new version: it does not come up, or it fails. */
export function isPlain(ordeal: Ordeal): boolean {
  const { people, lists, writes, word, broken, badReleases } = ordeal;
  return (
    people.length + lists.length + writes.length + badReleases === 0 &&
    isSteady(ordeal) &&
    !isTold(ordeal) &&
    word === null &&
    broken.every((fault) => 'version' in fault && fault.version === 2 && PLAIN.has(fault.kind))
  );
}

/** Somebody holds it or promotes a wave of it, or a check of its own does. */
export function isTold({ held, promotions = [], check }: Ordeal): boolean {
  return held !== undefined || promotions.length > 0 || check !== undefined;
}

const PLAIN: ReadonlySet<string> = new Set(['stuck', 'fail', 'slow']);

/** Where nothing goes wrong, it takes as long as its plan says, with as many reads and rolls. */
export function estimateIsTrue(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, seconds, outcome } = run;
  // What the answer to a roll does not show, the list does.
  const isAnswered = ordeal.writes.every(
    ({ kind, operation }) => kind === 'mute' || operation === 'stop',
  );
  if (
    !isHaleBut(ordeal, 'writes') ||
    !isAnswered ||
    record?.plan == null ||
    record.request.policy === null
  )
    return [];
  if (outcome.reason === 'GateUnanswerable' || record.plan.endpoints.length === 0) return [];
  if (ordeal.rollSeconds > ordeal.policy.progressDeadlineSeconds) return [];
  const { policy } = record.request;
  const { rollSeconds } = ordeal;
  const began = record.startedAt;
  const estimate = estimateRollout(record.plan, policy, rollSeconds, undefined, null, began);
  const rolls = calls.filter(isWrite).length;
  const reads = calls.filter(isList).length;
  // How far a version is from those that are live is looked up in a list, too.
  const before = ordeal.policy.maxVersionStep === 1 ? 2 : 0;
  const isTrue =
    outcome.outcome === 'Succeeded' &&
    seconds === estimate.seconds &&
    rolls === estimate.rolls &&
    reads === estimate.listReads + before;
  const said = `${estimate.seconds} s, ${estimate.rolls} rolls and ${estimate.listReads + before} reads`;
  return isTrue
    ? []
    : [
        `it took ${seconds} s, ${rolls} rolls and ${reads} reads, and not ${said}: ${outcome.message}`,
      ];
}

/** One endpoint alone that fails is tolerated where the policy says so, and one that is stuck never is. */
export function toleratesAsTold(
  ordeal: Ordeal,
  { record, calls, outcome }: ScenarioResult,
): string[] {
  const { broken } = ordeal;
  const [one, ...others] = broken;
  const plan = record?.plan;
  if (!isHaleBut(ordeal, 'broken') || one === undefined || others.length > 0 || plan == null)
    return [];
  const at = plan.endpoints.findIndex(({ name }) => name === one.endpoint);
  const endpoint = plan.endpoints[at];
  const wave = plan.waves.find(({ from, to }) => from <= at && at < to);
  const isRolled = calls
    .filter(isWrite)
    .some(({ endpointId, version }) => endpointId === endpoint?.endpointId && version === 2);
  const isMet = one.version === 2 && isRolled && wave !== undefined;
  const size = wave === undefined ? 0 : wave.to - wave.from;
  const countedIn = plan.maxAtRisk === undefined ? size : plan.endpoints.length;
  const mayLose = mayBeLost(ordeal.policy.failureThreshold, countedIn) > 0 && size > 1;
  const expected = {
    stuck: 'Stalled',
    fail: mayLose ? 'ConvergedWithinThreshold' : 'EndpointFailed',
  }[one.kind];
  return !isMet || expected === undefined || outcome.reason === expected
    ? []
    : [`${one.endpoint} is ${one.kind} in a wave of ${size}, and it ended with ${outcome.reason}`];
}

/** What is taken back as soon as it is rolled is somebody else's from then on. */
export function takenBackIsTheirs(
  ordeal: Ordeal,
  { calls, record, outcome }: ScenarioResult,
): string[] {
  const { people, policy } = ordeal;
  const [one, ...others] = people;
  if (!isHaleBut(ordeal, 'people') || others.length > 0 || one?.atSecond !== 'seen') return [];
  if (one.kind !== 'move') return [];
  const id = record?.plan?.endpoints.find(({ name }) => name === one.endpoint);
  // If no list ever shows its target, nobody can tell it from a roll that got lost.
  const isRolled = calls
    .filter(isList)
    .some(({ endpoints }) =>
      endpoints?.some(
        (one) => one.id === id?.endpointId && one.targetVersion === 2 && one.liveVersion === 1,
      ),
    );
  // What had another version before may be on its way there for others, too.
  const isPlainly =
    one.kind === 'move' && id?.previousVersion === 1 && policy.progressDeadlineSeconds >= 180;
  const due = one.version === 1 ? 'TakenBack' : 'Superseded';
  return isRolled && isPlainly && outcome.reason !== due
    ? [`${one.endpoint} was taken back, and it ended with ${outcome.reason}: ${outcome.message}`]
    : [];
}

/** When the list shows an endpoint of the wave in the hands of somebody else, nothing of the wave is rolled forward. */
export function nothingIsRolledBesideTheirs(
  { latencyMs }: Ordeal,
  { calls, record, turnedAt }: ScenarioResult,
): string[] {
  const { plan, request } = record ?? {};
  if (plan == null || request === undefined) return [];
  const waves = plan.waves.map(({ from, to }) => plan.endpoints.slice(from, to));
  return calls.flatMap((call, index) => {
    if (!isWrite(call) || isRollBack(call, { request, plan }, turnedAt)) return [];
    if (call.operation !== 'roll') return [];
    const wave = waves.find((each) => each.some((one) => one.endpointId === call.endpointId));
    const reads = readsOfBatch(calls.slice(0, index), latencyMs);
    const taken = wave?.find((planned) =>
      reads.every((endpoints) =>
        endpoints.some((one) => one.id === planned.endpointId && isForeign(one, planned)),
      ),
    );
    return taken === undefined
      ? []
      : [`${call.endpointId} was rolled, and ${taken.endpointId} had been moved`];
  });
}

/** On the way there, an endpoint whose target is the version already is rolled only when it hangs there. */
export function noRollIsNeedless({ latencyMs }: Ordeal, run: ScenarioResult): string[] {
  const { calls, record, turnedAt } = run;
  const { plan, request } = record ?? {};
  if (plan == null || request === undefined) return [];
  const failed = new Set(
    plan.endpoints
      .filter(({ wrongBefore }) => wrongBefore.includes('failed'))
      .map(({ endpointId }) => endpointId),
  );
  return calls.flatMap((call, index) => {
    if (
      !isWrite(call) ||
      call.operation !== 'roll' ||
      isRollBack(call, { request, plan }, turnedAt)
    )
      return [];
    const isThere = readsOfBatch(calls.slice(0, index), latencyMs).every((endpoints) =>
      endpoints.some(({ id, targetVersion }) => {
        return id === call.endpointId && targetVersion === call.version;
      }),
    );
    return isThere && !failed.has(call.endpointId)
      ? [`${call.endpointId} had the target ${call.version}, and was rolled there`]
      : [];
  });
}

/**
 * The lists that the batch of the next write may have read. Batches read at the same moment, each its own list. Where
 * calls take no time, the look before them did so, too.
 */
function readsOfBatch(calls: readonly Call[], latencyMs: number): (readonly Endpoint[])[] {
  const last = calls.findLastIndex((call) => isList(call) && call.endpoints !== null);
  const at = calls[last]?.at;
  const first =
    calls.slice(0, last + 1).findLastIndex((call) => !isList(call) || call.at !== at) + 1;
  const reads = calls.slice(first, last + 1).flatMap((call) => {
    return isList(call) && call.endpoints !== null ? [call.endpoints] : [];
  });
  return latencyMs === 0 && reads.length > 1 ? reads.slice(1) : reads;
}

/** While nobody knows if a roll was ever sent, the deadline stands still, so even a short one is enough. */
export function lostTakesNoTime(ordeal: Ordeal, { outcome, record }: ScenarioResult): string[] {
  const { writes, policy, rollSeconds, latencyMs } = ordeal;
  const isHale = isHaleBut({ ...ordeal, latencyMs: 0 }, 'writes');
  if (!isHale || record?.plan == null || writes.length === 0) return [];
  const isLost = writes.every(
    ({ operation, kind, nth }) => operation === 'roll' && nth === 1 && LOST.has(kind),
  );
  const callSeconds = (MOST_CALLS_OF_LOOKS * latencyMs) / 1000;
  const isEnough =
    policy.progressDeadlineSeconds >= rollSeconds + 2 * policy.maxPollSeconds + callSeconds;
  const isDone = outcome.outcome === 'Succeeded' || outcome.reason === 'GateUnanswerable';
  return isLost && isEnough && !isDone
    ? [`rolls got lost, and it ended as ${outcome.outcome}: ${outcome.message}`]
    : [];
}

const LOST: ReadonlySet<string> = new Set(['lost', 'unheard', 'forgotten']);

/** Two looks, and the rolls between them, wait for no more calls of the service. */
const MOST_CALLS_OF_LOOKS = 5;

/** A roll that got lost is made once more after a minute and three reads, and not much later. */
export function lostIsRepeated(ordeal: Ordeal, { calls, record }: ScenarioResult): string[] {
  const { policy, writes, cannotStop } = ordeal;
  if (!isHaleBut(ordeal, 'writes') || record === null || cannotStop) return [];
  const sent = calls.filter(isWrite).filter(({ version }) => version === 2);
  return sent.flatMap((second, index) => {
    const first = sent.slice(0, index).findLast((one) => one.endpointId === second.endpointId);
    if (first?.answer !== 'OutcomeUnknown' && first?.answer !== 'accepted') return [];
    const seconds = (second.at - first.at) / 1000;
    const between = calls.slice(calls.indexOf(first), calls.indexOf(second)).filter(isList);
    // The last one is the read of the batch itself, which follows the look that has decided.
    const reads = between.length - 1;
    const isHasty = seconds < 60 || reads < 3;
    const isLate = writes.length === 1 && seconds > 60 + 2 * policy.maxPollSeconds + 10;
    return isHasty || isLate
      ? [`${second.endpointId} was rolled once more after ${seconds} s and ${reads} reads`]
      : [];
  });
}
