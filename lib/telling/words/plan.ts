import { isDeepStrictEqual } from 'node:util';
import { fingerprintOf } from '../../contract/flow/fingerprint.ts';
import { isThisMachine } from '../../contract/service/endpoint-url.ts';
import { SERVICES } from '../../contract/service/services.ts';
import type { Instant } from '../../domain/clock.ts';
import { describeWhere } from '../../domain/endpoint/attributes.ts';
import { describeSessions } from '../../domain/endpoint/sessions.ts';
import { describeWords } from '../../domain/endpoint/status-words.ts';
import { dateTime, describeTime } from '../../domain/local-time.ts';
import type { DrawnPlan } from '../../domain/planning/drawn-plan.ts';
import type { Estimate } from '../../domain/planning/estimate.ts';
import { describeMatches, type PatternMatches } from '../../domain/planning/patterns.ts';
import { revertingPolicy } from '../../domain/planning/plan-revert.ts';
import { ringsUnknownIn } from '../../domain/planning/waves.ts';
import { type GateReading, listReadings } from '../../domain/rollout/gates.ts';
import { groupNameOf, nounOf } from '../../domain/rollout/group.ts';
import { DEFAULT_GROUP_POLICY } from '../../domain/rollout/group-policy.ts';
import { LEFT_OUT_WORDS, type PlannedWave, type RolloutPlan } from '../../domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import { type AskedRollout, wasOpened } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { capitalized, countOf, describeSeconds, nameOf } from '../../domain/sentences.ts';
import type { WindowsJudged } from '../../domain/turn/fits-window.ts';
import type { ForeseenBegin } from '../../domain/turn/foresee.ts';
import { isUnbound, rulesOfWave } from '../../domain/turn/roll-window.ts';
import { jsonLine, listNames, plainText } from '../text.ts';
import { describeGates, describeOnFailure, describeOpenings, describeWindows } from './policy.ts';

/** What a person wants to know of a plan besides what it does. */
export interface Preview {
  readonly estimate: LearnedEstimate;
  readonly begin: ForeseenBegin;
  /** As far as is known of its rolls: without any, the earliest. `null`: nobody knows when it begins. */
  readonly ahead: WavesAhead | null;
  readonly windows: WindowsJudged;
  /** The gates that were asked, and have no answer now: no data, or fewer than they need. */
  readonly unsaid: readonly GateReading[];
}

interface WavesAhead {
  /** When each wave can begin. */
  readonly beginAt: readonly Instant[];
  /** No other rollout of the runtime begins before that. */
  readonly takenUntil: Instant;
}

export interface From {
  /** Name of the place that the URL of the service comes from. */
  readonly source: string;
  /** @default - there is no token endpoint */
  readonly tokenUrl?: string | undefined;
}

/**
 * A plan in lines for people to read before they agree, with what they have to know besides.
 *
 * @param from Where the service is, and its tokens.
 */
export function describeAhead(drawn: DrawnPlan, preview: Preview, from: From): string[] {
  const { estimate, begin, ahead, windows, unsaid } = preview;
  const isWork = drawn.plan.waves.length > 0;
  return [
    ...describePlan(drawn, from),
    ...(drawn.isBeingMade ? [BEING_MADE] : []),
    ...(isWork
      ? [
          ...describeBegin(begin, drawn.policy),
          ...describeWavesAhead(drawn, estimate, ahead),
          ...[...windows.faults, ...windows.doubts].map((line) => `    ${line}`),
          ...describeUnsaid(unsaid),
          ...describeEstimate(estimate, nounOf(drawn.runtimeId), drawn.policy),
        ]
      : []),
  ];
}

/** A bake waits for their answer to its end, and fails without one unless the policy says otherwise. */
function describeUnsaid(unsaid: readonly GateReading[]): string[] {
  if (unsaid.length === 0) return [];
  return [
    `  Gates without an answer now, and each bake needs one at its end: ${plainText(listReadings(unsaid))}`,
  ];
}

const BEING_MADE = '  The version is still being made: a rollout waits for it before it begins';

