import type { Batch } from '../contract/position.ts';
import { NO_ROLLS, rollHistories } from '../domain/judge/roll-history.ts';
import type {
  Observation,
  PlannedEndpoint,
  RolloutPlan,
  RolloutRecord,
} from '../domain/rollout.ts';
import { type BatchSummary, countResults } from './batch-summary.ts';
import { resume } from './resume.ts';
import type { StepPorts } from './step-ports.ts';
import { type StopResult, stopEndpoint } from './stop-endpoint.ts';

/**
 * Stops the old endpoints of a batch, one after the other, each on a complete list that was read for
 * it. A stop has no undo: whatever is in doubt is kept, and the journal says why.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function stopBatch(batch: Batch, ports: StepPorts): Promise<BatchSummary> {
  const { ledger, clock } = ports;
  const { record, plan } = await resume(ports, batch);
  const histories = rollHistories(record.journal);
  const results: StopResult[] = [];
  for (let index = batch.from; index < batch.to; index++) {
    const planned = plan.endpoints[index];
    if (planned === undefined || isSettled(planned, record)) continue;
    const write = (result: StopResult) =>
      ledger.append(batch, [
        { at: clock.now(), operation: 'stop', endpointId: planned.endpointId, ...result },
      ]);
    const known = {
      planned,
      history: histories.get(planned.endpointId) ?? NO_ROLLS,
      observed: observedAt(index, record, plan),
    };
    const intend = () => write({ result: 'intended' });
    const result = await stopEndpoint(known, record.request, intend, ports);
    await write(result);
    results.push(result);
  }
  return countResults(results);
}

/** Stopped or kept back by an earlier run of this step. */
function isSettled({ endpointId }: PlannedEndpoint, { journal }: RolloutRecord): boolean {
  const last = journal.findLast(
    (entry) => entry.operation === 'stop' && entry.endpointId === endpointId,
  );
  return last?.result === 'accepted' || last?.result === 'kept';
}

/** What was last seen of an endpoint; those of earlier waves had converged. */
function observedAt(
  index: number,
  { progress }: RolloutRecord,
  plan: RolloutPlan,
): Observation | undefined {
  const wave = progress === null ? undefined : plan.waves[progress.wave];
  if (wave === undefined || progress === null) return undefined;
  return index < wave.from
    ? { state: 'converged', reads: 1 }
    : progress.observations[index - wave.from];
}
