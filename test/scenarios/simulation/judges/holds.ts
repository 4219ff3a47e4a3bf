import { failingOf } from '../../../../lib/domain/rollout/event.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { holdsInLog } from '../../../../lib/telling/story/holds-on.ts';
import { isRollBack } from '../../../support/read-evidence.ts';
import { START } from '../../../support/scenario-time.ts';
import { isSteady, type Ordeal, type SeenHold } from '../ordeal.ts';
import type { Beside, Observed } from '../to-script.ts';
import type { StepRun } from '../watch-engine.ts';
import { handOverMs } from '../wire/as-judged.ts';
import { isAskedAhead } from './checks.ts';

// What people hold, as the world sees it: when each hold was added and over, and what was sent and told meanwhile.

/** A time in which something is held. In milliseconds since the Unix epoch. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** What a rollout is, to a hold that is on something. */
function isOn({ held }: Ordeal, { on }: SeenHold): boolean {
  if (on.startsWith('another')) return false;
  return on === 'group' || on === 'parent' ? held?.isOfGroup === true : true;
}

/** When a hold keeps this rollout from its next roll and its next wave. */
export function pausesOf(ordeal: Ordeal, { holds }: Pick<Beside, 'holds'>): readonly Span[] {
  return joined(
    holds.filter((one) => {
      if (one.kind === 'pause') return isOn(ordeal, one);
      return one.kind === 'quarantine' && one.on === 'version' && !ordeal.held?.isAgain;
    }),
  );
}

/** A look comes, and an execution may hand over, within this time. */
const TOLD_WITHIN_MS = 900_000;

/** The log tells of each pause that lasts, and of no other. */
export function pausesAreTold(ordeal: Ordeal, run: Observed): string[] {
  const { record } = run;
  if (record === null || record.plan === null || !isSteady(ordeal) || ordeal.clock !== null)
    return [];
  const told = holdsInLog(record);
  // A freeze that binds rolls is told like a pause.
  const spans = [...pausesOf(ordeal, run), ...freezesOfRolls(ordeal, run)];
  const end = failingOf(record.events)?.at ?? record.endedAt ?? record.startedAt;
  const untrue = told.filter(
    ({ from }) => !spans.some((one) => from >= one.from && from <= one.to),
  );
  const untold = spans.filter(({ from, to }) => {
    const by = Math.max(from, record.startedAt) + TOLD_WITHIN_MS;
    return by < Math.min(to, end) && !told.some((one) => one.from < to && (one.to ?? end) > from);
  });
  return [
    ...untrue.map(({ from }) => `it is told to be held at ${from}, and nothing held it`),
    ...untold.map(({ from }) => `the pause at ${from} is not told`),
  ];
}

/** When a hold keeps this rollout from its start. A group that has begun runs, and its runtimes with it. */
export function freezesOf(ordeal: Ordeal, { holds }: Pick<Beside, 'holds'>): readonly Span[] {
  return joined(
    holds.filter(
      (one) =>
        one.kind === 'freeze' &&
        isOn(ordeal, one) &&
        (!ordeal.held?.isOfGroup || one.on === 'runtime'),
    ),
  );
}

/** When a freeze keeps this rollout from its next roll and its next wave. */
function freezesOfRolls(ordeal: Ordeal, { holds }: Pick<Beside, 'holds'>): readonly Span[] {
  if (ordeal.policy.windowsBind !== 'rolls') return [];
  return joined(holds.filter((one) => one.kind === 'freeze' && isOn(ordeal, one)));
}

/** When a version is in quarantine. */
export function quarantinesOf({ holds }: Pick<Beside, 'holds'>, version: unknown): readonly Span[] {
  const on = version === 2 ? 'version' : version === 1 ? 'version before' : null;
  return joined(holds.filter((one) => one.kind === 'quarantine' && one.on === on));
}

/** When a version that the rollout may ask for is in quarantine. */
function quarantines(ordeal: Ordeal, run: Pick<Beside, 'holds'>): readonly Span[] {
  const before = asksForLatest(ordeal) ? quarantinesOf(run, 1) : [];
  return [...quarantinesOf(run, 2), ...before];
}

/** The latest version that the service lists may be the one before, as long as it does not list the new one. */
export function asksForLatest({ asked }: Pick<Ordeal, 'asked'>): boolean {
  return asked?.kind === 'listed' && asked.version === 'latest';
}