function describeBegin(
  { at, endsAt, message }: ForeseenBegin,
  { verify }: RolloutPolicy,
): string[] {
  if (at === null) return [`  A start now: ${plainText(message ?? '')}`];
  const begins = message === null ? 'at once' : dateTime(at);
  const withApproval = verify.approval !== null ? ', when approvals come at once' : '';
  const ends =
    endsAt === null
      ? '; nobody knows when it ends'
      : `, ends about ${dateTime(endsAt)}${withApproval}`;
  return [`  Begins ${begins}${ends}`, ...(message === null ? [] : [`    ${plainText(message)}`])];
}

/** When each wave can begin, and how long the runtime is taken, where windows say it. */
function describeWavesAhead(
  { plan, policy }: DrawnPlan,
  { seconds }: LearnedEstimate,
  ahead: WavesAhead | null,
): string[] {
  const rules = plan.waves.map((wave) => rulesOfWave(policy, wave));
  if (ahead === null || rules.every(isUnbound)) return [];
  const { beginAt, takenUntil } = ahead;
  const about = seconds === null ? 'not before' : 'about';
  const lines = beginAt.map((at, index) => {
    const { windows = [], waveWindows = [] } = rules[index] ?? {};
    const { timeZone = 'UTC' } = [...waveWindows, ...windows][0] ?? {};
    return `    Wave ${index + 1} can begin ${about} ${describeTime(at, timeZone)}`;
  });
  const took = describeSeconds(Math.round((takenUntil - (beginAt[0] ?? takenUntil)) / 1000));
  const least = seconds === null ? 'at least' : 'about';
  return [...lines, `    The runtime is taken for ${least} ${took}, until ${dateTime(takenUntil)}`];
}

/**
 * The plan in lines.
 *
 * @param from @default - not told
 */
export function describePlan(
  drawn: Omit<DrawnPlan, 'isBeingMade' | 'unanswerable' | 'matches' | 'words'> &
    Partial<Pick<DrawnPlan, 'matches' | 'words'>>,
  { source, tokenUrl }: Partial<From> = {},
): string[] {
  const { endpointUrl, plan, policy, runtimeId, fingerprint } = drawn;
  const total = plan.endpoints.length;
  const from = source === undefined ? '' : `, from ${source}`;
  const at =
    endpointUrl === undefined
      ? []
      : [
          plainText(`  Service: ${endpointUrl}${overHttp(endpointUrl)}${from}`),
          ...tokenLines(tokenUrl),
        ];
  if (total === 0) {
    return [
      `Plan: nothing to do for ${describeWanted(drawn)}`,
      ...at,
      ...passedOverLines(drawn),
      ...leftOutLines(plan),
      ...matchLines(drawn),
    ];
  }
  const all = total + plan.leftOut.length;
  const deadline = describeSeconds(policy.progressDeadlineSeconds);
  return [
    `Plan ${fingerprint}: ${plainText(runtimeId)} to ${describeWanted(drawn)}, ${total} of ${all} ${nounOf(runtimeId)}s in ${countOf(plan.waves.length, 'wave')}`,
    ...at,
    ...passedOverLines(drawn),
    ...plan.waves.map((wave, index) => waveLine(drawn, wave, index)),
    ...ringLines(plan, policy),
    ...emptyWaveLines(plan, policy),
    ...leftOutLines(plan),
    ...matchLines(drawn),
    ...wordLines(drawn),
    ...(nounOf(runtimeId) === 'endpoint' ? beforehandLines(plan) : []),
    `  At most ${plan.maxUnavailable} in mid-roll at once${atRiskOf(plan)}, progress deadline ${deadline}`,
    ...describeOnFailure(policy.onFailure),
    ...sessionLines(plan),
    ...describeOpenings(policy),
    ...describeGates(policy.verify, uncheckedLines(drawn)),
    ...otherwiseLines(policy, usualPolicy(drawn)),
  ];
}

function sessionLines({ sessions }: RolloutPlan): string[] {
  const said = describeSessions(sessions);
  return said === null ? [] : [plainText(`  Sessions: ${said}`)];
}

/** Nothing is said of the usual way. */
function tokenLines(tokenUrl: string | undefined): string[] {
  const how = tokenUrl === undefined ? '' : overHttp(tokenUrl);
  return how === '' ? [] : [plainText(`  Token endpoint: ${tokenUrl}${how}`)];
}

