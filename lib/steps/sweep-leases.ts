import { type Execution, isDead } from '../domain/janitor/execution.ts';
import { closeAbandoned, type JanitorContext } from './close-abandoned.ts';

export interface SweepContext extends JanitorContext {
  readonly describeExecution: (rolloutId: string) => Promise<Execution>;
}

export interface SweepSummary {
  /** Leases that were held. */
  readonly held: number;
  /** Rollouts that had been left open. */
  readonly closed: number;
}

/**
 * Looks at every lease that is held and closes the rollouts whose executions are dead: it finds what no
 * event told of. One lease that cannot be looked at does not keep the others from theirs.
 *
 * @throws the first error, once every lease had its turn; the next sweep meets the others again.
 */
export async function sweepLeases(context: SweepContext): Promise<SweepSummary> {
  const { ledger, clock, describeExecution } = context;
  const leases = await ledger.listHeld();
  const errors: unknown[] = [];
  let closed = 0;
  for (const { rolloutId, leaseUntil } of leases) {
    try {
      const execution = await describeExecution(rolloutId);
      if (!isDead(execution, leaseUntil, clock.now())) continue;
      if (await closeAbandoned(rolloutId, execution, context)) closed += 1;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return { held: leases.length, closed };
}
