import { describeDuration } from '../durations.ts';
import { NO_ATTEMPTS } from '../endpoint/attempts.ts';
import { listNames } from '../endpoint/endpoint.ts';
import {
  hasConverged,
  hasVanished,
  isBad,
  isInUnknownStatus,
  isLetGo,
  isNotYetGone,
  isTakenBack,
  isUntold,
  type Observation,
  wasConfirmed,
} from '../endpoint/observation.ts';
import { hasNotStarted, isPostponed, rollsOfPlan } from '../endpoint/rolls.ts';
import { distinct, settlingLines } from '../endpoint/status-words.ts';
import { type GateReading, listReadings } from '../rollout/gates.ts';
import type { Ending } from '../rollout/outcome.ts';
import { APPROVAL_TIMED_OUT } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { Approval, FailureKind } from '../rollout/policy.ts';
import type { RolloutRecord, WaveProgress } from '../rollout/record.ts';
import { describeWanted } from '../rollout/request.ts';
import { asSentence, describeSeconds, nameOf } from '../sentences.ts';
import { describeLost } from './crash.ts';
import { describeTrouble, errored } from './error.ts';
import { describeTakenGates } from './taken-permission.ts';

// These are the endings of rollouts that one of their waves ends.

/** Describes a gate of a wave that bakes, which said no or did not answer. */
export function describeGate(
  reason: GateFailure,
  plan: RolloutPlan,
  progress: WaveProgress,
  readings: Readings,
): Ending {
  return endByGate(reason, waveOf(plan, progress), 'the version works', readings);
}

/** Describes a gate that the 0-based wave waited for before its begin. */
export function describeNoWave(
  reason: GateFailure,
  wave: number,
  waves: number,
  readings: Readings,
): Ending {
  return endByGate(reason, `Wave ${wave + 1} of ${waves} does not begin`, 'it may', readings);
}

/**
 * The end of a rollout that a gate keeps from rolling anything, by a no or by nothing. So there is nothing that its failure
 * policy could do.
 */
export function describeNotBegun(reason: GateFailure, readings: readonly GateReading[]): Ending {
  const isNo = reason === 'GateFailed';
  const says = isNo ? 'says no' : 'gives no answer';
  const said = listReadings(readings);
  return {
    outcome: isNo ? 'Failed' : 'Errored',
    reason,
    message: `A gate ${says} before anything is rolled, so nothing is: ${said}.${isNo ? '' : describeTakenGates(readings)}`,
  };
}

type GateFailure = 'GateFailed' | 'GateUnknown';
type Readings = readonly (Pick<GateReading, 'kind' | 'name' | 'detail'> & Partial<GateReading>)[];

function endByGate(reason: GateFailure, where: string, what: string, readings: Readings): Ending {
  const isNo = reason === 'GateFailed';
  const said = listReadings(readings);
  // Each no was taken back by the next look, so none of them counts.
  const isFickle = readings.some(({ verdict }) => verdict === 'fail');
  const answer = isFickle ? 'its gates say no and yes in turn' : 'no answer from its gates';
  const words = isNo
    ? `a gate says no: ${said}.`
    : `${answer}: ${said}. Nobody knows whether ${what}, so nothing is stopped or taken back.${describeTakenGates(readings)}`;
  return {
    outcome: isNo ? 'Failed' : 'Errored',
    ...(isNo && { failure: 'bad' as const }),
    reason,
    message: `${where}: ${words}`,
  };
}

export function describeNoApproval(
  plan: RolloutPlan,
  progress: WaveProgress,
  { timeoutSeconds }: Approval,
): Ending {
  return failed(
    'bad',
    APPROVAL_TIMED_OUT,
    `${waveOf(plan, progress)}: nobody approved it within ${describeSeconds(timeoutSeconds)}.`,
  );
}

export function describeLoss(
  reason: WaveFailure,
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  if (reason === 'EndpointFailed') return describeFailure(record, plan, progress);
  if (reason === 'TakenBack') return describeTakenBack(record, plan, progress);
  if (reason === 'LiveRegressed') return describeRegress(record, plan, progress);
  const what =
    reason === 'Stalled'
      ? describeStall(record, plan, progress)
      : `: ${namesWhere(plan, progress, hasVanished)} gone from the list.`;
  const message = `${waveOf(plan, progress)}${what}`;
  return failed(kindOf(progress), reason, message);
}

