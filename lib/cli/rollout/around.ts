import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { readChildren } from '../../steps/group/children.ts';
import type { Around } from '../../telling/words/view.ts';
import { readTrackRecords } from './track-records.ts';

/** How many of the newest rollouts of its runtime are looked at. */
const LOOKED_AT = 20;

/** What a view needs besides the record: holds while it has not ended, and then what came after it. */
export async function readAround(
  record: AskedRollout,
  ledger: Pick<Ledger, 'list' | 'read' | 'listHolds'>,
): Promise<Required<Around>> {
  const { request, outcome } = record;
  const { runtimeId } = request;
  const isOver = outcome !== null;
  const [children, tracks, holds, newer] = await Promise.all([
    readChildren(record, ledger),
    readTrackRecords(record, ledger),
    isOver ? [] : ledger.listHolds(),
    isOver ? ledger.list({ runtimeId, limit: LOOKED_AT, hasRolled: true }) : [],
  ]);
  return { children, tracks, holds, newer };
}
