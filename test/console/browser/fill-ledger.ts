import { join } from 'node:path';
import { openSqliteLedger } from '../../../lib/adapters/ledger/sqlite/ledger.ts';
import type { JournalEntry } from '../../../lib/domain/endpoint/journal.ts';
import { OUTCOME_KINDS } from '../../../lib/domain/rollout/outcome.ts';
import { planOf, progressOf, recordOf, seen } from '../../domain/examples.ts';
import { beginWith } from '../../support/begin-with.ts';

const MINUTE_MS = 60_000;

/** Fills the ledger of a folder with rollouts that have ended, and one under way over so many endpoints. */
export async function fillLedger(
  folder: string,
  { past, endpoints }: { readonly past: number; readonly endpoints: number },
): Promise<void> {
  const { ledger, end } = openSqliteLedger(join(folder, 'ledger.sqlite'));
  const now = Date.now();
  for (let index = 0; index < past; index += 1) {
    const at = now - (past - index) * MINUTE_MS;
    const request = {
      ...recordOf().request,
      rolloutId: `past-${index}`,
      runtimeId: `shop-${index % 50}`,
    };
    await ledger.open(request, at, at + MINUTE_MS);
    const outcome = OUTCOME_KINDS[index % OUTCOME_KINDS.length] ?? 'Succeeded';
    const ending = { outcome, cleanup: 'none', reason: 'Because', message: 'So.' } as const;
    await ledger.close(request.rolloutId, ending, at + MINUTE_MS / 2);
  }
  const request = { ...recordOf().request, rolloutId: 'large', runtimeId: 'large' };
  const { ids, ...plan } = planOf([1, endpoints / 4, endpoints - 1 - endpoints / 4]);
  const lease = await ledger.open(request, now, now + 60 * MINUTE_MS, beginWith(plan));
  const half = ids.slice(0, endpoints / 2);
  const results = ['intended', 'accepted'] as const;
  const written = half.flatMap((endpointId) =>
    results.map((result): JournalEntry => {
      return { at: now, watched: 0, operation: 'roll', endpointId, result };
    }),
  );
  await ledger.append(lease, written);
  const observations = ids.map((_, index) =>
    index < half.length ? seen('converged', 2) : seen('pending'),
  );
  await ledger.saveProgress(lease, {
    ...progressOf(2, observations),
    readAt: now,
    clock: { at: now, watched: 0 },
  });
  end();
}