/** One bad endpoint makes the failure a bad one, whatever else is stuck. */
function kindOf({ observations }: WaveProgress): FailureKind {
  return observations.some(isBad) ? 'bad' : 'stuck';
}

function describeTakenBack(
  { request }: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  const which = namesWhere(plan, progress, isTakenBack);
  const seen = seenElsewhere(plan, progress, isTakenBack);
  const shown = seen === '' ? '' : ` (${seen})`;
  const why = statusReasonsIn(plan, progress, isTakenBack);
  const message = `${waveOf(plan, progress)}: ${which} back on an earlier version, after the roll to ${describeWanted(request)}${shown}. The service has done that, or somebody.${why}`;
  return failed('bad', 'TakenBack', message);
}

function describeStall(record: RolloutRecord, plan: RolloutPlan, progress: WaveProgress): string {
  const isPending = ({ state }: Observation) => state === 'pending';
  const isLate = (each: Observation) =>
    !hasConverged(each) && !isPending(each) && !isUntold(each) && !isInUnknownStatus(each);
  const isAnyUnknown = progress.observations.some(isInUnknownStatus);
  const late = progress.observations.some(isLate)
    ? [
        `${namesWhere(plan, progress, isLate)} not live on ${describeWanted(record.request)}${darkAmong(progress, isLate)}`,
      ]
    : isAnyUnknown
      ? []
      : [`${namesWhere(plan, progress, isPending)} not rolled yet`];
  const unknown = isAnyUnknown ? [unknownStatusesIn(record, plan, progress)] : [];
  const what = [...late, ...unknown.map((one) => one.what)].join(', ');
  const settles = unknown.map((one) => one.settles).join('');
  const refusal = describeRefusal(record, plan, progress);
  const lost = progress.lost && describeLost('roll', progress.lost);
  const why = [refusal, lost].flatMap((one) => (one === undefined ? [] : ` ${one}`)).join('');
  return ` made no progress for ${describeDuration(progress.stuckMs)}: ${what}.${settles}${why}`;
}

function unknownStatusesIn({ request }: RolloutRecord, plan: RolloutPlan, progress: WaveProgress) {
  const found = distinct(progress.observations.flatMap((one) => one.unknownStatus ?? []));
  const words = found.slice(0, MAX_NAMES);
  const which = namesWhere(plan, progress, isInUnknownStatus);
  const { broken, well } = settlingLines(words, request.policy.statuses);
  return {
    what: `${which} live on ${describeWanted(request)}, with a status that nobody knows: ${listNames(words)}`,
    settles: ` Say in the policy what that means: ${broken} if such an endpoint is broken, ${well} if it is well.`,
  };
}

/** What has kept endpoints from being rolled up to the end; `undefined` when no roll of them was refused. */
export function describeRefusal(
  { journal }: Pick<RolloutRecord, 'journal'>,
  plan: RolloutPlan,
  { observations }: WaveProgress,
): string | undefined {
  const histories = rollsOfPlan(journal, plan);
  const refusals = observations.flatMap(({ state }, index) => {
    const last = histories[index]?.last;
    const planned = plan.endpoints[index];
    const isRefused = state === 'pending' && last?.result === 'rejected';
    return isRefused && planned ? [{ ...last, name: nameOf(planned) }] : [];
  });
  const latest = refusals.toSorted((one, other) => one.at - other.at).at(-1);
  if (latest === undefined) return undefined;
  const { reason, message, name } = latest;
  if (isPostponed({ last: latest })) return `${name}: ${message}`;
  return describeTrouble(reason, message, hasRolled(journal));
}

function hasRolled(journal: RolloutRecord['journal']): boolean {
  return journal.some(({ operation, result }) => operation !== 'stop' && result === 'accepted');
}

/** A roll that the service refused has its own reason: the name of the service's error. */
function describeFailure(record: RolloutRecord, plan: RolloutPlan, progress: WaveProgress): Ending {
  const wave = waveOf(plan, progress);
  const which = namesWhere(plan, progress, ({ state }) => state === 'failed');
  const histories = rollsOfPlan(record.journal, plan);
  const failures = progress.observations.flatMap(({ state, hadTarget, refused }, index) => {
    const history = histories[index] ?? NO_ATTEMPTS;
    return state === 'failed' && refused === undefined ? [{ ...history, hadTarget }] : [];
  });
  const now = progress.clock.watched;
  const hasNoneStarted = failures.every((each) => !each.hadTarget && hasNotStarted(each, now));
  if (failures.length > 0 && hasNoneStarted) {
    return failed(
      kindOf(progress),
      'RollNotStarted',
      `${wave}: ${which} not seen rolling, although the service was asked twice.`,
    );
  }
  const refusal = failures.map(({ last }) => last).find((last) => last?.result === 'rejected');
  if (refusal?.reason === undefined) return describeFailed(plan, progress);
  const what = failures.every(({ last }) => last?.result === 'rejected')
    ? 'not rolled, because the service refused it.'
    : 'not rolled or in a failed state.';
  const message = `${wave}: ${which} ${what} ${refusal.message ?? ''}`;
  return failed(kindOf(progress), refusal.reason, message.trim());
}

