import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../io/record.ts';

/** What ended before these is not looked for. */
const LATEST_ROLLOUTS = 20;

/**
 * The status words that nobody knew when the last rollouts of the runtime ended. Endpoints may still show them, and that
 * makes none of them a known one: only a configuration does.
 */
export async function doubtedWords(
  runtimeId: string,
  ledger: Pick<Ledger, 'list' | 'read'>,
): Promise<readonly string[]> {
  const past = await ledger.list({ runtimeId, limit: LATEST_ROLLOUTS });
  const ended = past.filter(({ outcome }) => {
    return outcome?.outcome !== 'Succeeded' && outcome?.outcome !== 'Refused';
  });
  const records = await Promise.all(ended.map(({ rolloutId }) => findRecord(rolloutId, ledger)));
  return records.flatMap((record) => (record === null ? [] : unknownIn(record)));
}

/** On a way back any word is good enough, so what was seen before it counts. */
function unknownIn({ progress, rollback }: AskedRollout): readonly string[] {
  const seen = rollback?.seen ?? progress?.observations ?? [];
  return seen.flatMap(({ unknownStatus }) => unknownStatus ?? []);
}
