import { isDeepStrictEqual } from 'node:util';
import { type Endpoint, isStopped } from '../../../../lib/domain/endpoint/endpoint.ts';
import { DEFAULT_POLICY } from '../../../../lib/domain/rollout/default-policy.ts';
import { mayStop } from '../../../../lib/domain/rollout/policy.ts';
import { askedAt } from '../../../../lib/gates/gates.ts';
import { type Call, isList, isWrite, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import { isAtStop, isBad } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import { isOneOf } from '../name-patterns.ts';
import { type Asked, isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { isAskedAhead, waitsForCheck } from './checks.ts';
import { asksForLatest, quarantinesOf } from './holds.ts';

/** Only the plan that somebody agreed to is carried out, and that one is not refused. */
export function planIsAgreed(
  ordeal: Ordeal,
  { agreed, record, outcome }: ScenarioResult,
): string[] {
  const { asked, people, lists, stall } = ordeal;
  if (asked?.kind !== 'plan' || agreed === null) return [];
  const { kind } = asked.since;
  const isOther = agreed.plan === null || kind === 'how' || kind === 'version';
  const isSame = isDeepStrictEqual(record?.plan, agreed.plan);
  const mayHaveChanged = isOther || people.length + lists.length > 0 || stall?.isRaced === true;
  const isRefused = outcome.reason === 'PlanChanged';
  const saysPolicy = outcome.message.includes('with this policy');
  return [
    ...(record?.plan == null || (isSame && !isOther) ? [] : ['it is not what was agreed to']),
    ...(isRefused && !mayHaveChanged ? [`nothing has changed: ${outcome.message}`] : []),
    ...(isRefused && kind === 'how' && !saysPolicy
      ? ['it does not say that the policy does not fit']
      : []),
    ...(isRefused && kind !== 'how' && kind !== 'mistyped' && agreed.plan !== null && saysPolicy
      ? ['it says that the policy does not fit']
      : []),
  ];
}

/** The request of a release is as old as its event, and that of a person is as old as the rollout. */
export function requestHasItsTime(
  { asked }: Ordeal,
  { record }: Pick<ScenarioResult, 'record'>,
): string[] {
  if (asked?.kind !== 'by' || record === null) return [];
  const isReleased = asked.who === 'release';
  // Nobody says what a release from the future is.
  if (isReleased && asked.askedAfter > 0) return [];
  const due = isReleased ? asked.askedAfter : 0;
  const after = (record.request.startedBy.at - START) / 1000;
  return after === due ? [] : [`it counts as asked for after ${after} s, and not after ${due} s`];
}

/** The version that a rollout is to, when it is known, is one that the service or the endpoint has shown. */
export function versionIsAsAsked(
  { asked, clock, held }: Ordeal,
  { record, calls }: ScenarioResult,
): string[] {
  const version = record?.request.desiredVersion ?? null;
  if (asked === null || version === null) return [];
  if (asked.kind === 'source') {
    const begunAt = record?.events.find(({ kind }) => kind === 'started')?.at;
    const isShown = calls.some((call) => {
      // What it made of it later is no source, as far as its clock tells what is later.
      if (clock === null && call.at > (begunAt ?? call.at)) return false;
      const source = sourceIn(call, asked.endpoint);
      const isThere = source?.liveVersion === version && !isOut(source);
      return isThere && (source.targetVersion ?? version) === version;
    });
    return isShown ? [] : [`${asked.endpoint} was never shown to be on version ${version}`];
  }
  const isLatest = asked.kind === 'listed' && asked.version === 'latest';
  // One that is in quarantine is not meant.
  const mayBeOne =
    isLatest && (asked.state === 'failing' || asked.state === 'unlisted' || held !== undefined);
  return version === 2 || (mayBeOne && version === 1) ? [] : [`it goes to version ${version}`];
}

/** The one endpoint that is called so; `undefined`: there is none, or more than one. */
function sourceIn(call: Call, said: string): Endpoint | undefined {
  const rows = (isList(call) && call.endpoints) || [];
  const [source, ...others] = rows.filter(({ id, name }) => [name, id, `id:${id}`].includes(said));
  return others.length === 0 ? source : undefined;
}

/** It has failed or is stopped. */
function isOut({ status }: Endpoint): boolean {
  return isBad({ status }) || isAtStop({ status });
}

/** While nothing but a window is waited for, nobody looks for the version any more. */
export function versionIsFoundOnce(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  const { asked, lists, people, earlier } = ordeal;
  const isClear = isSteady(ordeal) && asked === null && earlier === null && !isAskedAhead(ordeal);
  const begunAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  // A rollout beside it may be waited for, too.
  if (!isClear || lists.length + people.length > 0 || begunAt === undefined) return [];
  const reads = calls.filter(isList);
  const again = reads.filter(
    ({ at }) => at > (reads[0]?.at ?? 0) + SOON_MS && at < begunAt - SOON_MS,
  );
  return again.length > 0 ? [`it looked ${again.length} times more while it waited`] : [];
}

/** So long may it take to read what is needed. */
const SOON_MS = 60_000;

/** Nothing is rolled before the version is made, and who waits for it waits as long as it is said. */
export function versionIsAwaited(
  ordeal: Ordeal,
  { calls, outcome, record }: ScenarioResult,
): string[] {
  const { asked, policy, latencyMs } = ordeal;
  if (asked?.kind !== 'listed' || asked.state === 'secret') return [];
  const { state, seconds } = asked;
  const readyAt = state === 'failing' ? Number.POSITIVE_INFINITY : START + seconds * 1000;
  const early = calls
    .filter(isWrite)
    .filter((call) => state !== 'ready' && call.version === 2 && call.at + latencyMs < readyAt);
  const patience = patienceFor(asked, policy);
  const isGone = outcome.reason === 'VersionUnknown';
  const isSure = state !== 'failing' && seconds < patience - LOOK_SECONDS;
  const isHasty = isGone && (state === 'ready' || isSure);
  const isClear = isSteady(ordeal) && ordeal.lists.length === 0;
  const waitedMs = (record?.endedAt ?? 0) - START;
  const isLate =
    isGone &&
    ordeal.hours === null &&
    ordeal.held === undefined &&
    waitedMs > (Math.max(patience, seconds) + LOOK_SECONDS + 60) * 1000 + 20 * latencyMs;
  return [
    ...early.map(({ endpointId }) => `${endpointId} was rolled before the version was made`),
    ...(isHasty && isClear ? [`it did not wait: ${outcome.message}`] : []),
    ...(isLate && isClear ? [`it waited for ${waitedMs} ms`] : []),
  ];
}

/**
 * A version that is made is waited for up to the deadline. One that is not listed may be about to be, if it is above
 * all that are, and is waited for up to a minute.
 */
function patienceFor(
  { state, isNewest, version }: Extract<Asked, { kind: 'listed' }>,
  { progressDeadlineSeconds }: Ordeal['policy'],
): number {
  if (state !== 'unlisted') return progressDeadlineSeconds;
  return isNewest || version === 'latest' ? Math.min(60, progressDeadlineSeconds) : 0;
}

/** Where nothing else takes time, it goes on, or is refused, with just the look that tells. */
export function versionIsLookedFor(ordeal: Ordeal, { outcome, record }: ScenarioResult): string[] {
  const { asked, hours, held, people, lists, earlier, ahead, opensAfter, latencyMs } = ordeal;
  const others = people.length + lists.length + opensAfter + latencyMs;
  const isFree = hours === null && held === undefined;
  const isAlone = isFree && earlier === null && ahead === null && others === 0;
  if (asked?.kind !== 'listed' || asked.state === 'secret') return [];
  if (!isAlone || !isSteady(ordeal) || waitsForCheck(ordeal)) return [];
  const { seconds, isFound } = lastLookFor(asked, ordeal.policy);
  const isRefused = outcome.reason === 'VersionUnknown';
  const begunAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  const decidedAt = isRefused ? record?.endedAt : begunAt;
  // It may be refused for another reason.
  if (decidedAt == null) return [];
  const decidedAfter = (decidedAt - START) / 1000;
  return isRefused !== isFound && Math.abs(decidedAfter - seconds) <= MOMENT_SECONDS
    ? []
    : [
        `the look after ${seconds} s ${isFound ? 'finds' : 'does not find'} its version, and after ${decidedAfter} s: ${outcome.message}`,
      ];
}

const MOMENT_SECONDS = 5;

/** The look after which it waits no more, in seconds since the start. */
function lastLookFor(
  asked: Extract<Asked, { kind: 'listed' }>,
  policy: Ordeal['policy'],
): { readonly seconds: number; readonly isFound: boolean } {
  const { version, state } = asked;
  // The latest one is one that is listed.
  const comesAfter =
    state === 'ready' || (state === 'unlisted' && version === 'latest') ? 0 : asked.seconds;
  const patience = patienceFor(asked, policy);
  let seconds = 0;
  while (seconds < Math.min(comesAfter, patience)) {
    const pause = Math.min(300, Math.max(15, Math.ceil(seconds / 10)));
    seconds = Math.min(patience, seconds + pause);
  }
  const hasFailed = state === 'failing' && version === 2;
  return { seconds, isFound: seconds >= comesAfter && !hasFailed };
}

/** The longest time between two looks for the version. */
const LOOK_SECONDS = 120;

/** What is refused before anything is rolled has its reason in what was asked for, or in what was shown. */
export function refusalIsFounded(ordeal: Ordeal, run: Observed): string[] {
  const { outcome, calls } = run;
  const isFounded = REFUSALS[outcome.reason];
  if (isFounded === undefined) return [];
  return [
    ...(isFounded(ordeal, run) ? [] : [`it is refused for no reason: ${outcome.message}`]),
    ...(calls.some(isWrite) ? [`it was refused as ${outcome.reason}, and wrote`] : []),
  ];
}

function goesDown({ policy, earlier, people, stall }: Ordeal, { calls }: Observed): boolean {
  return (
    !policy.allowDowngrade &&
    (earlier?.version === 3 ||
      // Releases to version 4, which may have come first to the runtime.
      people.some(({ kind }) => kind === 'stale' || kind === 'rival') ||
      stall?.isRaced === true ||
      isShown(
        calls,
        (one) =>
          isSelected(one, policy.selection) &&
          Math.max(one.liveVersion ?? 0, one.targetVersion ?? 0) > 2,
        true,
      ))
  );
}

/** The latest version is in quarantine, and an endpoint is above the one below it: nobody has asked for that. */
function goesBelow(ordeal: Ordeal, run: Observed): boolean {
  const isAbove = isShown(run.calls, ({ targetVersion }) => Number(targetVersion) > 1, true);
  return asksForLatest(ordeal) && quarantinesOf(run, 2).length > 0 && isAbove;
}

/** Nobody in a list has an attribute that a wave asks for. */
function lacksRings({ endpoints }: ListCall, { waves, selection }: Ordeal['policy']): boolean {
  const selected = endpoints?.filter((one) => isSelected(one, selection)) ?? [];
  const asked = waves.flatMap((wave) => ('where' in wave ? Object.keys(wave.where) : []));
  return asked.some((name) => selected.every((one) => one.attributes?.[name] === undefined));
}

const REFUSALS: Readonly<Record<string, (ordeal: Ordeal, run: Observed) => boolean>> = {
  DowngradeRefused: (ordeal, run) => goesDown(ordeal, run) || goesBelow(ordeal, run),
  AttributeUnknown: ({ policy }, { calls }) =>
    calls.filter(isList).some((read) => lacksRings(read, policy)),
  VersionStepRefused: ({ policy }, { calls }) =>
    policy.maxVersionStep === 1 &&
    isShown(calls, ({ liveVersion }) => liveVersion === null || liveVersion < 1, false),
  EmptyScope: (ordeal, run) => {
    const freeAt = freedAt(ordeal, run);
    // Whether what is pinned is all that it might have rolled is said with it.
    if (run.holds.some(({ kind }) => kind === 'pin') && / pinned /.test(run.outcome.message))
      return true;
    return (
      run.calls
        .filter(isList)
        // The other one has endpoints, so as long as it has the runtime, an empty list is no answer.
        .some((read) => isEmpty(read, ordeal) && (read.endpoints?.length || read.at >= freeAt))
    );
  },
  GateUnanswerable: ({ policy }) => policy.verify.probe !== null,
  GateRed: ({ policy }) => askedAt(policy.verify, ['start']).length > 0,
  PlanChanged: ({ asked }) => asked?.kind === 'plan',
  // Only another rollout can be closed while this one begins, and that is what it waits for.
  RolloutClosed: () => false,
  VersionUnknown: ({ asked }, { calls }) =>
    asked?.kind === 'listed' ||
    (asked?.kind === 'source' &&
      calls.some((call) => {
        const source = sourceIn(call, asked.endpoint);
        const isSettled = source?.status === 'ACTIVE' && Number(source.liveVersion) > 0;
        const { liveVersion, targetVersion = null } = source ?? {};
        const isOnItsWay = targetVersion !== null && targetVersion !== liveVersion;
        return isList(call) && (!isSettled || isOnItsWay);
      })),
  VersionsUnsupported: ({ asked }) => asked?.kind === 'listed' && asked.state === 'secret',
  StopUnsupported: ({ cannotStop, policy }) => cannotStop && mayStop(policy.onFailure),
  InvalidInput: ({ asked }) =>
    (asked?.kind === 'highest' && asked.version === 1) ||
    (asked?.kind === 'by' && asked.service === 'another'),
  InvalidEndpointId: ({ guises }) => guises.some(({ shown }) => shown?.id === '..'),
};

/** When the rollout before it had the runtime no more. */
function freedAt({ earlier: other }: Ordeal, { earlier }: Observed): number {
  if (other === null) return START;
  return Math.min(START + other.endsAfter * 1000, earlier?.record.endedAt ?? Number.MAX_VALUE);
}

/** Whether a read shows some endpoint like this, or all of them. */
function isShown(
  calls: readonly Call[],
  isMeant: (one: Endpoint) => boolean,
  some: boolean,
): boolean {
  return calls.filter(isList).some(({ endpoints }) => {
    if (endpoints === null) return false;
    return some ? endpoints.some(isMeant) : endpoints.every(isMeant);
  });
}

function isEmpty({ endpoints }: ListCall, { policy, cannotStop }: Ordeal): boolean {
  if (endpoints === null) return false;
  const { selection, statuses = DEFAULT_POLICY.statuses } = policy;
  return endpoints.every(
    (one) =>
      (cannotStop && one.name === 'DEFAULT') ||
      !isSelected(one, selection) ||
      isStopped(one, statuses),
  );
}

export function isSelected(
  endpoint: Pick<Endpoint, 'id' | 'name'>,
  { names, ids, exclude }: Ordeal['policy']['selection'],
): boolean {
  if (isOneOf(endpoint, exclude)) return false;
  return names.length + ids.length === 0 || isOneOf(endpoint, names) || ids.includes(endpoint.id);
}