/** Each has a failed status, or is a runtime whose own rollout was refused, which has that one's reason. */
function describeFailed(plan: RolloutPlan, progress: WaveProgress): Ending {
  const kind = kindOf(progress);
  const isFailed = ({ state, refused }: Observation) => state === 'failed' && refused === undefined;
  const refusals = progress.observations.flatMap(({ refused }) => refused ?? []);
  const state = kind === 'stuck' ? 'stuck in a failed state' : 'in a failed state';
  const isAnyFailed = progress.observations.some(isFailed);
  const what = [
    ...(isAnyFailed ? [`${namesWhere(plan, progress, isFailed)} ${state}`] : []),
    ...(refusals.length > 0 ? [describeRefused(plan, progress, refusals)] : []),
  ].join(', and ');
  const why = statusReasonsIn(plan, progress, ({ state }) => state === 'failed');
  const reason = isAnyFailed ? 'EndpointFailed' : (refusals[0] ?? 'EndpointFailed');
  return failed(kind, reason, `${waveOf(plan, progress)}: ${what}.${why}`);
}

/** `a is not rolled, because its rollout was refused (Held)`. */
function describeRefused(
  plan: RolloutPlan,
  progress: WaveProgress,
  refusals: readonly string[],
): string {
  const which = namesWhere(plan, progress, ({ refused }) => refused !== undefined);
  const whose = refusals.length === 1 ? 'its rollout was' : 'their rollouts were';
  const reasons = listNames([...new Set(refusals)]);
  return `${which} not rolled, because ${whose} refused (${reasons})`;
}

/** What the service says of the endpoints of which it says why they have failed, each thing once. */
function statusReasonsIn(plan: RolloutPlan, progress: WaveProgress, isMeant: IsMeant): string {
  const said = meantIn(plan, progress, isMeant).flatMap(({ name, seen: { statusReason } }) => {
    return statusReason === undefined ? [] : [{ name, reason: statusReason }];
  });
  const others = said.filter(({ reason }, index) => {
    return said.findIndex((each) => each.reason === reason) === index;
  });
  return others
    .slice(0, MAX_NAMES)
    .map(({ reason, name }) => ` ${name}: ${asSentence(reason)}`)
    .join('');
}

function describeRegress(
  { request }: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  const isGone = ({ state }: Observation) => state === 'missing';
  const isIll = (each: Observation) =>
    wasConfirmed(each) && each.state !== 'converged' && !isGone(each) && !isMoved(each);
  const some = (isMeant: (each: Observation) => boolean, words: string) =>
    progress.observations.some(isMeant) ? [`${namesWhere(plan, progress, isMeant)} ${words}`] : [];
  const what = [
    ...some(isIll, `no longer healthy on ${describeWanted(request)}${darkAmong(progress, isIll)}`),
    ...some(isGone, 'gone from the list'),
    ...some(isMoved, 'elsewhere by now'),
  ].join(', ');
  const why = statusReasonsIn(plan, progress, isIll);
  return failed('bad', 'LiveRegressed', `${waveOf(plan, progress)}: ${what}.${why}`);
}

/** The end of a rollout of whose endpoints nobody can say how some are, and nothing else is against them. */
export function describeSilence(
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  const isSilent = (each: Observation) => each.isSilent === true;
  const silent = meantIn(plan, progress, isSilent).map(({ name }) => name);
  const missing = progress.observations.some(isNotYetGone)
    ? [`${namesWhere(plan, progress, isNotYetGone)} in some lists and not in others`]
    : [];
  const unknown = progress.observations.some(isInUnknownStatus)
    ? [unknownStatusesIn(record, plan, progress)]
    : [];
  const untold =
    silent.length > 0
      ? [`the list has not said which version is live, or asked for, on ${listNames(silent)}`]
      : [];
  const what = [...untold, ...missing, ...unknown.map((one) => one.what)].join(', and ');
  const settles = unknown.map((one) => one.settles).join('');
  return errored(
    ENDPOINT_UNKNOWN,
    `${waveOf(plan, progress)} has been in doubt for ${describeDuration(progress.silentMs)}: ${what}. Nobody knows whether it works, so nothing is stopped or taken back.${settles}`,
  );
}

