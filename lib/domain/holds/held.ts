import type { Instant } from '../clock.ts';
import type { LogLine } from '../rollout/record.ts';
import type { Hold } from './hold.ts';

/** What holds a rollout under way, as its log has it. */
type HeldLine = Extract<LogLine, { kind: 'held' }>;

/** The line that says what holds it now. `null`: nothing does. */
export function heldSince(lines: readonly LogLine[]): HeldLine | null {
  const last = lines.findLast(({ kind }) => kind === 'held' || kind === 'free');
  return last?.kind === 'held' ? last : null;
}

/**
 * What a look adds to the log when other holds keep a rollout from going on than before, or none does any more.
 *
 * @param all Every hold that was added, of which some may be lifted.
 */
export function linesOfHolds(
  lines: readonly LogLine[],
  pauses: readonly Hold[],
  all: readonly Hold[],
  at: Instant,
): readonly LogLine[] {
  const before = heldSince(lines)?.holds ?? [];
  if (idsOf(before) === idsOf(pauses)) return [];
  if (pauses.length > 0) {
    const holds = pauses.map(({ id, kind, scope, by, reason, until }) => {
      return { id, kind, scope, by, reason, until };
    });
    return [{ kind: 'held', at, holds }];
  }
  const lifted = all.flatMap(({ id, lifted: by }) => {
    return by && before.some((one) => one.id === id) ? [{ id, by: by.by, reason: by.reason }] : [];
  });
  return [{ kind: 'free', at, lifted }];
}

function idsOf(holds: readonly Pick<Hold, 'id'>[]): string {
  return JSON.stringify(holds.map(({ id }) => id).toSorted());
}
