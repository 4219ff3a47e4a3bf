import * as z from 'zod';
import { parseStored } from '../../../contract/ledger/envelope.ts';
import {
  journalRecord,
  outcomeRecord,
  progressRecord,
  requestRecord,
} from '../../../contract/ledger/records.ts';
import { HISTORY_INDEX, LISTED_IN_ALL, RUNTIME_INDEX } from '../../../contract/ledger/table.ts';
import type { AskedRollout, RolloutSummary } from '../../../domain/rollout/record.ts';
import type { RolloutQuery } from '../../../ports/ledger.ts';
import { rolloutNotFound } from '../ledger-errors.ts';
import { toSummary } from '../rollout-summary.ts';
import { EVENT, eventsAmong } from './events.ts';
import { planAmong, rollbackAmong } from './frozen-plans.ts';
import { findRollout, joinParts, recordedRollout, rolloutKey, unpack } from './items.ts';
import { JOURNAL } from './journal.ts';
import { signalsOf } from './signals.ts';
import type { Table } from './table.ts';

export async function listRollouts(
  table: Table,
  { runtimeId, limit: newest }: RolloutQuery,
): Promise<readonly RolloutSummary[]> {
  const items = await table.listIndex(
    runtimeId === undefined
      ? { index: HISTORY_INDEX, value: LISTED_IN_ALL, newest }
      : { index: RUNTIME_INDEX, value: runtimeId, newest },
  );
  return parseStored(summaryItems, items).map(summaryOf);
}

export async function readSummary(table: Table, rolloutId: string): Promise<RolloutSummary | null> {
  const rollout = await findRollout(table, rolloutId);
  return rollout === null ? null : summaryOf(rollout);
}

function summaryOf({
  requestData,
  outcomeData,
  startedAt,
  endedAt,
}: z.infer<typeof summaryItem>): RolloutSummary {
  return toSummary(unpack(requestRecord, requestData), {
    startedAt,
    endedAt: endedAt ?? null,
    outcome: outcomeData === undefined ? null : unpack(outcomeRecord, outcomeData),
  });
}

/** @throws `RolloutNotFound` */
export async function readRollout(table: Table, rolloutId: string): Promise<AskedRollout> {
  // One query costs the kilobytes of all items together. It reads the rollout's own item before the plans that it names
  // and the journal, so these have at least what it tells.
  const items = await table.listAll(rolloutKey(rolloutId).pk);
  const rollout = recordedRollout(items.find(({ sk }) => sk === rolloutKey(rolloutId).sk));
  if (rollout === null) throw rolloutNotFound(rolloutId);
  const { planId, rollbackId, progressData, outcomeData } = rollout;
  const of = (prefix: string) => items.filter(({ sk }) => sk.startsWith(prefix));
  const { request, waiting } = unpack(requestRecord, rollout.requestData);
  return {
    request,
    epoch: rollout.epoch,
    startedAt: rollout.startedAt,
    waiting: outcomeData === undefined ? waiting : null,
    plan: planId === undefined ? null : planAmong(items, rolloutId, planId),
    rollback: rollbackId === undefined ? null : rollbackAmong(items, rolloutId, rollbackId),
    progress: progressData === undefined ? null : unpack(progressRecord, progressData),
    journal: joinParts(journalRecord, of(JOURNAL)).flat(),
    signals: signalsOf(rollout),
    ...eventsAmong(of(EVENT), rolloutId, rollout),
    outcome: outcomeData === undefined ? null : unpack(outcomeRecord, outcomeData),
    endedAt: rollout.endedAt ?? null,
  };
}

const packed = z.instanceof(Uint8Array);
const summaryItem = z.object({
  requestData: packed,
  outcomeData: packed.optional(),
  startedAt: z.number(),
  endedAt: z.number().optional(),
});
const summaryItems = z.array(summaryItem);