const ENDPOINT_UNKNOWN = 'EndpointUnknown';

export function describeSuperseded(
  { request }: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  const which = namesWhere(plan, progress, isMoved);
  const wanted = describeWanted(request);
  const isOne = progress.observations.filter(isMoved).length === 1;
  const seen = seenElsewhere(plan, progress, isMoved);
  // Of what another rollout has, that rollout is known.
  const what =
    seen === ''
      ? `in the hands of somebody else on the way to ${wanted}.`
      : `not on the way to ${wanted}: ${seen}. Somebody else may have moved ${isOne ? 'it' : 'them'}, or the service.`;
  return {
    outcome: 'Superseded',
    reason: 'Superseded',
    message: `${waveOf(plan, progress)}: ${which} ${what}`,
  };
}

/** Of a rollout whose first waves have nothing left, because all of it is pinned: whoever has done that wants something else. */
export function describeAllPinned(
  { request }: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Ending {
  const which = namesWhere(plan, progress, isLetGo);
  return {
    outcome: 'Superseded',
    reason: 'AllPinned',
    message: `${waveOf(plan, progress)}: ${which} pinned meanwhile, and nothing else was rolled to ${describeWanted(request)}: no wave follows, because nothing has shown that it works. A new rollout leaves out what is pinned.`,
  };
}

function isMoved({ state }: Observation): boolean {
  return state === 'superseded' || state === 'reverted';
}

/** What the list has shown of the endpoints that are named: `web-1 has the target 1 again`. Empty: nobody noted it. */
function seenElsewhere(plan: RolloutPlan, progress: WaveProgress, isMeant: IsMeant): string {
  const told = meantIn(plan, progress, isMeant).flatMap(
    ({ name, planned, seen: { elsewhere } }) => {
      if (elsewhere === undefined) return [];
      const { of, version } = elsewhere;
      const where = of === 'live' ? 'is live on' : 'has the target';
      const wasThere = [planned.previousVersion, planned.previousTarget].includes(version);
      return [`${name} ${where} ${version}${wasThere ? ' again' : ''}`];
    },
  );
  return told.slice(0, MAX_NAMES).join(', ');
}

/** How many of the named endpoints are live on the version but have 0 replicas. */
function darkAmong({ observations }: WaveProgress, isNamed: IsMeant): string {
  const named = observations.filter(isNamed);
  const dark = named.filter(({ isDark }) => isDark === true).length;
  if (dark === 0) return '';
  const which = named.length === 1 ? '' : `${dark === 1 ? 'one' : dark} of them `;
  return ` (${which}with 0 replicas)`;
}

function failed(failure: FailureKind, reason: string, message: string): Ending {
  return { outcome: 'Failed', failure, reason, message };
}

export type WaveFailure =
  | 'TakenBack'
  | 'LiveRegressed'
  | 'EndpointFailed'
  | 'EndpointVanished'
  | 'Stalled';

/** `Wave 2 of 3`. */
function waveOf(plan: RolloutPlan, progress: WaveProgress): string {
  return `Wave ${progress.wave + 1} of ${plan.waves.length}`;
}

const MAX_NAMES = 3;

/** "web-03 is", "web-03 and web-04 are", "web-03, web-04, web-05 and 7 more are". */
export function namesWhere(plan: RolloutPlan, progress: WaveProgress, isMeant: IsMeant): string {
  const names = meantIn(plan, progress, isMeant).map(({ name }) => name);
  const shown = names.slice(0, MAX_NAMES);
  const rest = names.length - shown.length;
  if (rest > 0) return `${shown.join(', ')} and ${rest} more are`;
  const last = shown.pop() ?? 'no endpoint';
  return shown.length > 0 ? `${shown.join(', ')} and ${last} are` : `${last} is`;
}

type IsMeant = (observation: Observation) => boolean;

function meantIn({ endpoints }: RolloutPlan, { observations }: WaveProgress, isMeant: IsMeant) {
  return observations.flatMap((seen, index) => {
    const planned = endpoints[index];
    return planned !== undefined && isMeant(seen) ? [{ planned, name: nameOf(planned), seen }] : [];
  });
}
