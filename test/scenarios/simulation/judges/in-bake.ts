import type { AskedRollout } from '../../../../lib/domain/rollout/record.ts';
import { isList, isWrite, type ListCall } from '../../../../lib/rehearsal/calls.ts';
import { hasConverged, isRollBack } from '../../../support/read-evidence.ts';
import type { GateCall, ScenarioResult } from '../../../support/run-scenario.ts';
import { START } from '../../../support/scenario-time.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import { idInUrl } from '../to-request.ts';
import type { Observed } from '../to-script.ts';
import { handOverMs } from '../wire/as-judged.ts';
import { hasSaidNoAhead } from './checks.ts';
import { isAnyPromoted } from './promotions.ts';

// What gates say while a wave bakes, as the world sees it: when each was asked, what it answered, and what was sent then.

/** What one gate said of one thing at one look. */
interface Said {
  /** The read of the list that the look began with, in milliseconds since the Unix epoch. */
  readonly lookAt: number;
  /** When it answered. */
  readonly at: number;
  readonly verdict: GateCall['verdict'];
}

/** What each gate was asked, and all that it has said of it, look by look. A probe says what its last try says. */
export function saidIn({ gates, calls }: Pick<ScenarioResult, 'gates' | 'calls'>) {
  const reads = calls.filter(isList).map(({ at }) => at);
  const lookOf = (at: number) => reads.findLast((read) => read <= at) ?? 0;
  return [...Map.groupBy(gates, questionOf).values()].map((asked) => {
    const looks = Map.groupBy(asked, ({ at }) => lookOf(at));
    const said = [...looks].flatMap(([lookAt, tries]): Said[] => {
      const last = tries.at(-1);
      return last === undefined ? [] : [{ lookAt, at: last.at, verdict: last.verdict }];
    });
    return { asked: asked[0]?.asked, said };
  });
}

function questionOf({ kind, asked }: GateCall): string {
  if (typeof asked === 'string') return `${kind} ${asked}`;
  const { rule, endpoint } = asked;
  return JSON.stringify([kind, endpoint, rule]);
}

/** A no does not count in the warm-up of the wave that has converged last. */
export function isWarmingUp(
  { events, request }: Pick<AskedRollout, 'events' | 'request'>,
  { lookAt }: Pick<Said, 'lookAt'>,
): boolean {
  const warmUpSeconds = request.policy?.verify.warmUpSeconds ?? 0;
  const converged = events.findLast(({ kind, at }) => kind === 'wave-converged' && at <= lookAt);
  return converged !== undefined && lookAt < converged.at + warmUpSeconds * 1000;
}

/**
 * When a gate said a no for the second time, a poll interval after the first one. `null`: it has not. Where the policy
 * ignores what is red at the start, a no counts once the gate was green.
 */
function confirmedAt(record: AskedRollout, said: readonly Said[]): number | null {
  const pollMs = (record.request.policy?.pollSeconds ?? 0) * 1000;
  let counts = !ignoresRed(record);
  let since: number | null = null;
  for (const one of said) {
    if (one.verdict === 'pass') since = null;
    counts ||= one.verdict === 'pass';
    if (one.verdict !== 'fail' || !counts || isWarmingUp(record, one)) continue;
    since ??= one.lookAt;
    if (one.lookAt - since >= pollMs) return one.at;
  }
  return null;
}

export function confirmedIn(record: AskedRollout, run: ScenarioResult): readonly number[] {
  return saidIn(run).flatMap(({ said }) => confirmedAt(record, said) ?? []);
}

export function ignoresRed({ request }: Pick<AskedRollout, 'request'>): boolean {
  return request.policy?.verify.redAtStart === 'ignore';
}

/** The way forward is over, whatever else is in mid-roll. */
export function confirmedNoEndsIt(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, turnedAt, outcome } = run;
  if (record === null || !isSteady(ordeal)) return [];
  const at = Math.min(...confirmedIn(record, run));
  const rolled = calls
    .filter(isWrite)
    .filter((write) => write.operation === 'roll' && write.at > at + handOverMs(ordeal))
    .filter((write) => !isRollBack(write, record, turnedAt));
  const isConfirmed = at < Number.POSITIVE_INFINITY;
  const isPraised = isConfirmed && outcome.outcome === 'Succeeded';
  // A person may have said no before that look was over, and then the rollout names the person.
  const isNamed = ['GateFailed', 'Rejected'].includes(outcome.reason);
  const isOther = isConfirmed && outcome.outcome === 'Failed' && !isNamed;
  return [
    ...rolled.map(({ endpointId }) => `${endpointId} was rolled after a no that was confirmed`),
    ...(isPraised ? ['it succeeded after a no that was confirmed'] : []),
    ...(isOther ? [`a no was confirmed, and it names ${outcome.reason}`] : []),
  ];
}

/** Who names a gate has heard its no twice. */
export function oneRedLookEndsNothing(ordeal: Ordeal, run: Observed): string[] {
  const { record, outcome } = run;
  if (record === null || !isSteady(ordeal) || hasSaidNoAhead(ordeal, run)) return [];
  // At the end of a bake the first no of a gate may be the one that was confirmed.
  if (ignoresRed(record)) return [];
  const failing = record.events.find((event) => event.kind === 'failing');
  const { reason } = failing ?? outcome;
  if (reason !== 'GateFailed') return [];
  const at = Math.min(...confirmedIn(record, run));
  return at <= (failing?.at ?? record.endedAt ?? 0) + ordeal.latencyMs
    ? []
    : ['it ended with GateFailed, and no gate had said no at two looks'];
}