/** Several holds add up. Between one that is over and one that comes at that instant, nothing is held for a moment. */
function joined(holds: readonly SeenHold[]): readonly Span[] {
  const all: Span[] = [];
  for (const { addedAt, overAt } of holds.toSorted((one, other) => one.addedAt - other.addedAt)) {
    const last = all.at(-1);
    if (last === undefined || addedAt >= last.to) all.push({ from: addedAt, to: overAt });
    else all[all.length - 1] = { from: last.from, to: Math.max(last.to, overAt) };
  }
  return all;
}

/** Whether it is held all of the time from the one instant to the other. */
function isHeldFromTo(spans: readonly Span[], from: number, to: number): boolean {
  return spans.some((span) => span.from < from && to < span.to);
}

/** How much of the time between two instants is held. */
export function heldMs(spans: readonly Span[], from: number, to: number): number {
  return spans.reduce(
    (sum, span) => sum + Math.max(0, Math.min(to, span.to) - Math.max(from, span.from)),
    0,
  );
}

/** A rollout reads the holds at most so long before it sends a roll. */
const LONGEST_TRUST_MS = 10_000;

/** No roll forward begins once a pause, or a freeze of rolls, has had its time to be heard, whatever dies or stands still. */
export function pauseIsHeard(ordeal: Ordeal, run: Observed): string[] {
  const { record, calls, turnedAt } = run;
  if (record === null || ordeal.clock !== null) return [];
  const pauses = [...pausesOf(ordeal, run), ...freezesOfRolls(ordeal, run)];
  const trustMs = LONGEST_TRUST_MS + handOverMs(ordeal);
  return calls
    .filter(isWrite)
    .filter(({ operation, at }) => operation === 'roll' && isHeldFromTo(pauses, at - trustMs, at))
    .filter((write) => !isRollBack(write, record, turnedAt))
    .map(({ endpointId }) => `${endpointId} was rolled under a pause`);
}

/** No look that begins under a pause, or a freeze of rolls, begins a wave. */
export function beginsNoWave(ordeal: Ordeal, run: Observed): string[] {
  if (ordeal.clock !== null) return [];
  const pauses = [...pausesOf(ordeal, run), ...freezesOfRolls(ordeal, run)];
  return (run.record?.events ?? []).flatMap((event) => {
    if (event.kind !== 'wave-started' || event.direction !== 'forward' || event.wave === 1)
      return [];
    const look = runAt(run, event.at, ({ state }) => state === 'Look');
    return look !== undefined && isHeldFromTo(pauses, look.begunAt, event.at)
      ? [`wave ${event.wave} began under a pause`]
      : [];
  });
}

/** The run of a step that was under way at an instant: the one that began first, because the next may begin at its end. */
function runAt(
  { executions }: Pick<Observed, 'executions'>,
  at: number,
  isMeant: (run: StepRun) => boolean,
): StepRun | undefined {
  const runs = executions.flatMap((execution) => execution.runs);
  return runs.find(
    (run) => isMeant(run) && run.begunAt <= at && at <= (run.endedAt ?? Number.POSITIVE_INFINITY),
  );
}

/** What is frozen, or goes to a version in quarantine, makes no plan, and so it writes nothing. */
export function heldStartsNothing(ordeal: Ordeal, run: Observed): string[] {
  const { record, calls } = run;
  const started = record?.events.find(({ kind }) => kind === 'started');
  if (ordeal.clock !== null) return [];
  if (started === undefined) {
    return calls.some(isWrite) ? ['it wrote, and had told nobody that it starts'] : [];
  }
  const opening = runAt(run, started.at, ({ state }) => state === 'Open rollout');
  if (opening === undefined) return [];
  const version = record?.request.desiredVersion;
  // Where nothing is to be rolled, nothing goes to the version.
  const isNothing = record?.plan?.endpoints.length === 0;
  const quarantines = ordeal.held?.isAgain || isNothing ? [] : quarantinesOf(run, version);
  // The step read the holds after it had begun, and the list after that.
  return [
    ...(isHeldFromTo(freezesOf(ordeal, run), opening.begunAt, started.at)
      ? ['it started under a freeze']
      : []),
    ...(isHeldFromTo(quarantines, opening.begunAt, started.at)
      ? [`it started to version ${version}, which is in quarantine`]
      : []),
  ];
}

