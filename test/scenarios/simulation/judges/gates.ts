import { WITHIN_THRESHOLD } from '../../../../lib/domain/ending/success.ts';
import { ErrorName } from '../../../../lib/domain/errors.ts';
import type { RolloutEvent, WaveEvent } from '../../../../lib/domain/rollout/event.ts';
import type { GateLine, GateLook } from '../../../../lib/domain/rollout/gates.ts';
import type { RolloutPolicy } from '../../../../lib/domain/rollout/policy.ts';
import type { AskedRollout } from '../../../../lib/domain/rollout/record.ts';
import { isList, isWrite } from '../../../../lib/rehearsal/calls.ts';
import { linesOf } from '../../../../lib/telling/story/log.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import { hasConverged, hasLetGo } from '../../../support/read-evidence.ts';
import type { GateCall, ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import { idInUrl } from '../to-request.ts';
import type { Observed } from '../to-script.ts';
import { isAskedAhead } from './checks.ts';
import { isAnyPromoted } from './promotions.ts';

/** Nobody succeeds after a no or in the silence of a gate. */
export function gatesAreHeard(ordeal: Ordeal, run: Observed): string[] {
  const { death, stall } = ordeal;
  if (!hasGates(ordeal.policy) || death !== null || stall !== null) return [];
  const { outcome } = run;
  const looks = looksOf(run.gates);
  const last = looks.at(-1)?.verdict;
  // Silence holds no wave that was promoted.
  const isBorne = isAnyPromoted(run.record) && last !== 'fail';
  // A wave that pins have left empty has nobody to ask about.
  const isEmptied = last === undefined && hasLetGo(run);
  const isSure =
    outcome.outcome !== 'Succeeded' || outcome.reason === 'NothingToDo' || isBorne || isEmptied;
  return [...(isSure || last === 'pass' ? [] : [`it succeeded after a gate had said ${last}`])];
}

function hasGates(policy: Pick<RolloutPolicy, 'verify'>): boolean {
  const { alarms, metrics, probe } = gatesIn(policy);
  return alarms.length + metrics.length > 0 || probe !== null;
}

/** What all gates said together at one moment. */
export interface Look {
  readonly at: number;
  readonly verdict: GateCall['verdict'];
}

/** A probe says what its last try says. */
export function looksOf(gates: readonly GateCall[]): readonly Look[] {
  const looks = Map.groupBy(gates, ({ at }) => at);
  return [...looks].map(([at, asked]) => {
    const last = new Map(asked.map(({ asked: what, verdict }) => [what, verdict]));
    const said = new Set(last.values());
    return { at, verdict: said.has('fail') ? 'fail' : said.has('unknown') ? 'unknown' : 'pass' };
  });
}

/** The last wave has converged, and bakes from then on. `undefined`: it has not. */
export function bakesFrom(record: Pick<AskedRollout, 'events'> | null): WaveEvent | undefined {
  const last = record?.events.findLast(({ kind }) => OF_WAVES.has(kind));
  return last?.kind === 'wave-converged' ? last : undefined;
}

const OF_WAVES: ReadonlySet<string> = new Set(['wave-started', 'wave-converged']);

/** Who succeeds has had a yes from every endpoint that is live at its end, none of which was asked too often. */
export function everyoneIsProbed(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { probe } = gatesIn(ordeal.policy);
  const { gates, record, outcome, calls } = run;
  if (probe === null || record?.plan == null) return [];
  const probes = gates.filter(({ kind }) => kind === 'probe');
  const perLook = Map.groupBy(probes, ({ at, asked }) => `${at} ${asked}`);
  const wrong = [...perLook.values()].filter((tries) => {
    const noes = tries.filter(({ verdict }) => verdict === 'fail').length;
    const isOver = tries.at(-1)?.verdict === 'fail' ? noes === probe.tries : noes < probe.tries;
    return !isOver || tries.length > noes + 1;
  });
  const said = new Set(
    probes
      .filter(({ verdict }) => verdict === 'pass')
      .map(({ asked }) => (typeof asked === 'string' ? idInUrl(asked) : '')),
  );
  const last = calls.findLast((call) => call.operation === 'list');
  const shown = (last?.operation === 'list' ? last.endpoints : null) ?? [];
  const isSuccess =
    outcome.outcome === 'Succeeded' && ordeal.death === null && !isAnyPromoted(record);
  const there = new Set(shown.filter((one) => hasConverged(one, 2)).map(({ id }) => id));
  const unasked = record.plan.endpoints.filter(
    ({ endpointId: id }) => there.has(id) && !said.has(id),
  );
  // A loss that is there again after its own wave was not asked.
  const mayComeBack = [ordeal.people, ordeal.lists, ordeal.guises].some(({ length }) => length > 0);
  const isWhole =
    outcome.reason === 'Converged' || (outcome.reason === WITHIN_THRESHOLD && !mayComeBack);
  return [
    ...wrong.map((tries) => `${tries[0]?.asked} was asked ${tries.length} times at once`),
    ...(isSuccess && isWhole ? unasked.map(({ name }) => `${name} has not said yes`) : []),
  ];
}

/** Once the list was read after it, a rejection of the wave that waits is the reason, whatever the wave shows by then. */
export function rejectionIsHeard(
  ordeal: Ordeal,
  { record, calls, outcome }: ScenarioResult,
): string[] {
  if (record === null || !isSteady(ordeal) || ordeal.lists.length > 0) return [];
  const { events, signals } = record;
  const asks = events.flatMap((event) =>
    event.kind === 'approval-wanted' && event.direction === 'forward' ? [event] : [],
  );
  const asked = asks.at(-1);
  const rejection = signals.find(
    ({ kind, wave }) => kind === 'reject' && asked !== undefined && wave === asked.wave - 1,
  );
  const isOther = signals.some(({ kind }) => kind === 'abort' || kind === 'give-way');
  if (asked === undefined || rejection === undefined || isOther) return [];
  const hasGoneOn = events.some((event) => {
    return event.kind === 'wave-started' && event.wave > asked.wave;
  });
  const heardFrom = Math.max(rejection.at, asked.at) + LONGEST_STEP_MS + ordeal.latencyMs * 10;
  const isLooked = calls.some((call) => isList(call) && call.at > heardFrom);
  const failing = events.find((event) => event.kind === 'failing');
  return hasGoneOn || !isLooked || (failing ?? outcome).reason === 'Rejected'
    ? []
    : [`it was rejected, and ended with ${outcome.reason}`];
}

/** The next wave has the yes of a person, or its time for that is over and the policy says to go on. */
export function approvalIsAwaited(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, outcome } = run;
  const { approval } = ordeal.policy.verify;
  if (record?.plan == null || approval === null || ordeal.clock !== null) return [];
  const { waves, endpoints } = record.plan;
  const answer = (kind: string, wave: number, until: number) =>
    record.signals.some((one) => one.kind === kind && one.wave === wave && one.at <= until);
  const wantedAt = (wave: number) =>
    record.events.find(
      (event) =>
        event.kind === 'approval-wanted' &&
        event.direction === 'forward' &&
        event.wave === wave + 1,
    )?.at;
  const begunAt = (wave: number) =>
    record.events.find((event) => {
      const isStart = event.kind === 'wave-started' && event.direction === 'forward';
      return isStart && event.wave === wave + 1;
    })?.at ?? Number.POSITIVE_INFINITY;
  const hasBegun = (wave: number) => begunAt(wave) < Number.POSITIVE_INFINITY;
  const overAt = (wave: number) =>
    (wantedAt(wave) ?? Number.POSITIVE_INFINITY) + (approval.timeoutSeconds - 1) * 1000;
  const hasty = waves.slice(1).flatMap(({ from, to }, wave) => {
    const ids = new Set(endpoints.slice(from, to).map(({ endpointId }) => endpointId));
    const first = calls
      .filter(isWrite)
      .find(({ endpointId, version }) => version === 2 && ids.has(endpointId));
    if (first === undefined || answer('approve', wave, first.at)) return [];
    const isOver = approval.onTimeout === 'approve' && first.at >= overAt(wave);
    // Once the next wave has begun, a rejection comes too late.
    const heardAt = first.at - LONGEST_STEP_MS - ordeal.latencyMs * 10;
    const isRejected = answer('reject', wave, Math.min(heardAt, begunAt(wave + 1)));
    return isOver && !isRejected ? [] : [`wave ${wave + 2} began without its approval`];
  });
  const { reason } = outcome;
  const waited = waves.findLastIndex((_, wave) => wantedAt(wave) !== undefined);
  const begun = waves.findLastIndex((_, wave) => hasBegun(wave));
  const endedAt = record.endedAt ?? 0;
  const isUnfounded =
    (reason === 'Rejected' && !answer('reject', begun, endedAt)) ||
    (reason === 'ApprovalTimedOut' &&
      (approval.onTimeout !== 'reject' || endedAt < overAt(waited)));
  return [...hasty, ...(isUnfounded ? [`it ended with ${reason}, and nobody said so`] : [])];
}

