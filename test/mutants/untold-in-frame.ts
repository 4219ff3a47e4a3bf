import type { KnownMutant } from './known-mutant.ts';

/** Those of what all steps have in common, and of leases. */
export const UNTOLD_IN_FRAME: readonly KnownMutant[] = [
  {
    file: 'lib/steps/frame/read-wave.ts',
    on: 'if (before.direction !== direction || before.wave !== wave) {',
    original: 'before.direction !== direction',
    mutated: 'false',
    why: 'A rollout that is resumed just after it has turned around reads the list at once, and not after a poll interval. Both ways decide on a fresh list, and no page says how soon the first look of a resumed rollout comes.',
  },
  {
    file: 'lib/steps/frame/read-wave.ts',
    on: 'return now >= readAt ? Math.min(triedMs, now - readAt) : triedMs;',
    original: 'now >= readAt',
    mutated: 'now > readAt',
    why: 'It differs only when the clock has gone back to the very millisecond of the last list. By the clock no time has passed since then, and by the waits some has. No page says which of the two counts when they disagree.',
  },
  {
    file: 'lib/steps/frame/read-wave.ts',
    on: 'return passedMs >= 0 && passedMs <= LONGEST_READ_MS ? passedMs : 0;',
    original: 'passedMs <= LONGEST_READ_MS',
    mutated: 'passedMs < LONGEST_READ_MS',
    why: 'It differs only when a read has taken exactly two minutes by the clock. No page says from which length on a read is taken for a clock that has jumped.',
  },
  {
    file: 'lib/steps/check-wave.ts',
    on: 'Math.min(doubtMs, deadlineMs)',
    original: 'Math.min(doubtMs, deadlineMs)',
    mutated: 'Math.max(doubtMs, deadlineMs)',
    why: 'A rollout that was resumed after its bake ends at the next silent answer of its gate. The judges know only for how long a gate may be silent at most when a process has died meanwhile.',
  },
  {
    file: 'lib/steps/verify-wave.ts',
    on: "isSure || decision.next === 'wait' ? null",
    original: "decision.next === 'wait'",
    mutated: 'false',
    why: 'A gate that was silent after the bake gets no new deadline when a loss that was tolerated is there again in between. No rollout draws the two together, and no page says which of the two it is.',
  },
  {
    file: 'lib/steps/opening/take-lease.ts',
    on: 'if (active === null || active.outcome !== null || !wasOpened(active)) {',
    original: 'active.outcome !== null',
    mutated: 'false',
    why: 'It differs only when the other rollout ends after its lease has refused this one, and before its record is read. Then it counts as under way, as it does when it ends a moment later, and nobody outside can tell the two moments apart. A rollout that has ended hears no request to give way.',
  },
];
