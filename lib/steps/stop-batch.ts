import type { Batch } from '../contract/position.ts';
import { findOldEndpoints } from '../domain/contain/find-old-endpoints.ts';
import type { JournalEntry } from '../domain/journal.ts';
import { NO_ROLLS, rollHistories } from '../domain/judge/roll-history.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import type { PlannedEndpoint } from '../domain/rollout-plan.ts';
import { type BatchSummary, countResults } from './batch-summary.ts';
import { resume } from './resume.ts';
import type { WritePorts } from './step-ports.ts';
import { type StopResult, stopEndpoint } from './stop-endpoint.ts';

/**
 * Stops the old endpoints of a batch, one after the other, each on a complete list that was read for
 * it. A stop has no undo: whatever is in doubt is kept, and the journal says why.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function stopBatch(batch: Batch, ports: WritePorts): Promise<BatchSummary> {
  const { ledger, clock, signal } = ports;
  const { lease, record, plan } = await resume(ports, batch);
  const { progress } = record;
  if (progress === null || plan.direction !== 'forward') return {};
  const histories = rollHistories(record.journal, plan.direction);
  const stopSent = findStopsSent(record.journal);
  const results: StopResult[] = [];
  for (const position of findOldEndpoints(record, plan, progress)) {
    if (signal?.aborted) break;
    const planned = plan.endpoints[position];
    if (position < batch.from || position >= batch.to || planned === undefined) continue;
    if (isSettled(planned, record)) continue;
    // A batch of slow stops may take longer than one lease.
    await ledger.renew(lease, clock.now() + LEASE_MARGIN_MS);
    const write = (result: StopResult) =>
      ledger.append(lease, [
        { at: clock.now(), operation: 'stop', endpointId: planned.endpointId, ...result },
      ]);
    const known = {
      planned,
      history: histories.get(planned.endpointId) ?? NO_ROLLS,
      observed: progress.observations[position],
      stopSent,
      earlierStops: countStops(planned, record),
    };
    const intend = async () => {
      await write({ result: 'intended' });
      stopSent.add(planned.endpointId);
    };
    const result = await stopEndpoint(known, record.request, intend, ports);
    await write(result);
    results.push(result);
  }
  return countResults(results);
}

/** Stops that an earlier run of this step meant to send. */
function countStops({ endpointId }: PlannedEndpoint, { journal }: RolloutRecord): number {
  return journal.filter(
    (entry) =>
      entry.operation === 'stop' && entry.endpointId === endpointId && entry.result === 'intended',
  ).length;
}

/** Stopped or kept back by an earlier run of this step. */
function isSettled({ endpointId }: PlannedEndpoint, { journal }: RolloutRecord): boolean {
  const last = journal.findLast(
    (entry) => entry.operation === 'stop' && entry.endpointId === endpointId,
  );
  return last?.result === 'accepted' || last?.result === 'kept';
}

/** Endpoints whose stop may have been sent, by this run of the step or one before. */
function findStopsSent(journal: readonly JournalEntry[]): Set<string> {
  const sent = journal.filter(
    ({ operation, result }) =>
      operation === 'stop' &&
      (result === 'intended' || result === 'accepted' || result === 'unknown'),
  );
  return new Set(sent.map(({ endpointId }) => endpointId));
}
