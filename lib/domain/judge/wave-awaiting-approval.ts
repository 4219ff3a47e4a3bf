import type { RolloutRecord } from '../rollout.ts';

/** The 0-based wave that has baked and waits for a person's word. `null`: none does. */
export function waveAwaitingApproval(record: RolloutRecord): number | null {
  const { progress, rollback, outcome, events, signals } = record;
  if (outcome !== null || rollback !== null || progress === null) return null;
  const { wave } = progress;
  const isFailing = events.some(({ kind }) => kind === 'failing');
  const isWanted = events.some(
    (event) => event.kind === 'approval-wanted' && event.wave === wave + 1,
  );
  const isAnswered = signals.some(
    (signal) => signal.kind === 'abort' || (signal.wave === wave && signal.kind !== 'give-way'),
  );
  return isWanted && !isFailing && !isAnswered ? wave : null;
}
