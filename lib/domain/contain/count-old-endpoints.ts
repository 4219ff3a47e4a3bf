import type { RolloutRecord } from '../rollout.ts';
import { findOldEndpoints } from './find-old-endpoints.ts';

/** How many endpoints this rollout rolled forward and did not see converge, as the ledger has it. */
export function countOldEndpoints(
  record: Pick<RolloutRecord, 'journal' | 'plan' | 'progress' | 'rollback'>,
): number {
  const { plan, progress, rollback } = record;
  if (plan === null || progress === null || rollback !== null) return 0;
  return findOldEndpoints(record, plan, progress).length;
}