/** Who is refused because of a hold was held, and may not wait; who waits is refused by no hold. */
export function refusalsAreOfHolds(ordeal: Ordeal, run: Observed): string[] {
  const { outcome, record } = run;
  const at = record?.endedAt;
  if (at == null || ordeal.clock !== null) return [];
  const held = { Held: freezesOf(ordeal, run), Quarantined: quarantines(ordeal, run) }[
    outcome.reason
  ];
  if (held === undefined) return [];
  // It was read while the step ran that refused it.
  const stoodStillMs = 1000 * (ordeal.stall?.seconds ?? 0);
  const sinceMs = REFUSED_WITHIN_MS + 10 * ordeal.latencyMs + stoodStillMs;
  // Who is raced stands still until the other one has come to its end.
  const readAt = ordeal.stall?.isRaced ? START : at - sinceMs;
  const isOver = heldMs(held, readAt, at + 1) === 0;
  // The bad end of another rollout puts its version into quarantine.
  const isOfOther =
    outcome.reason === 'Quarantined' &&
    run.releases.some((other) => {
      const { failure } = other.outcome;
      const { request, endedAt } = other.record ?? {};
      return failure === 'bad' && request?.desiredVersion === 2 && (endedAt ?? at) <= at;
    });
  const { hours, held: told, opensAfter } = ordeal;
  const refuses =
    hours !== null ? hours.outsideWindow === 'refuse' : opensAfter === 0 && told?.refuses === true;
  const mayWait = outcome.reason === 'Held' && (!refuses || told?.isOfGroup === true);
  return [
    ...(isOver && !isOfOther ? [`it ended with ${outcome.reason}, and nothing held it`] : []),
    ...(mayWait ? ['a freeze refused it, and it may wait'] : []),
  ];
}

/** A step that fails runs again within seconds. */
const REFUSED_WITHIN_MS = 20_000;

/** Nothing holds who undoes a rollout but the quarantine of a version that it would go to. */
export function revertIsAStart(ordeal: Ordeal, run: Observed): string[] {
  const { undone, record, holds, outcome } = run;
  if (undone === null || ordeal.clock !== null) return [];
  const { run: back, startedAt } = undone;
  const isThere = (version: unknown, at: number) =>
    quarantinesOf({ holds }, version).some(({ from, to }) => from < at && at < to);
  const endedAt = back.record?.endedAt ?? startedAt;
  const before = record?.plan?.endpoints.map(({ previousVersion }) => previousVersion) ?? [];
  const asked = [...before, record?.request.desiredVersion];
  const isRefused = back.outcome.reason === 'Quarantined';
  // Its own end puts a bad version into quarantine, which an endpoint may have had before.
  const mayBe =
    outcome.failure === 'bad' ||
    asked.some((version) => isThere(version, startedAt) || isThere(version, endedAt));
  const sent = back.calls
    .filter(isWrite)
    .filter(({ version, at }) => isHeldFromTo(quarantinesOf({ holds }, version), startedAt, at));
  return [
    ...(back.outcome.reason === 'Held' ? ['a freeze refused who undoes it'] : []),
    ...(isRefused && !mayBe ? ['it was refused, and no version of it is in quarantine'] : []),
    ...sent.map(({ endpointId }) => `${endpointId} went back to a version in quarantine`),
  ];
}

/** Where the service lists versions, the latest one is the highest that is not in quarantine. */
export function latestIsNotQuarantined(ordeal: Ordeal, run: Observed): string[] {
  const { asked, clock } = ordeal;
  const { record, outcome } = run;
  if (asked?.kind !== 'listed' || asked.version !== 'latest' || clock !== null) return [];
  // What comes just after the version was found out comes too late, and a person may want it all the same.
  const before = run.holds.filter(({ from }) => from === 'before');
  const [span] = ordeal.held?.isAgain ? [] : quarantinesOf({ holds: before }, 2);
  const isAllTheTime =
    span !== undefined && span.from <= START && span.to > (record?.endedAt ?? Infinity);
  if (!isAllTheTime) return [];
  const isMeant = record?.request.desiredVersion === 2 || outcome.reason === 'Quarantined';
  return isMeant ? ['version 2 is in quarantine, and was taken for the latest one'] : [];
}

