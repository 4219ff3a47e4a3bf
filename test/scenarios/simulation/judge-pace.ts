import { isList, isWrite, type ListCall } from '../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import { START } from '../../support/scenario-time.ts';
import { askerMayBeGone } from './judge-containment.ts';
import { isPlain, isWhole } from './judge-kept.ts';
import type { Ordeal } from './ordeal.ts';

/** A list that cannot be read is asked for again up to the progress deadline, and no longer. */
export function unreadableEnds(
  ordeal: Ordeal,
  { calls, outcome, record, turnedAt }: ScenarioResult,
): string[] {
  const { policy, lists, clock, death, stall } = ordeal;
  if ([clock, death, stall].some((one) => one !== null)) return [];
  const forward = calls.slice(0, calls.findIndex((call) => call.operation === 'stop') >>> 0);
  const reads = forward.filter(isList);
  // A list without most of the fleet is no better than none.
  const isRead = (read: ListCall) => isWhole(read, { plan: record?.plan ?? null });
  const silence = reads.slice(reads.findLastIndex(isRead) + 1);
  const seconds = ((silence.at(-1)?.at ?? 0) - (silence[0]?.at ?? 0)) / 1000;
  const { progressDeadlineSeconds: deadline } = policy;
  const isAwaited = outcome.outcome === 'Errored' && AWAITED.has(outcome.reason);
  // A list that is wrong is waited for, too, and both have one deadline. A plan needs two reads that agree.
  const isOnlySilent = silence.length > 0 && lists.every(({ kind }) => AWAITED.has(kind));
  const isEarly = isAwaited && isOnlySilent && seconds < deadline - MOMENT_SECONDS;
  // Each way has a deadline of its own.
  const most = (turnedAt === null ? 1 : 2) * (deadline + LONGEST_ASKED_SECONDS);
  return isEarly || seconds > most
    ? [`it went on for ${seconds} s without a list, and ended with ${outcome.reason}`]
    : [];
}

/** Faults that leave a read of the list without an answer, and that may pass. */
const AWAITED: ReadonlySet<string> = new Set([
  'UpstreamThrottled',
  'UpstreamTimeout',
  'UpstreamTransient',
]);

/** A read that fails may itself take so long. */
const MOMENT_SECONDS = 30;

/** A service may ask for so long a wait, and a step with its tries may take as long again. */
const LONGEST_ASKED_SECONDS = 400;

/** It begins when it may, neither earlier nor much later, and nothing is written before. */
export function beginsWhenItMay(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { opensAfter, hours, asked, clock } = ordeal;
  if ((opensAfter === 0 && hours === null) || clock !== null) return [];
  const isUndisturbed = isPlain(ordeal) && asked === null;
  const { reason, message } = run.outcome;
  return [
    ...beginsInTime(ordeal, beginningOf(run), isUndisturbed),
    ...(reason === 'OutsideWindow' && !mustBeRefused(ordeal) && (isUndisturbed || !refuses(ordeal))
      ? [`it was refused: ${message}`]
      : []),
  ];
}

type Opening = NonNullable<Ordeal['hours']>['openings'][number];

function openingsOf({ hours, opensAfter }: Ordeal): readonly Opening[] {
  return hours?.openings ?? [[opensAfter, Number.POSITIVE_INFINITY]];
}

function nextOpening(ordeal: Ordeal): number | undefined {
  return openingsOf(ordeal).find(([, to]) => to > 0)?.[0];
}

function mustBeRefused(ordeal: Ordeal): boolean {
  const next = nextOpening(ordeal);
  return next === undefined || (ordeal.hours?.outsideWindow === 'refuse' && next > 0);
}

/** Who waits for a window is refused only if there is none. */
function refuses({ hours }: Ordeal): boolean {
  return hours?.outsideWindow === 'refuse';
}

function beginsInTime(ordeal: Ordeal, begun: number | null, isUndisturbed: boolean): string[] {
  if (begun === null || ordeal.death !== null || ordeal.stall !== null) return [];
  // It is looked whether it may begin, and then the list is read.
  const late = LONGEST_OPENING_SECONDS + ordeal.latencyMs / 100;
  const isPossible = openingsOf(ordeal).some(([from, to]) => begun >= from && begun < to + late);
  const isLate = isUndisturbed && begun > Math.max(0, nextOpening(ordeal) ?? 0) + late;
  return [
    ...(isPossible ? [] : [`it began after ${begun} s`]),
    ...(isLate ? [`it began late, after ${begun} s`] : []),
    ...(mustBeRefused(ordeal) ? ['it began, and had to be refused'] : []),
  ];
}

