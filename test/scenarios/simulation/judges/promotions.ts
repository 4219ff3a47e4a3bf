import type { AskedRollout } from '../../../../lib/domain/rollout/record.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal, toleratesLosses } from '../ordeal.ts';
import { waitsForCheck } from './checks.ts';
import { isWarmingUp, saidIn } from './in-bake.ts';

// What people promote: the end of a bake, and nothing else.

/** When somebody promoted a 0-based wave for the first time. `null`: nobody has. */
function promotedAt({ signals }: Pick<AskedRollout, 'signals'>, which: number): number | null {
  const said = signals.find(({ kind, wave, isFull }) => {
    if (kind !== 'promote' || wave === null) return false;
    return wave === which || (isFull === true && wave < which);
  });
  return said?.at ?? null;
}

export function isAnyPromoted(record: Pick<AskedRollout, 'signals'> | null): boolean {
  return record?.signals.some(({ kind }) => kind === 'promote') === true;
}

interface Left {
  /** 0-based. */
  readonly wave: number;
  readonly convergedAt: number;
  readonly at: number;
}

/** The waves that a rollout trusted and left: for the next one, for the question whether it may go on, or for its end. */
function leftWaves({ events, outcome, endedAt }: AskedRollout): readonly Left[] {
  return events.flatMap((event, index) => {
    if (event.kind !== 'wave-converged' || event.direction === 'back') return [];
    const next = events[index + 1] ?? { kind: outcome?.outcome, at: endedAt ?? 0 };
    const isLeft = LEAVES.has(next.kind ?? '');
    return isLeft ? [{ wave: event.wave - 1, convergedAt: event.at, at: next.at }] : [];
  });
}

const LEAVES: ReadonlySet<string> = new Set(['wave-started', 'approval-wanted', 'Succeeded']);

/** When a wave was left last that somebody had promoted. 0: none was. */
export function lastPassedAt(record: AskedRollout): number {
  const passed = leftWaves(record).filter(
    ({ wave, at }) => (promotedAt(record, wave) ?? Infinity) <= at,
  );
  return passed.at(-1)?.at ?? 0;
}

/** Silence has an end only after the bake of its wave, which may have been promoted. */
export function unknownWaitsForTheBake(
  ordeal: Ordeal,
  { record, outcome }: ScenarioResult,
): string[] {
  if (record?.plan == null || outcome.reason !== 'GateUnknown' || !isSteady(ordeal)) return [];
  const converged = record.events.findLast((event) => event.kind === 'wave-converged');
  if (converged?.kind !== 'wave-converged') return ['no wave had converged'];
  const { bakeSeconds = 0 } = record.plan.waves[converged.wave - 1] ?? {};
  const saidAt = promotedAt(record, converged.wave - 1) ?? Number.POSITIVE_INFINITY;
  const dueAt = Math.min(converged.at + bakeSeconds * 1000, saidAt);
  const endedAt = record.endedAt ?? 0;
  return endedAt < dueAt
    ? [`a gate was silent, and it ended ${endedAt - converged.at} ms after the wave had converged`]
    : [];
}

/** A wave that nobody promoted bakes to its end, and one that was promoted up to the promotion, and through its warm-up. */
export function shortensNothingElse({ clock }: Ordeal, { record }: ScenarioResult): string[] {
  if (record?.plan == null || clock !== null || !isAnyPromoted(record)) return [];
  const { plan } = record;
  const warmUpMs = (record.request.policy?.verify.warmUpSeconds ?? 0) * 1000;
  return leftWaves(record).flatMap(({ wave, convergedAt, at }) => {
    const bakeMs = (plan.waves[wave]?.bakeSeconds ?? 0) * 1000;
    const saidAt = promotedAt(record, wave);
    const isPromoted = saidAt !== null && saidAt <= at;
    const due = isPromoted ? Math.min(bakeMs, warmUpMs) : bakeMs;
    return at - convergedAt < due
      ? [`wave ${wave + 1} baked for ${at - convergedAt} ms, and not for ${due} ms`]
      : [];
  });
}

/** What a gate has said last of anything, silence aside, is a yes. */
export function noIsNotPassed(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record } = run;
  if (record === null || !isAnyPromoted(record) || !isSteady(ordeal) || toleratesLosses(ordeal))
    return [];
  return leftWaves(record).flatMap(({ wave, at }) => {
    if ((promotedAt(record, wave) ?? Infinity) > at) return [];
    return saidIn(run).flatMap(({ said }) => {
      const last = said.findLast((one) => one.at <= at && one.verdict !== 'unknown');
      return last?.verdict === 'fail' && !isWarmingUp(record, last)
        ? [`wave ${wave + 1} was promoted, and passed a gate that had said no`]
        : [];
    });
  });
}

/** Where no gate says no and nothing else is wrong, a promoted wave goes on at the look that hears it. */
export function silenceHoldsNothing(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, gates } = run;
  const { broken, lists, writes, people, word, held, policy, latencyMs } = ordeal;
  if (record?.plan == null || !isAnyPromoted(record) || !isSteady(ordeal)) return [];
  const isHale = [broken, lists, writes, people].every((ills) => ills.length === 0);
  const isSilent = gates.every(({ verdict }) => verdict !== 'fail');
  if (!isHale || !isSilent || word !== null || held !== undefined) return [];
  // A promotion answers no check before a wave.
  if (policy.verify.approval !== null || waitsForCheck(ordeal)) return [];
  const warmUpMs = (policy.verify.warmUpSeconds ?? 0) * 1000;
  const lookMs = 60_000 + 2000 * Math.max(policy.pollSeconds, policy.maxPollSeconds);
  return record.events.flatMap((event) => {
    if (event.kind !== 'wave-converged' || event.direction === 'back') return [];
    const saidAt = promotedAt(record, event.wave - 1);
    const left = leftWaves(record).find(({ wave }) => wave === event.wave - 1);
    const due = Math.max(saidAt ?? 0, event.at + warmUpMs) + lookMs + 30 * latencyMs;
    const isLate = (left?.at ?? record.endedAt ?? 0) > due;
    return saidAt !== null && isLate
      ? [`wave ${event.wave} was promoted, and went on only ${(left?.at ?? 0) - saidAt} ms later`]
      : [];
  });
}
