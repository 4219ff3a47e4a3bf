import { randomUUID } from 'node:crypto';
import { planRecord } from '../../contract/ledger-record.ts';
import { ErrorName, SteprollError } from '../../domain/errors.ts';
import type { Lease, RolloutPlan } from '../../domain/rollout.ts';
import { joinParts, putParts } from './dynamodb-parts.ts';
import { assertOpen, rolloutKey, updateOpen } from './dynamodb-rollout.ts';
import type { Table } from './dynamodb-table.ts';

/** Answers the plan that is frozen, whoever froze it. Throws `LeaseLost`. */
export async function freezePlan(
  table: Table,
  lease: Lease,
  plan: RolloutPlan,
): Promise<RolloutPlan> {
  const { planId: frozen } = await assertOpen(table, lease);
  if (frozen !== undefined) {
    return readPlan(table, lease.rolloutId, frozen);
  }
  // The parts are nobody's until the rollout's item names them, so a plan is there whole or not at all.
  const mine = randomUUID();
  await putParts(table, rolloutKey(lease.rolloutId).pk, planPrefix(mine), plan);
  const { planId = mine } = await updateOpen(
    table,
    lease,
    'SET planId = if_not_exists(planId, :mine)',
    { ':mine': mine },
  );
  return planId === mine ? plan : readPlan(table, lease.rolloutId, planId);
}

export async function readPlan(
  table: Table,
  rolloutId: string,
  planId: string,
): Promise<RolloutPlan> {
  const parts = await table.list(rolloutKey(rolloutId).pk, planPrefix(planId));
  const [plan] = joinParts(planRecord, parts);
  if (plan === undefined) {
    throw new SteprollError(
      ErrorName.IncompatibleState,
      `A part of the plan of rollout ${JSON.stringify(rolloutId)} is missing.`,
    );
  }
  return plan;
}

function planPrefix(planId: string): string {
  return `plan#${planId}#`;
}
