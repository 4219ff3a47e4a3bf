import type { Instant } from '../../domain/clock.ts';
import type { Hold, ToldHold } from '../../domain/holds/hold.ts';
import { whatFreezes, whatPausesOn } from '../../domain/holds/what-holds.ts';
import { failingOf } from '../../domain/rollout/event.ts';
import { type AskedRollout, activePlan, type LogLine } from '../../domain/rollout/record.ts';
import { whatFreezesRolls } from '../../domain/turn/roll-window.ts';
import { linesOf } from './log.ts';

/** A hold, and how long it has held a rollout. */
export interface HoldOnIt {
  readonly hold: ToldHold;
  readonly from: Instant;
  /** `null`: it holds it still, or did until its end. */
  readonly to: Instant | null;
  /** Who has lifted it, and why. `null`: nobody has, or nobody knows. */
  readonly lifted: { readonly by: string; readonly reason: string } | null;
}

/** The holds that have held a rollout under way, in order, as its log has them. */
export function holdsInLog(record: Pick<AskedRollout, 'lines'>): readonly HoldOnIt[] {
  const lines = linesOf(record).filter((line) => line.kind === 'held' || line.kind === 'free');
  return lines.reduce<readonly HoldOnIt[]>((known, line) => {
    const holds = line.kind === 'held' ? line.holds : [];
    const past = known.map((one) => {
      const isOver = one.to === null && !holds.some(({ id }) => id === one.hold.id);
      return isOver ? { ...one, to: line.at, lifted: lifterOf(one, line) } : one;
    });
    return [...past, ...beginning(holds, past, () => line.at)];
  }, []);
}

function lifterOf({ hold }: HoldOnIt, line: LogLine): HoldOnIt['lifted'] {
  const lifted = line.kind === 'free' && line.lifted.find(({ id }) => id === hold.id);
  return lifted ? { by: lifted.by, reason: lifted.reason } : null;
}

/** Those that did not hold it before. */
function beginning<H extends ToldHold>(
  holds: readonly H[],
  known: readonly HoldOnIt[],
  fromOf: (hold: H) => Instant,
): HoldOnIt[] {
  const held = new Set(holdingNow(known).map(({ id }) => id));
  return holds.flatMap((hold) =>
    held.has(hold.id) ? [] : [{ hold, from: fromOf(hold), to: null, lifted: null }],
  );
}

/**
 * The same, and those that hold it now, whether or not it has heard of them.
 *
 * @param standing The holds that nobody has lifted. @default - nobody has looked, so the log says what holds it
 */
export function holdsOn(
  record: AskedRollout,
  now: Instant,
  standing?: readonly Hold[],
): readonly HoldOnIt[] {
  const known = holdsInLog(record);
  if (record.outcome !== null || standing === undefined) return known;
  const plan = activePlan(record);
  const holding =
    plan === null
      ? whatFreezes(record.request, standing, now)
      : failingOf(record.events) === undefined
        ? [
            ...whatPausesOn(plan, record.request, standing, now),
            ...whatFreezesRolls(plan, record.request, standing, now),
          ]
        : [];
  const past = known.map((one): HoldOnIt => {
    const isOver = one.to === null && !holding.some(({ id }) => id === one.hold.id);
    return isOver ? { ...one, to: now } : one;
  });
  const { at: askedAt } = record.request.startedBy;
  return [...past, ...beginning(holding, past, ({ at }) => Math.max(at, askedAt))];
}

/** What holds it now. */
export function holdingNow(holds: readonly HoldOnIt[]): readonly ToldHold[] {
  return holds.flatMap(({ hold, to }) => (to === null ? [hold] : []));
}