/** What waits for the end of a freeze begins within a look of it. */
export function freezeIsOverInTime(ordeal: Ordeal, run: Observed): string[] {
  const { record, calls } = run;
  const [freeze, ...others] = freezesOf(ordeal, run);
  const isOther = ordeal.people.length + ordeal.lists.length > 0 || ordeal.opensAfter > 0;
  const isAlone = [ordeal.hours, ordeal.asked, ordeal.earlier, ordeal.ahead].every(
    (x) => x === null,
  );
  if (freeze === undefined || others.length > 0 || isOther || !isAlone || !isSteady(ordeal))
    return [];
  if (isAskedAhead(ordeal) || (ordeal.policy.windows ?? []).length > 0) return [];
  const started = record?.events.find(({ kind }) => kind === 'started')?.at;
  const first = calls[0]?.at ?? 0;
  if (started === undefined || started < freeze.to || first < freeze.from) return [];
  const lateMs = started - freeze.to;
  const most = (ordeal.held?.listens ? HEARD_MS : LONGEST_LOOK_MS) + 20_000 + 10 * ordeal.latencyMs;
  return lateMs > most ? [`it began ${lateMs} ms after the freeze was over`] : [];
}

const HEARD_MS = 2_000;
const LONGEST_LOOK_MS = 300_000;

/** What was asked to give way under a pause goes on, and is held on. */
export function pausedGivesNoWay(ordeal: Ordeal, run: Observed): string[] {
  const { outcome, record, executions } = run;
  if (outcome.reason !== 'GaveWay' || record?.endedAt == null || ordeal.clock !== null) return [];
  const endedAt = record.endedAt;
  const runs = executions.flatMap((execution) => execution.runs);
  const decided = runs.findLast(({ state, begunAt }) => state === 'Look' && begunAt <= endedAt);
  return decided !== undefined && isHeldFromTo(pausesOf(ordeal, run), decided.begunAt, endedAt)
    ? ['it gave way under a pause']
    : [];
}

/** Whatever has its time gets it under a pause, too: a list, a gate, an approval, and an endpoint. */
export function deadlinesStandStill(ordeal: Ordeal, run: Observed): string[] {
  const { outcome, record, calls, turnedAt } = run;
  const { clock, policy } = ordeal;
  const endedAt = record?.endedAt;
  if (record == null || endedAt == null || turnedAt !== null || clock !== null) return [];
  const seconds = timeOf(outcome.reason, policy);
  const pauses = pausesOf(ordeal, run);
  if (seconds === null || pauses.length === 0) return [];
  const wanted = record.events.findLast(({ kind }) => kind === 'approval-wanted');
  const failing = record.events.find(({ kind }) => kind === 'failing');
  const until = failing?.at ?? endedAt;
  const from = outcome.reason === 'ApprovalTimedOut' ? wanted?.at : calls.find(isList)?.at;
  if (from === undefined) return [];
  const had = until - from - heardMs(run, pauses, from, until);
  return had < seconds * 1000
    ? [
        `it ended with ${outcome.reason} after ${had} ms in which it was not paused, of ${seconds} s`,
      ]
    : [];
}

function timeOf(reason: string, policy: Ordeal['policy']): number | null {
  if (reason === 'ApprovalTimedOut') return policy.verify.approval?.timeoutSeconds ?? null;
  return TIMED.has(reason) ? policy.progressDeadlineSeconds : null;
}

const TIMED: ReadonlySet<string> = new Set(['Stalled', 'EndpointUnknown', 'GateUnknown']);

/** How long it was paused between two looks that have heard so. A pause between two looks is heard by none. */
export function heardMs(
  { executions }: Pick<Observed, 'executions'>,
  pauses: readonly Span[],
  from: number,
  to: number,
): number {
  if (pauses.length === 0) return 0;
  const looks = executions
    .flatMap(({ runs }) => runs)
    .filter(({ state }) => state === 'Look')
    .map(({ begunAt }) => begunAt);
  const heard = pauses.flatMap((pause) => {
    const inside = looks.filter((at) => pause.from < at && at < pause.to);
    const [first] = inside;
    const last = inside.at(-1);
    return first === undefined || last === undefined ? [] : [{ from: first, to: last }];
  });
  return heldMs(heard, from, to);
}
