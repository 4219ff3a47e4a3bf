import type { RolloutSummary } from '../../domain/rollout/record.ts';
import type { Attempt } from '../desk.ts';

/** The rollouts that were asked for the same thing of the same runtime, one after the other. */
export interface Neighbours {
  before(one: RolloutSummary): Attempt | null;
  after(one: RolloutSummary): Attempt | null;
}

/** @param all Rollouts, the newest first. */
export function attemptsAmong(all: readonly RolloutSummary[]): Neighbours {
  const alike = Map.groupBy(all, keyOf);
  const beside = (one: RolloutSummary, steps: number): Attempt | null => {
    const own = alike.get(keyOf(one)) ?? [];
    const place = own.findIndex(({ rolloutId }) => rolloutId === one.rolloutId);
    const other = place < 0 ? undefined : own[place + steps];
    return other === undefined ? null : toAttempt(other);
  };
  return { before: (one) => beside(one, 1), after: (one) => beside(one, -1) };
}

function keyOf({ runtimeId, desiredVersion, versionFrom, revert }: RolloutSummary): string {
  return JSON.stringify([runtimeId, desiredVersion, versionFrom, revert]);
}

function toAttempt({ rolloutId, outcome, startedAt, endedAt }: RolloutSummary): Attempt {
  return { rolloutId, outcome: outcome?.outcome ?? null, at: endedAt ?? startedAt };
}