/** On this machine nobody is in between. */
function overHttp(endpointUrl: string): string {
  const { protocol, hostname } = new URL(endpointUrl);
  return protocol === 'http:' && !isThisMachine(hostname)
    ? ', over plain http, which everybody on the way can read and change'
    : '';
}

/** The versions before have served already, and the runtimes of a group have gates of their own. */
function uncheckedLines(drawn: Parameters<typeof describePlan>[0]): string[] {
  if (drawn.revert !== undefined || nounOf(drawn.runtimeId) === 'runtime') return [];
  return [
    `  Nothing checks whether ${describeWanted(drawn)} works: it counts as good when it is live`,
  ];
}

function atRiskOf({ maxAtRisk }: RolloutPlan): string {
  return maxAtRisk === undefined ? '' : `, ${maxAtRisk} in mid-roll or lost`;
}

/** The lines of the plan that a rollout follows. There are none while it has no plan. */
export function describePlanOf(record: AskedRollout): string[] {
  const { plan } = record;
  if (plan === null || !wasOpened(record)) return [];
  const fingerprint = fingerprintOf(plan, record.request.policy);
  return describePlan({ ...record.request, plan, fingerprint });
}

/** Fields of the policy that the other lines show. */
const SHOWN: ReadonlySet<string> = new Set<keyof RolloutPolicy>([
  'selection',
  'waves',
  'bakeSeconds',
  'maxUnavailable',
  'maxAtRisk',
  'progressDeadlineSeconds',
  'onFailure',
  'windows',
  'freezes',
  'windowsBind',
  'verify',
]);

/** A person who agrees must see how a configuration has weakened the safe defaults. */
function otherwiseLines(policy: RolloutPolicy, usual: RolloutPolicy): string[] {
  const lines = Object.entries(usual)
    .filter(([key]) => !SHOWN.has(key))
    .flatMap(([key, byDefault]) => differences(key, policy[key as keyof RolloutPolicy], byDefault));
  return lines.length === 0 ? [] : ['  Not as by default:', ...lines];
}

/** A group has its own defaults, and each kind of service. Of the service a plan says only whether it can stop endpoints. */
function usualPolicy({
  runtimeId,
  revert,
  plan: { cannotStop },
}: Pick<DrawnPlan, 'runtimeId' | 'revert' | 'plan'>): RolloutPolicy {
  const service = Object.values(SERVICES).find(({ abilities }) => abilities.stops === !cannotStop);
  const isGroup = groupNameOf(runtimeId) !== null;
  const usual = isGroup ? DEFAULT_GROUP_POLICY : (service ?? SERVICES.rest).policy;
  return revert === undefined ? usual : revertingPolicy(usual);
}