/** When it told that it starts, or wrote for the first time, in seconds since the start. `null`: it never began. */
function beginningOf({ record, calls }: ScenarioResult): number | null {
  const startedAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  const writtenAt = calls.find(isWrite)?.at;
  const at = Math.min(startedAt ?? Number.POSITIVE_INFINITY, writtenAt ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(at) ? (at - START) / 1000 : null;
}

const LONGEST_OPENING_SECONDS = 20;

/** What was asked to give way ends with its next look at a list that can be read, but for a way back. */
export function givesWay(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  const { death, stall, clock } = ordeal;
  const signal = record?.signals.find(({ kind }) => kind === 'give-way');
  const isClear = [death, stall, clock].every((one) => one === null);
  // An abort asks for its stops, and each of them has a look of its own.
  const isAborted = record?.signals.some(({ kind }) => kind === 'abort');
  if (record == null || signal === undefined || !isClear || isAborted) return [];
  if (askerMayBeGone(ordeal)) return [];
  if (record.rollback !== null) return [];
  // The reads of a plan are none of its looks.
  const plannedAt = record.events.find(({ kind }) => kind === 'started')?.at ?? 0;
  const since = Math.max(signal.at, plannedAt);
  const looks = calls.filter(isList).filter((read) => read.at > since && isWhole(read, record));
  return looks.length > MOST_LOOKS
    ? [`it looked ${looks.length} times after it was asked to give way`]
    : [];
}

/** One that was under way, one of a batch that was just about to roll, and the one that hears it. */
const MOST_LOOKS = 3;

/** A look during a bake comes after a minute, and the service may ask for as much. */
const LONGEST_LOOK_SECONDS = 150;

/** Until the service has accepted a roll of this rollout, each goes alone: a bad version is refused only once. */
export function firstGoesAlone({ death }: Ordeal, { calls, record }: ScenarioResult): string[] {
  const forward = calls.filter(isWrite).filter(({ version }) => version === 2);
  const [first, second] = forward;
  const isKnown =
    death !== null ||
    record?.journal.some(({ result, at }) => result === 'accepted' && at < (second?.at ?? 0));
  return first !== undefined && second !== undefined && !isKnown && first.at === second.at
    ? [`${second.endpointId} was rolled together with the first one`]
    : [];
}

/** What is left out of a way back because somebody else moved it was moved by somebody else. */
export function movedIsMoved(
  { people, lists, stall, badReleases }: Ordeal,
  { record }: ScenarioResult,
): string[] {
  const isMoved = people.length + lists.length + badReleases > 0 || stall?.isRaced === true;
  const left = record?.rollback?.plan.leftOut.filter(({ reason }) => reason === 'moved') ?? [];
  return isMoved ? [] : left.map(({ name }) => `${name} counts as moved, and nobody moved it`);
}

/** A newer release asks the rollout under way to give way, when it may wait for it. */
export function isAskedToGiveWay(
  ordeal: Ordeal,
  { record, seconds, calls }: ScenarioResult,
): string[] {
  const { policy, people, lists, death, stall, clock, latencyMs, asked } = ordeal;
  // A version that is not there is asked for by nobody, and one that is too high gives nobody way.
  const isClear = [death, stall, clock, asked].every((one) => one === null) && lists.length === 0;
  if (policy.maxVersionStep === 1) return [];
  if (policy.onConflict !== 'latest' || !isClear || record?.plan == null) return [];
  const from = (record.startedAt - START) / 1000 + 10 + latencyMs / 100;
  // An empty list is never believed, so nobody can say whether the newer one would be refused.
  const isEmptyAfter = (second: number) =>
    calls.some((call) => isList(call) && call.at >= START + second * 1000 && isEmpty(call));
  const isUnheard = people.some(
    ({ kind, atSecond }) =>
      kind === 'rival' &&
      Number(atSecond) > from &&
      !isEmptyAfter(Number(atSecond)) &&
      Number(atSecond) < seconds - LONGEST_LOOK_SECONDS &&
      !record.signals.some((signal) => signal.kind === 'give-way'),
  );
  return isUnheard ? ['a newer release came, and did not ask it to give way'] : [];
}

function isEmpty({ endpoints }: ListCall): boolean {
  return endpoints !== null && endpoints.length === 0;
}

/** What is live is noticed within a tenth of the time of its roll, or within a poll. */
export function liveIsNoticed(ordeal: Ordeal, { calls, record }: ScenarioResult): string[] {
  const { policy, broken, rollSeconds, latencyMs } = ordeal;
  if (!isPlain(ordeal) || broken.length > 0 || record?.plan == null) return [];
  const longest = Math.max(policy.pollSeconds, rollSeconds / 10) + 3 + (12 * latencyMs) / 1000;
  const forward = calls.filter(isWrite).filter(({ version }) => version === 2);
  const reads = calls.filter(isList);
  return forward.flatMap(({ endpointId, at }) => {
    const liveAt = at + latencyMs + rollSeconds * 1000;
    const seen = reads.find((read) => read.at >= liveAt);
    const after = ((seen?.at ?? liveAt) - liveAt) / 1000;
    return after > longest ? [`${endpointId} was live, and nobody looked for ${after} s`] : [];
  });
}
