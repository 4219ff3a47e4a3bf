import type { Batch } from '../contract/position.ts';
import { decideRoll, type RollDecision } from '../domain/judge/decide-roll.ts';
import { goalOf } from '../domain/judge/observe-wave.ts';
import { findDenial, NO_ROLLS, rollHistories, TARGET_TAKEN } from '../domain/judge/roll-history.ts';
import type { JournalEntry, WriteResult } from '../domain/rollout.ts';
import { type BatchSummary, countResults } from './batch-summary.ts';
import { resume } from './resume.ts';
import type { StepPorts } from './step-ports.ts';
import { writeEach } from './write-each.ts';

/**
 * Rolls the endpoints of a batch that still need it. Reads the list first: what somebody else moved
 * is let go, and what has the desired target already is not written to again. The intention goes to
 * the journal before the first write, so that a crash in between can be told from a write that was
 * never made.
 *
 * @throws `LeaseLost` before anything is written.
 */
export async function rollBatch(batch: Batch, ports: StepPorts): Promise<BatchSummary> {
  const { ledger, service, clock } = ports;
  const { record, plan } = await resume(ports, batch);
  const goal = goalOf(record);
  if (findDenial(record.journal) !== undefined) return {};
  const endpoints = await service.list(batch.runtimeId);
  const byId = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
  const histories = rollHistories(record.journal);
  const rows = plan.endpoints.slice(batch.from, batch.to).map((planned) => {
    const { endpointId } = planned;
    const history = histories.get(endpointId) ?? NO_ROLLS;
    const endpoint = byId.get(endpointId);
    return {
      endpointId,
      decision: decideRoll({ planned, endpoint, history }, goal, clock.now()),
    };
  });
  const line = (endpointId: string, result: WriteResult): JournalEntry => ({
    at: clock.now(),
    operation: 'roll',
    endpointId,
    result,
  });
  const idsOf = (wanted: RollDecision) =>
    rows.flatMap(({ endpointId, decision }) => (decision === wanted ? [endpointId] : []));

  const toRoll = idsOf('roll');
  await ledger.append(batch, [
    ...idsOf('found-rolled').map((endpointId) => line(endpointId, 'accepted')),
    ...toRoll.map((endpointId) => line(endpointId, 'intended')),
  ]);
  const written = await writeEach(
    toRoll,
    async (endpointId) => {
      const answer = await service.roll(batch.runtimeId, endpointId, goal.desiredVersion);
      return answer?.targetVersion === goal.desiredVersion ? TARGET_TAKEN : undefined;
    },
    ports.signal,
  );
  await ledger.append(
    batch,
    written.map((row) => ({ ...line(row.endpointId, row.result), ...row })),
  );
  return countResults(written);
}