function differences(path: string, said: unknown, byDefault: unknown): string[] {
  if (isDeepStrictEqual(said, byDefault)) return [];
  if (isObject(said) && isObject(byDefault) && sameKeys(said, byDefault)) {
    return Object.keys(said).flatMap((key) =>
      differences(`${path}.${key}`, said[key], byDefault[key]),
    );
  }
  return [`    ${path}: ${jsonLine(said)} instead of ${jsonLine(byDefault)}`];
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function sameKeys(a: object, b: object): boolean {
  return isDeepStrictEqual(Object.keys(a).toSorted(), Object.keys(b).toSorted());
}

/** Endpoints that a rollback leaves as they are, in lines. Its events and its writes show everything else. */
export function describeNotBack(plan: RolloutPlan): string[] {
  const lines = leftOutLines(plan);
  return lines.length === 0 ? [] : ['Not rolled back:', ...lines];
}

function waveLine(
  { plan, versions }: Pick<DrawnPlan, 'plan' | 'versions'>,
  { from, to, bakeSeconds, windows = [], where }: PlannedWave,
  index: number,
) {
  const names = plan.endpoints
    .slice(from, to)
    .map((one) =>
      versions === undefined ? nameOf(one) : `${nameOf(one)} to ${one.desiredVersion}`,
    );
  const bake = `bake ${describeSeconds(bakeSeconds)}`;
  const when = windows.length === 0 ? '' : `, only ${describeWindows(windows)}`;
  const ring = where === undefined ? '' : ` of ${describeWhere(where)}`;
  const wave = `Wave ${index + 1}: ${to - from}${ring}`;
  return plainText(`  ${wave} (${listNames(names)}), ${bake}${when}`);
}

/** The versions that nobody has named, and that were not taken. */
function passedOverLines({
  runtimeId,
  passedOver = [],
}: Pick<DrawnPlan, 'runtimeId' | 'passedOver'>) {
  return passedOver.map(({ version, because, ...of }) => {
    const which = of.runtimeId === runtimeId ? '' : ` of ${of.runtimeId}`;
    return plainText(`  Version ${version}${which} is left out. ${because}`);
  });
}

/** Nobody knows their ring. */
function ringLines(plan: RolloutPlan, policy: RolloutPolicy): string[] {
  const { endpoints, attributes } = ringsUnknownIn(plan, policy);
  if (endpoints.length === 0) return [];
  const names = listNames(endpoints.map(nameOf));
  return [plainText(`  Last, without ${attributes.join(' or ')}: ${endpoints.length} (${names})`)];
}

function emptyWaveLines({ waves }: RolloutPlan, policy: RolloutPolicy): string[] {
  const count = policy.waves.length - waves.length;
  if (count <= 0) return [];
  return [
    `  ${count} of the ${policy.waves.length} waves of the policy ${count === 1 ? 'adds' : 'add'} nothing here; the longest bake is kept`,
  ];
}

function leftOutLines({ leftOut }: RolloutPlan): string[] {
  const lines = Object.entries(LEFT_OUT_WORDS).flatMap(([reason, words]) => {
    const names = leftOut.filter((row) => row.reason === reason).map(nameOf);
    return names.length === 0
      ? []
      : [`  ${capitalized(words)}: ${names.length} (${listNames(names)})`];
  });
  return [...lines, ...pinLines(leftOut)];
}

/** Whose the pins are, why, and how to pass them. */
function pinLines(leftOut: RolloutPlan['leftOut']): string[] {
  const pins = new Map(leftOut.flatMap(({ pin }) => (pin === undefined ? [] : [[pin.id, pin]])));
  const all = [...pins.values()];
  const names = (of: string) => leftOut.filter(({ pin }) => pin?.id === of).map(nameOf);
  const lines = all.slice(0, MOST_MATCHES).map(({ id, by, reason }) => {
    return plainText(`    ${names(id).join(', ')}: pinned by ${by}: ${reason}`);
  });
  const rest = all.length - lines.length;
  return [
    ...lines,
    ...(rest > 0 ? [`    and ${rest} more that are pinned`] : []),
    ...(all.length > 0
      ? [`    To roll them once all the same: --unpin ${all.map(({ id }) => id).join(',')}`]
      : []),
  ];
}

/** Whom the words of the policy mean. What matches nobody comes first, because a person may have relied on it. */
function matchLines({ runtimeId, matches = [] }: Parameters<typeof describePlan>[0]): string[] {
  const [lone, met] = [
    matches.filter(({ endpoints }) => endpoints.length === 0),
    matches.filter(({ endpoints }) => endpoints.length > 0),
  ];
  const lineOf = (one: PatternMatches) =>
    plainText(`    ${one.place}: ${describeMatches(one, nounOf(runtimeId))}`);
  const linesOf = (those: readonly PatternMatches[], rest: string) => [
    ...those.slice(0, MOST_MATCHES).map(lineOf),
    ...(those.length > MOST_MATCHES ? [`    and ${those.length - MOST_MATCHES} more ${rest}`] : []),
  ];
  if (matches.length === 0) return [];
  return [
    '  Named in the policy:',
    ...linesOf(lone, 'that match nothing'),
    ...linesOf(met, 'that match some'),
  ];
}

/** Nothing is said of words that the policy knows. */
function wordLines({ words = [], policy: { statuses } }: Parameters<typeof describePlan>[0]) {
  const isNews = words.some(({ means }) => means === 'at-rest' || means === 'unknown');
  return isNews ? [plainText(`  Status words: ${describeWords(words, statuses)}`)] : [];
}

const MOST_MATCHES = 10;

/** What the endpoints are before the rollout, where that decides how it can end. */
function beforehandLines({ endpoints }: RolloutPlan): string[] {
  const lineOf = (chosen: RolloutPlan['endpoints'], before: string, after: string) =>
    chosen.length === 0
      ? []
      : [`  ${before}: ${chosen.length} (${listNames(chosen.map(nameOf))}); ${after}`];
  return [
    ...lineOf(
      endpoints.filter(({ previousVersion }) => previousVersion === null || previousVersion < 1),
      'No live version now',
      'for these there is no way back',
    ),
    ...lineOf(
      endpoints.filter(({ wrongBefore }) => wrongBefore.includes('dark')),
      '0 replicas now',
      'a wave waits until these have some, at most for the progress deadline',
    ),
  ];
}

/** An estimate, and the facts behind it. */
export type LearnedEstimate =
  | (Estimate & {
      /** The seconds of a roll in past rollouts. */
      readonly roundSeconds: number;
      /** How many past rollouts this was learned from. */
      readonly learnedFrom: number;
    })
  | UnlearnedEstimate;

/** Nobody knows how long a roll takes, so the numbers are the least that can come. */
interface UnlearnedEstimate extends Omit<Estimate, 'seconds' | 'waves' | 'waits'> {
  readonly seconds: null;
  readonly waves: null;
  readonly waits: null;
  readonly roundSeconds: null;
  readonly learnedFrom: 0;
}

/** Describes how long a rollout will take if all goes well, for the lines below its plan. */
export function describeEstimate(
  estimate: LearnedEstimate,
  noun: ReturnType<typeof nounOf>,
  { progressDeadlineSeconds }: Pick<RolloutPolicy, 'progressDeadlineSeconds'>,
): string[] {
  const { bakeSeconds, rounds, rolls, listReads, transitions, lambdaCalls } = estimate;
  const inTurn = rounds === 1 ? 'one roll' : `${rounds} rolls one after another`;
  // The rollouts of the runtimes write and read lists. That of the group starts them, and looks at them.
  const work =
    noun === 'runtime'
      ? `${countOf(rolls, 'rollout')} of runtimes and ${listReads} looks at them`
      : `${countOf(rolls, 'write')} and ${listReads} reads of the list`;
  const calls = `${work}; on AWS ${transitions} transitions and ${lambdaCalls} Lambda calls${noun === 'runtime' ? ' besides theirs' : ''}`;
  if (estimate.seconds === null) {
    return [
      `  ${describeSeconds(bakeSeconds)} of bakes, and the time of ${inTurn}, at most ${describeSeconds(progressDeadlineSeconds)} without progress in each wave`,
      UNLEARNED,
      `  At least ${calls}`,
    ];
  }
  const { seconds, roundSeconds, waits } = estimate;
  const waitSeconds = waits.reduce((sum, { startsAt, endsAt }) => sum + endsAt - startsAt, 0);
  const ofWaits = waitSeconds === 0 ? '' : `, ${describeSeconds(waitSeconds)} of waits for windows`;
  const ofRolls = describeSeconds(seconds - bakeSeconds - waitSeconds);
  return [
    `  About ${describeSeconds(seconds)}: ${describeSeconds(bakeSeconds)} of bakes${ofWaits}, and ${ofRolls} for ${inTurn}`,
    `    A roll is taken for ${describeSource(estimate)}`,
    ...(roundSeconds > progressDeadlineSeconds ? [TOO_SLOW] : []),
    `  About ${calls}`,
  ];
}

const UNLEARNED =
  '    Nobody knows how long a roll takes: there is no past rollout to learn from, so the end is foreseen from its first roll on';

const TOO_SLOW = '    That is longer than the progress deadline: the rollout may fail';

function describeSource({
  roundSeconds,
  learnedFrom,
}: Exclude<LearnedEstimate, UnlearnedEstimate>): string {
  const each = describeSeconds(roundSeconds);
  return learnedFrom === 1
    ? `${each}, as in the last rollout that has succeeded`
    : `${each}, as in the last ${learnedFrom} rollouts that have succeeded (median)`;
}
