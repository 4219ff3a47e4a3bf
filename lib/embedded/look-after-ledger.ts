import { ErrorName, errorMessageOf, errorNameOf } from '../domain/errors.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import { findRecord } from '../steps/find-record.ts';
import type { StepContext } from '../steps/handle.ts';
import { tellOverdue } from '../steps/tell.ts';
import type { RolloutHost } from './rollout-host.ts';

export interface Caretaker {
  readonly context: Pick<StepContext, 'ledger' | 'clock' | 'events' | 'service'>;
  readonly host: Pick<RolloutHost, 'goOn' | 'isRunning'>;
  /** Ids of the runtimes that triggers may roll. */
  readonly runtimes: readonly string[];
  readonly log: (line: string) => void;
}

/**
 * Answers what is to be done again and again: it goes on with the rollouts of triggers that a process which
 * is gone has left open, and tells what was not told of any.
 */
export function createCaretaker({ context, host, runtimes, log }: Caretaker): () => Promise<void> {
  const { ledger, clock, service } = context;
  const said = new Set<string>();
  const sayOnce = (line: string) => {
    if (!said.has(line)) log(line);
    said.add(line);
  };

  async function goOnWith(rolloutId: string): Promise<void> {
    const record = host.isRunning(rolloutId) ? null : await findRecord(rolloutId, ledger);
    if (record === null || record.outcome !== null) return;
    const { request } = record;
    const { startedBy, runtimeId, endpointUrl = service.url } = request;
    const isOurs = endpointUrl === service.url && runtimes.includes(runtimeId);
    // What a person has started, a person looks after.
    if (startedBy.kind === 'person' || !isOurs) {
      const way = `if its process died, steproll rollout resume ${rolloutId}`;
      sayOnce(`Rollout ${rolloutId} of ${runtimeId} is open, and not this listener's: ${way}`);
      return;
    }
    const now = clock.now();
    await ledger.open(request, now, now + LEASE_MARGIN_MS);
    log(`Rollout ${rolloutId} of ${runtimeId}: was left open, and goes on here`);
    host.goOn(record);
  }

  const attempt = async (work: () => Promise<unknown>) => {
    try {
      await work();
    } catch (error) {
      // Ended by its own process, a moment ago.
      if (errorNameOf(error) === ErrorName.LeaseLost) return;
      sayOnce(`${errorNameOf(error)}: ${errorMessageOf(error)}`);
    }
  };

  return () =>
    attempt(async () => {
      for (const { rolloutId } of await ledger.listHeld()) {
        await attempt(() => goOnWith(rolloutId));
      }
      for (const rolloutId of await ledger.listUnsent()) {
        await attempt(() => tellOverdue(rolloutId, context));
      }
    });
}