/** An alarm that is red since before the rollout, and that its policy ignores, ends no bake before its end. */
export function redAtStartEndsNoBake(ordeal: Ordeal, run: Observed): string[] {
  const { record, gates } = run;
  const { policy, alarms } = ordeal;
  if (record?.plan == null || policy.verify.redAtStart !== 'ignore' || !isSteady(ordeal)) return [];
  const startedAt = record.events.find(({ kind }) => kind === 'started')?.at ?? 0;
  const failing = record.events.find((event) => event.kind === 'failing');
  const endedAt = failing?.at ?? record.endedAt ?? 0;
  const isOver = (failing?.reason ?? record.outcome?.reason) !== 'GateFailed';
  const started = (startedAt - START) / 1000;
  const wasRed = alarms.find(
    ({ fromSecond, seconds }) => started >= fromSecond && started < fromSecond + seconds,
  );
  const said = gates.filter(({ kind, at }) => kind === 'alarm' && at <= endedAt);
  const isOther = gates.some(({ kind, verdict }) => kind !== 'alarm' && verdict === 'fail');
  const wasGreen = said.some(({ verdict }) => verdict === 'pass');
  if (hasSaidNoAhead(ordeal, run)) return [];
  if (isOver || isOther || wasGreen || said.length === 0 || wasRed?.verdict !== 'fail') return [];
  const converged = record.events.findLast(({ kind }) => kind === 'wave-converged');
  const wave = converged !== undefined && 'wave' in converged ? converged.wave : 0;
  const bakeMs = (record.plan.waves[wave - 1]?.bakeSeconds ?? 0) * 1000;
  const isEarly = converged === undefined || endedAt < converged.at + bakeMs;
  return isEarly && !isAnyPromoted(record)
    ? [`it failed at ${endedAt} by an alarm that was red before it, in the bake of wave ${wave}`]
    : [];
}

/** Nothing that is healthy goes back before an endpoint to which a gate has said no. */
export function accusedGoesFirst(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls, turnedAt } = run;
  const { broken, lists, people, writes, guises } = ordeal;
  const isClear = [lists, people, writes, guises].every((ills) => ills.length === 0);
  const isRefused = broken.some(({ kind }) => kind === 'refuse' || kind === 'busy');
  const isOfGate = record?.rollback?.cause.reason === 'GateFailed';
  if (record === null || turnedAt === null || !isOfGate) return [];
  if (!isClear || isRefused || !isSteady(ordeal)) return [];
  const accused = accusedIn(record, run);
  const back = calls.filter(isWrite).filter((write) => isRollBack(write, record, turnedAt));
  const first = [...Map.groupBy(back, ({ endpointId }) => endpointId).keys()];
  const last = first.findLastIndex((id) => accused.has(id));
  const shown = calls.filter(isList).findLast(({ at }) => at <= turnedAt);
  return first
    .slice(0, Math.max(0, last))
    .filter((id) => !accused.has(id) && isHealthy(shown, id))
    .map((id) => `${id} went back before one that a gate had accused`);
}

/** Ids of the endpoints to which a gate has said no, and not yes since then. */
export function accusedIn(
  record: AskedRollout,
  run: Pick<ScenarioResult, 'gates' | 'calls'>,
): ReadonlySet<string> {
  const named = new Map(record.plan?.endpoints.map((one) => [one.name, one.endpointId]));
  return new Set(
    saidIn(run).flatMap(({ asked, said }) => {
      const last = said.findLast(({ verdict }) => verdict !== 'unknown');
      if (last?.verdict !== 'fail' || isWarmingUp(record, last) || asked === undefined) return [];
      if (typeof asked !== 'string') return named.get(asked.endpoint ?? '') ?? [];
      return asked.includes('://') ? [idInUrl(asked)] : [];
    }),
  );
}

function isHealthy(read: ListCall | undefined, id: string): boolean {
  const row = read?.endpoints?.find((one) => one.id === id);
  return row !== undefined && hasConverged(row, 2);
}

/** It is told of a gate that only watches whether the rollout would have failed, and nobody is failed because of it. */
export function watchersAreTold(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, watched, calls } = run;
  if (record?.outcome == null || !isSteady(ordeal)) return [];
  return saidIn({ gates: watched, calls }).flatMap(({ asked, said }) => {
    const told = record.outcome?.watched?.find(({ gate }) => gate.endsWith(` ${asked}`));
    const counted = said.filter((one) => one.verdict === 'fail' && !isWarmingUp(record, one));
    const isDue = confirmedAt(record, said) !== null;
    const isHeard = isDue || said.some(({ verdict }) => verdict === 'pass');
    return [
      ...(isDue && !told?.wouldHaveFailed ? [`${asked} said no twice, and it is not told`] : []),
      ...(told?.wouldHaveFailed && counted.length === 0 ? [`${asked} never said no`] : []),
      ...(isHeard && told === undefined ? [`nothing is told of ${asked}`] : []),
    ];
  });
}

/** Whatever a gate says then, it changes nothing. */
export function noneIsAskedOnTheWayBack({ gates, watched, turnedAt }: ScenarioResult): string[] {
  const late = [...gates, ...watched].filter(({ at }) => turnedAt !== null && at > turnedAt);
  return late.length > 0 ? [`${late.length} gates were asked on the way back`] : [];
}