/** What was accepted counts, by different people, whatever came at the same moment. */
export function answersAreFollowed(
  _: Ordeal,
  { record, calls, outcome }: ScenarioResult,
): string[] {
  const approval = record?.request.policy?.verify.approval ?? null;
  if (record?.plan == null || approval === null) return [];
  const { plan, signals, request } = record;
  const { count = 1, notTheStarter = false, onTimeout } = approval;
  const needed = count + (notTheStarter && request.startedBy.kind !== 'schedule' ? 1 : 0);
  const peopleFor = (wave: number) =>
    new Set(
      signals.flatMap((one) => (one.kind === 'approve' && one.wave === wave ? [one.key] : [])),
    ).size;
  const begun = plan.waves.map(({ from, to }) => {
    const ids = new Set(plan.endpoints.slice(from, to).map(({ endpointId }) => endpointId));
    return calls.filter(isWrite).some(({ operation, version, endpointId }) => {
      return operation === 'roll' && version === request.desiredVersion && ids.has(endpointId);
    });
  });
  const passed = begun.slice(1).flatMap((hasBegun, wave) => {
    if (!hasBegun) return [];
    const isRejected = signals.some((one) => one.kind === 'reject' && one.wave === wave);
    const isShort = onTimeout === 'reject' && peopleFor(wave) < needed;
    return [
      ...(isRejected ? [`wave ${wave + 2} began, and wave ${wave + 1} was rejected`] : []),
      ...(isShort ? [`wave ${wave + 2} began with ${peopleFor(wave)} of ${needed} approvals`] : []),
    ];
  });
  const waited = begun.lastIndexOf(true);
  const isUnheard = outcome.reason === 'ApprovalTimedOut' && peopleFor(waited) >= needed;
  return [
    ...passed,
    ...(isUnheard ? [`wave ${waited + 1} had its approvals, and no one heard`] : []),
  ];
}

