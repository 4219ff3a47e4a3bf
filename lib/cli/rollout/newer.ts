import { groupNameOf } from '../../domain/rollout/group.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../../steps/io/record.ts';
import { listNames, plainText } from '../../telling/text.ts';

/** How many of the newest rollouts of a runtime are looked at. */
const LOOKED_AT = 20;

/** Newer rollouts that rolled endpoints since one that is undone, or runtimes of its group. */
export async function findNewer(
  reverted: AskedRollout,
  ledger: Pick<Ledger, 'list' | 'read'>,
): Promise<readonly AskedRollout[]> {
  const { request, plan, startedAt } = reverted;
  const { rolloutId, runtimeId } = request;
  const isGroup = groupNameOf(runtimeId) !== null;
  const runtimes = isGroup ? (plan?.endpoints ?? []).map(({ endpointId }) => endpointId) : [];
  const newer: AskedRollout[] = [];
  for (const of of [runtimeId, ...runtimes]) {
    const rows = await ledger.list({ runtimeId: of, limit: LOOKED_AT });
    const later = rows.filter(
      (row) =>
        row.startedAt >= startedAt && row.rolloutId !== rolloutId && row.parent !== rolloutId,
    );
    const records = await Promise.all(later.map((row) => findRecord(row.rolloutId, ledger)));
    newer.push(...records.filter((record) => record !== null));
  }
  return newer.filter(({ journal }) => journal.length > 0);
}

/** `null`: there are none. */
export function nameNewer(newer: readonly AskedRollout[]): string | null {
  const told = newer.map(describeOne);
  if (told.length === 0) return null;
  const runs = told.length === 1 ? 'a newer rollout has' : `${told.length} newer rollouts have`;
  return plainText(
    `Since then, ${runs} run: ${listNames(told)}. What has another version since then is left alone.`,
  );
}

function describeOne({ request, outcome }: AskedRollout): string {
  const end = outcome === null ? 'under way' : outcome.outcome;
  return `${request.runtimeId} to ${describeWanted(request)} (${end}, ${request.rolloutId})`;
}
