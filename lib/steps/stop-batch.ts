import type { Batch } from '../contract/position.ts';
import { type CallOff, findCallOff } from '../domain/contain/decide-stop.ts';
import { findOldEndpoints } from '../domain/contain/find-old-endpoints.ts';
import { findStopsSent } from '../domain/journal.ts';
import { NO_ROLLS, rollHistories } from '../domain/judge/roll-history.ts';
import { LEASE_MARGIN_MS } from '../domain/lease.ts';
import type { WaveProgress } from '../domain/observation.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import type { PlannedEndpoint, RolloutPlan } from '../domain/rollout-plan.ts';
import { findAbort } from '../domain/signal.ts';
import { type BatchSummary, countResults } from './batch-summary.ts';
import { resume } from './resume.ts';
import { signalsThatCount } from './signals-that-count.ts';
import type { WritePorts } from './step-ports.ts';
import { keptOrDone, type OldEndpoint, type StopResult, stopEndpoint } from './stop-endpoint.ts';

/**
 * Stops the old endpoints of a batch, one after the other, each on a complete list that was read for
 * it. A stop has no undo: whatever is in doubt is kept, and the journal says why. What was said to the
 * rollout is looked at before each stop, so that none begins once an abort was accepted.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function stopBatch(batch: Batch, ports: WritePorts): Promise<BatchSummary> {
  const { ledger, clock, signal } = ports;
  const { lease, record, plan } = await resume(ports, batch);
  const { progress } = record;
  if (progress === null || plan.direction !== 'forward') return {};
  const due = findDue(batch, record, plan, progress);
  const results: StopResult[] = [];
  const note = (rows: readonly StopRow[]) =>
    ledger.append(
      lease,
      rows.map((row) => ({ at: clock.now(), operation: 'stop', ...row })),
    );
  const hear = async () => signalsThatCount(await ledger.readSignals(lease.rolloutId), ports);
  for (const [index, old] of due.entries()) {
    if (signal?.aborted) break;
    const said = await hear();
    const whyNot = findCallOff(said);
    if (whyNot !== undefined) {
      const rest = due.slice(index).map((each) => callOff(each, whyNot));
      await note(rest);
      results.push(...rest);
      break;
    }
    // A batch of slow stops may take longer than one lease.
    await ledger.renew(lease, clock.now() + LEASE_MARGIN_MS);
    const { endpointId } = old.planned;
    const intend = async () => {
      await note([{ endpointId, result: 'intended' }]);
      const whyNot = findCallOff(await hear());
      if (whyNot === undefined) old.stopSent.add(endpointId);
      return whyNot;
    };
    const known = { ...old, isAskedFor: findAbort(said) !== undefined };
    const result = await stopEndpoint(known, record, intend, ports);
    await note([{ endpointId, ...result }]);
    results.push(result);
  }
  return countResults(results);
}

interface StopRow extends StopResult {
  readonly endpointId: string;
}

function callOff(
  { planned, earlierStops }: Pick<OldEndpoint, 'planned' | 'earlierStops'>,
  reason: CallOff,
): StopRow {
  return { endpointId: planned.endpointId, ...keptOrDone(reason, earlierStops) };
}

/** The old endpoints of a batch that no earlier run of this step has settled, and what is known of them. */
function findDue(
  { from, to }: Batch,
  record: RolloutRecord,
  plan: RolloutPlan,
  progress: WaveProgress,
): Omit<OldEndpoint, 'isAskedFor'>[] {
  const histories = rollHistories(record.journal, plan.direction);
  const stopSent = findStopsSent(record.journal);
  return findOldEndpoints(record, plan, progress).flatMap((position) => {
    const planned = plan.endpoints[position];
    if (position < from || position >= to || planned === undefined) return [];
    if (isSettled(planned, record)) return [];
    const history = histories.get(planned.endpointId) ?? NO_ROLLS;
    const observed = progress.observations[position];
    return [
      { plan, planned, history, observed, stopSent, earlierStops: countStops(planned, record) },
    ];
  });
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