/** Nobody's time to answer is over before somebody was asked for so long in which no gate was silent. */
export function approvalHasItsTime(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { approval } = ordeal.policy.verify;
  const { record, gates, calls } = run;
  const isClear = ordeal.clock === null && ordeal.stall === null;
  if (record?.plan == null || approval === null || !isClear) return [];
  const looks = looksOf(gates);
  const silentMs = (from: number, to: number) =>
    looks.reduce((sum, { at, verdict }, index) => {
      const next = Math.min(to, looks[index + 1]?.at ?? to);
      return verdict === 'unknown' && at >= from ? sum + Math.max(0, next - at) : sum;
    }, 0);
  return record.events.flatMap((event) => {
    if (event.kind !== 'approval-wanted' || event.direction !== 'forward') return [];
    const wave = event.wave - 1;
    if (record.signals.some((signal) => signal.kind !== 'give-way')) return [];
    const { from = 0, to = 0 } = record.plan?.waves[wave + 1] ?? {};
    const ids = record.plan?.endpoints.slice(from, to).map(({ endpointId }) => endpointId);
    const goesOn = calls.filter(isWrite).find(({ endpointId }) => ids?.includes(endpointId))?.at;
    const isLast = run.outcome.reason === 'ApprovalTimedOut' && goesOn === undefined;
    const over = goesOn ?? (isLast ? record.endedAt : null);
    if (over === null || over === undefined) return [];
    const had = over - event.at - silentMs(event.at, over);
    return had < approval.timeoutSeconds * 1000
      ? [`wave ${event.wave} had ${had} ms for its approval`]
      : [];
  });
}

/** What the gates answered last is in the record, and with the event that follows from it. */
export function gatesAreRemembered(
  ordeal: Ordeal,
  { gates, watched, checks, record, outcome }: Observed,
): string[] {
  if (record === null || !isSteady(ordeal) || outcome.reason === ErrorName.LeaseLost) return [];
  const kept = [record.progress?.gates, ...record.events.map(answersIn)].filter(
    (look) => look !== undefined,
  );
  const looks = Map.groupBy(gates, ({ at }) => at);
  const last = gates.at(-1)?.at ?? 0;
  const lastAsked = Math.max(last, watched.at(-1)?.at ?? 0, checks.at(-1)?.at ?? 0);
  const begun = record.events.flatMap((event) =>
    event.kind === 'wave-started' && event.direction === 'forward' ? [event] : [],
  );
  const unkept = begun.filter(({ at, gates: said }, index) => {
    const since = begun[index - 1]?.at ?? 0;
    const asked = [...looks.keys()].findLast((each) => each <= at);
    // A look at which there was nothing to ask yet has answers, too.
    return asked !== undefined && asked > since && asked > (said?.at ?? 0);
  });
  const wrong = kept.filter(({ at, answers }) => {
    const said = new Map(looks.get(at)?.map((one) => [JSON.stringify(one.asked), one]));
    return [...said.values()].some(
      ({ kind, verdict }) => !answers.some((one) => one.kind === kind && one.verdict === verdict),
    );
  });
  const misplaced = record.events.filter((event) => {
    const look = answersIn(event);
    if (look === undefined || !('wave' in event)) return false;
    const wave = event.kind === 'wave-started' ? event.wave - 1 : event.wave;
    // What was asked before it is told with its start.
    const isOfIt = isAskedAhead(ordeal) && look.wave === event.wave;
    return (look.answers.length === 0 && !hasLetGo({ record })) || (look.wave !== wave && !isOfIt);
  });
  // Where nothing could be asked, nothing was answered. But the yes of a check may stand for a while.
  const unasked = kept.filter(({ at, answers }) => {
    const isAnswered = answers.some(
      ({ kind, verdict }) => kind !== 'check' && verdict !== 'unknown',
    );
    return at > lastAsked && isAnswered;
  });
  const twice = kept.filter(({ answers }) => {
    const said = answers.map(({ kind, name, verdict, detail, watches }) =>
      JSON.stringify([kind, name, verdict, detail, watches]),
    );
    return new Set(said).size < said.length;
  });
  return [
    ...twice.map(({ wave }) => `an answer about wave ${wave} is there twice`),
    ...unasked.map(({ wave }) => `its gates were not asked, and have answered of wave ${wave}`),
    ...misplaced.map(({ eventId }) => `${eventId} has no answers, or those of another wave`),
    ...(last === 0 || kept.some(({ at }) => at >= last) ? [] : ['the last answers are not kept']),
    ...unkept.map(({ wave }) => `wave ${wave} began without the answers of the one before it`),
    ...wrong.map(({ wave }) => `the answers of wave ${wave} are not those of its gates`),
  ];
}

