import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import {
  LOOKED_BACK,
  type TrackRecord,
  trackRecordsOf,
} from '../../telling/story/track-records.ts';

/** Looks back at the last rollouts of a runtime, if a gate has only watched this one. */
export async function readTrackRecords(
  record: AskedRollout,
  ledger: Pick<Ledger, 'list'>,
): Promise<readonly TrackRecord[]> {
  if (!record.progress?.watched) return [];
  const { runtimeId } = record.request;
  return trackRecordsOf(
    record,
    await ledger.list({ runtimeId, limit: LOOKED_BACK, hasRolled: true }),
  );
}
