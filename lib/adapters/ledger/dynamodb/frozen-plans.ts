import { randomUUID } from 'node:crypto';
import type * as z from 'zod';
import { planRecord, rollbackRecord } from '../../../contract/ledger/records.ts';
import { ErrorName, SteprollError } from '../../../domain/errors.ts';
import type { Lease } from '../../../domain/rollout/lease.ts';
import type { Rollback, RolloutPlan } from '../../../domain/rollout/plan.ts';
import { assertOpen, joinParts, putParts, rolloutKey, updateOpen } from './items.ts';
import type { Item, Table } from './table.ts';

/** The field of the rollout's item that names the frozen plan among the stored ones. */
type PlanField = 'planId' | 'rollbackId';

/** Answers the frozen plan, whoever froze it. Throws `LeaseLost`. */
export function freezePlan(table: Table, lease: Lease, plan: RolloutPlan): Promise<RolloutPlan> {
  return freeze(table, lease, 'planId', planRecord, plan);
}

/** Answers the frozen rollback, whoever froze it. Throws `LeaseLost`. */
export function freezeRollback(table: Table, lease: Lease, rollback: Rollback): Promise<Rollback> {
  return freeze(table, lease, 'rollbackId', rollbackRecord, rollback);
}

/** The frozen plan with this id, among the items of its rollout. */
export function planAmong(items: readonly Item[], rolloutId: string, id: string): RolloutPlan {
  return joinPlan(items, rolloutId, id, planRecord);
}

export function rollbackAmong(items: readonly Item[], rolloutId: string, id: string): Rollback {
  return joinPlan(items, rolloutId, id, rollbackRecord);
}

async function freeze<T>(
  table: Table,
  lease: Lease,
  field: PlanField,
  schema: z.ZodType<T>,
  value: T,
): Promise<T> {
  const { [field]: frozen } = await assertOpen(table, lease);
  if (frozen !== undefined) return readParts(table, lease.rolloutId, frozen, schema);
  // The parts belong to nobody until the rollout's item names them, so a plan is either complete or not there.
  const mine = randomUUID();
  await putParts(table, rolloutKey(lease.rolloutId).pk, planPrefix(mine), value);
  const expression = `SET ${field} = if_not_exists(${field}, :mine)`;
  const { [field]: stored = mine } = await updateOpen(table, lease, expression, { ':mine': mine });
  return stored === mine ? value : readParts(table, lease.rolloutId, stored, schema);
}

async function readParts<T>(
  table: Table,
  rolloutId: string,
  id: string,
  schema: z.ZodType<T>,
): Promise<T> {
  const parts = await table.list(rolloutKey(rolloutId).pk, planPrefix(id));
  return joinPlan(parts, rolloutId, id, schema);
}

function joinPlan<T>(
  items: readonly Item[],
  rolloutId: string,
  id: string,
  schema: z.ZodType<T>,
): T {
  const parts = items.filter(({ sk }) => sk.startsWith(planPrefix(id)));
  const [value] = joinParts(schema, parts);
  if (value === undefined) {
    throw new SteprollError(
      ErrorName.IncompatibleState,
      `a part of the plan of rollout ${JSON.stringify(rolloutId)} is missing.`,
    );
  }
  return value;
}

function planPrefix(id: string): string {
  return `plan#${id}#`;
}