/** Of alarms and probes: each change of what one has said is in the record once, and nothing else. */
export function changesAreTold(
  ordeal: Ordeal,
  { gates, record, outcome }: ScenarioResult,
): string[] {
  const isLost = outcome.reason === ErrorName.LeaseLost;
  if (record?.progress == null || !isSteady(ordeal) || ordeal.clock !== null || isLost) return [];
  const isMeant = ({ gate }: GateLine) => gate === 'probe' || gate.startsWith('alarm ');
  const gateChanges = linesOf(record)
    .filter((line) => line.kind === 'gate')
    .filter(isMeant);
  const called = ({ kind, asked }: GateCall) => (kind === 'probe' ? kind : `${kind} ${asked}`);
  const byGate = Map.groupBy(
    gates.filter(({ kind }) => kind === 'alarm' || kind === 'probe'),
    called,
  );
  const ofOthers = gateChanges.filter(({ gate, isWatching }) => !isWatching && !byGate.has(gate));
  const begun = record.events.filter((event) => {
    return event.kind === 'wave-started' && event.direction === 'forward';
  });
  const misplaced = gateChanges.filter((one) => {
    const wave = begun.filter(({ at }) => at <= one.at).length;
    return one.wave !== wave && one.wave !== wave - 1;
  });
  return [
    ...misplaced.map(({ gate, wave }) => `${gate} is told of wave ${wave}, at the time of another`),
    ...ofOthers.map(({ gate }) => `${gate} was not asked, and is told of`),
    ...[...byGate].flatMap(([gate, calls]) => {
      const told = gateChanges.filter((one) => one.gate === gate && !one.isWatching);
      return changesOf(told, looksOf(calls)).map((fault) => `${gate} ${fault}`);
    }),
  ];
}

function changesOf(lines: readonly GateLine[], looks: readonly Look[]): string[] {
  const told = lines.filter(({ isOneOfMany }) => isOneOfMany !== true);
  // Of one that changes all the time, not every change has a line.
  const isCut = told.length < lines.length || told.length >= 20;
  const end = isCut ? (told.at(-1)?.at ?? 0) : Number.POSITIVE_INFINITY;
  const kept = looks.filter(({ at }) => at <= end);
  const untold = kept.filter(({ at, verdict }) => {
    return told.findLast((change) => change.at <= at)?.verdict !== verdict;
  });
  const unsaid = told.filter(({ at, verdict }, index) => {
    const next = told[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    return !kept.some((look) => look.at >= at && look.at < next && look.verdict === verdict);
  });
  const twice = told.filter(({ wave, verdict }, index) => {
    const before = told[index - 1];
    return before?.wave === wave && before.verdict === verdict;
  });
  return [
    ...untold.map(({ at, verdict }) => `said ${verdict} at ${at}, and something else is told`),
    ...unsaid.map(({ at, verdict }) => `is told to have said ${verdict} since ${at}`),
    ...twice.map(({ verdict }) => `is told twice to say ${verdict}`),
  ];
}

function answersIn(event: RolloutEvent): GateLook | undefined {
  return 'gates' in event ? event.gates : undefined;
}

/** A step that was asked to go on a moment ago goes on. */
const LONGEST_STEP_MS = 120_000;
