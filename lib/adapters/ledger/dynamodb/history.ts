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
import { readEvents } from './events.ts';
import { readPlan, readRollback } from './frozen-plans.ts';
import { findRollout, joinParts, rolloutKey, unpack } from './items.ts';
import { signalsWith } from './signals.ts';
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
  const rollout = await findRollout(table, rolloutId);
  if (rollout === null) throw rolloutNotFound(rolloutId);
  const { planId, rollbackId, progressData, outcomeData } = rollout;
  const { pk } = rolloutKey(rolloutId);
  const [plan, rollback, journal, signals, events] = await Promise.all([
    planId === undefined ? null : readPlan(table, rolloutId, planId),
    rollbackId === undefined ? null : readRollback(table, rolloutId, rollbackId),
    table.list(pk, 'journal#'),
    signalsWith(table, rolloutId, rollout),
    readEvents(table, rolloutId, rollout),
  ]);
  const { request, waiting } = unpack(requestRecord, rollout.requestData);
  return {
    request,
    epoch: rollout.epoch,
    startedAt: rollout.startedAt,
    waiting: outcomeData === undefined ? waiting : null,
    plan,
    rollback,
    progress: progressData === undefined ? null : unpack(progressRecord, progressData),
    journal: joinParts(journalRecord, journal).flat(),
    signals,
    ...events,
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
