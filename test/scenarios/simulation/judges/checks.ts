import { isWrite } from '../../../../lib/rehearsal/calls.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import { isRollBack } from '../../../support/read-evidence.ts';
import { type CheckCall, isRelease, isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { handOverMs } from '../wire/as-judged.ts';
import { isAnyPromoted } from './promotions.ts';

// A check of the rollout's own, which may be at work for long, and which is asked in a bake or before anything is rolled.

/** It is asked before a rollout or a wave begins. */
export function isAskedAhead({ check }: Ordeal): boolean {
  return check?.when === 'before-rollout' || check?.when === 'before-wave';
}

/** A rollout or a wave may have to wait for it before it begins. */
export function waitsForCheck(ordeal: Ordeal): boolean {
  return ordeal.check?.isEnforced === true && isAskedAhead(ordeal);
}

/** One no is enough then, because nothing was written. */
export function hasSaidNoAhead(ordeal: Ordeal, { checks }: Pick<Observed, 'checks'>): boolean {
  return waitsForCheck(ordeal) && askedOf(checks).some(({ verdict }) => verdict === 'fail');
}

function askedOf(checks: readonly CheckCall[]): readonly CheckCall[] {
  return checks.filter(({ rolloutId }) => rolloutId === 'rollout-1');
}

/** What it has said of a wave up to a moment. @param wave 1-based. `null`: of the rollout. */
function lastSaid(checks: readonly CheckCall[], wave: number | null, until: number) {
  return askedOf(checks).findLast((one) => one.at <= until && (wave === null || one.wave === wave));
}

/** Without its yes nothing is rolled, and after its no nothing more. */
export function checkComesFirst(ordeal: Ordeal, run: Observed): string[] {
  const { checks, calls, record, turnedAt } = run;
  const plan = record?.plan;
  if (record === null || plan == null || !waitsForCheck(ordeal) || ordeal.clock !== null) return [];
  const rolls = calls
    .filter(isWrite)
    .filter((one) => one.operation === 'roll' && !isRollBack(one, record, turnedAt));
  return rolls.flatMap(({ endpointId, at }) => {
    const place = plan.endpoints.findIndex((one) => one.endpointId === endpointId);
    const nth = plan.waves.findIndex(({ from, to }) => from <= place && place < to);
    const wave = ordeal.check?.when === 'before-wave' ? nth + 1 : null;
    const said = lastSaid(checks, wave, at + handOverMs(ordeal))?.verdict;
    return said === 'pass' ? [] : [`${endpointId} was rolled, and its check had said ${said}`];
  });
}

/** Nothing follows a wave before its check has said yes, but for one that a person has promoted. */
export function waveHasItsYes(ordeal: Ordeal, { checks, record }: Observed): string[] {
  const { check } = ordeal;
  if (record === null || !check?.isEnforced || isAskedAhead(ordeal) || isAnyPromoted(record))
    return [];
  return record.events.flatMap((event) => {
    if (event.kind !== 'wave-started' || event.direction !== 'forward' || event.wave === 1)
      return [];
    const said = lastSaid(checks, event.wave - 1, event.at + handOverMs(ordeal))?.verdict;
    return said === 'pass' || ordeal.clock !== null
      ? []
      : [`wave ${event.wave} began, and the check of the one before it had said ${said}`];
  });
}

/** Who is at work is left alone for as long as it wants, and every question has its number. */
export function checkIsAskedInTime(ordeal: Ordeal, { checks }: Observed): string[] {
  if (!isSteady(ordeal)) return [];
  return [...Map.groupBy(askedOf(checks), ({ wave }) => wave)].flatMap(([wave, asked]) => {
    const worksSince = asked.find(({ askAgainIn }) => askAgainIn !== undefined)?.at ?? 0;
    const until = worksSince + (ordeal.check?.deadlineSeconds ?? 0) * 1000;
    return asked.flatMap(({ at, attempt }, index) => {
      const before = asked[index - 1];
      const { askAgainIn } = before ?? {};
      const isEarly =
        before !== undefined &&
        askAgainIn !== undefined &&
        before.at < until &&
        at < Math.min(until, before.at + askAgainIn * 1000);
      return [
        ...(attempt === index + 1
          ? []
          : [`question ${index + 1} about wave ${wave} is ${attempt}`]),
        ...(isEarly ? [`it was asked about wave ${wave} while it was at work`] : []),
      ];
    });
  });
}

/** What only watches is asked once before a rollout or a wave. */
export function watcherIsAskedOnce(ordeal: Ordeal, { checks }: Observed): string[] {
  if (ordeal.check?.isEnforced !== false || !isAskedAhead(ordeal) || !isSteady(ordeal)) return [];
  // It is asked anew once a newer rollout has gone before it.
  if (ordeal.people.some(isRelease)) return [];
  const each = Map.groupBy(askedOf(checks), ({ wave }) => wave);
  return [...each].flatMap(([wave, { length }]) =>
    length > 1 ? [`it only watches, and was asked ${length} times about wave ${wave}`] : [],
  );
}

/** While nothing but a check that is at work keeps a rollout, it is waited for until the deadline of the check. */
export function workIsWaitedFor(ordeal: Ordeal, run: Observed): string[] {
  const { checks, outcome, record } = run;
  const { check, policy, clock } = ordeal;
  if (!check?.isEnforced || clock !== null || outcome.reason !== 'GateUnknown') return [];
  const { alarms, metrics, probe } = gatesIn(policy);
  if (alarms.length + metrics.length > 0 || probe !== null) return [];
  const last = askedOf(checks).at(-1);
  if (last?.askAgainIn === undefined) return [];
  const ofWave = askedOf(checks).filter(({ wave }) => wave === last.wave);
  const worksSince = ofWave.find(({ askAgainIn }) => askAgainIn !== undefined)?.at ?? last.at;
  const until = worksSince + check.deadlineSeconds * 1000;
  const endedAt = record?.endedAt ?? 0;
  return endedAt < until ? [`it ended at ${endedAt}, and its check may work until ${until}`] : [];
}
