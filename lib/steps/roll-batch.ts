import type { Batch } from '../contract/position.ts';
import type { JournalEntry, WriteResult } from '../domain/journal.ts';
import { decideRoll, type RollDecision } from '../domain/judge/decide-roll.ts';
import {
  findDenial,
  NO_ROLLS,
  ROLL_OPERATION,
  rollHistories,
  TARGET_TAKEN,
} from '../domain/judge/roll-history.ts';
import type { RolloutRecord } from '../domain/rollout.ts';
import type { RolloutPlan } from '../domain/rollout-plan.ts';
import { mayWrite } from '../domain/signal.ts';
import { type BatchSummary, countResults } from './batch-summary.ts';
import { keepLease } from './keep-lease.ts';
import { readList } from './read-list.ts';
import { resume } from './resume.ts';
import type { WritePorts } from './step-ports.ts';
import { writeEach } from './write-each.ts';

/**
 * Rolls the endpoints of a batch that still need it. Reads the list first: what somebody else moved
 * is let go, and what has the desired target already is not written to again. The intention goes to
 * the journal before the first write, so that a crash in between can be told from a write that was
 * never made.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function rollBatch(batch: Batch, ports: WritePorts): Promise<BatchSummary> {
  const { ledger, service, clock } = ports;
  const { lease, record, plan } = await resume(ports, batch);
  // A batch from before the rollout turned around names other endpoints now.
  if (batch.direction !== plan.direction || mustNotWrite(record, plan)) return {};
  const endpoints = await readList(record, service);
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const { statuses } = record.request.policy;
  const seen = record.progress?.direction === plan.direction ? record.progress.observations : [];
  const histories = rollHistories(record.journal, plan.direction);
  const rows = plan.endpoints.slice(batch.from, batch.to).map((planned, index) => {
    const { endpointId } = planned;
    const history = histories.get(endpointId) ?? NO_ROLLS;
    const endpoint = byId.get(endpointId);
    // Until the first look at the way back, what is broken is as the plan has it.
    const { isBroken = false } = seen[batch.from + index] ?? planned;
    return {
      endpointId,
      decision: decideRoll({ planned, endpoint, history, isBroken }, statuses, clock.now()),
    };
  });
  const line = (endpointId: string, result: WriteResult): JournalEntry => ({
    at: clock.now(),
    operation: ROLL_OPERATION[plan.direction],
    endpointId,
    result,
  });
  const idsOf = (wanted: RollDecision) =>
    rows.flatMap(({ endpointId, decision }) => (decision === wanted ? [endpointId] : []));

  const toRoll = idsOf('roll');
  const desired = new Map(
    plan.endpoints.map(({ endpointId, desiredVersion }) => [endpointId, desiredVersion]),
  );
  await ledger.append(lease, [
    ...idsOf('found-rolled').map((endpointId) => line(endpointId, 'accepted')),
    ...toRoll.map((endpointId) => line(endpointId, 'intended')),
  ]);
  const keep = keepLease(lease, ports);
  const written = await writeEach(
    toRoll,
    async (endpointId) => {
      await keep();
      const version = desired.get(endpointId) as number;
      const answer = await service.roll(batch.runtimeId, endpointId, version);
      return answer?.targetVersion === version ? TARGET_TAKEN : undefined;
    },
    ports.signal,
  );
  await ledger.append(
    lease,
    written.map(({ retryAfterSeconds, ...row }) => ({
      ...line(row.endpointId, row.result),
      ...row,
      ...(retryAfterSeconds && { retryAt: clock.now() + retryAfterSeconds * 1000 }),
    })),
  );
  return countResults(written);
}

/** Credentials that were refused are not tried again; one that was aborted or overtaken goes no further. */
function mustNotWrite({ journal, signals }: RolloutRecord, { direction }: RolloutPlan): boolean {
  return !mayWrite(ROLL_OPERATION[direction], signals) || findDenial(journal) !== undefined;
}
