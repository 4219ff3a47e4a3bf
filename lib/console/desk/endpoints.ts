import { FATES, listFates } from '../../domain/ending/fate.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { AskedRollout, RolloutSummary } from '../../domain/rollout/record.ts';
import { describeWanted } from '../../domain/rollout/request.ts';
import { toSummary } from '../../ledger/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../../steps/io/record.ts';
import { listLives } from '../../telling/story/lives.ts';
import { toListedRollout } from '../../telling/view/listed.ts';
import { describeFate } from '../../telling/words/fates.ts';
import { LOOKED_THROUGH } from '../asked.ts';
import type { FoundEndpoint, FoundEndpoints } from '../desk.ts';

/** So many records are read at most, and so many of one runtime. On AWS each of them costs some reads. */
const MOST_READ = 200;
const MOST_OF_RUNTIME = 3;
const AT_ONCE = 10;
const MOST_SHOWN = 50;

/**
 * The endpoints whose name or id is a text, or begins with it, whatever their runtime: those in the plan of its newest
 * rollout that has one. The newest 1,000 rollouts are looked through. The service is not asked.
 */
export async function findEndpoints(
  text: string,
  ledger: Pick<Ledger, 'list' | 'read'>,
): Promise<FoundEndpoints> {
  const all = await ledger.list({ limit: LOOKED_THROUGH });
  const ofRuntimes = all.filter(({ runtimeId }) => groupNameOf(runtimeId) === null);
  const runtimes = [...Map.groupBy(ofRuntimes, ({ runtimeId }) => runtimeId).values()];
  const wanted = text.toLowerCase();
  const found: Match[] = [];
  const looked = { rollouts: 0, runtimes: 0 };
  const lookInto = async (rollouts: readonly RolloutSummary[]) => {
    const newest = rollouts.slice(0, MOST_OF_RUNTIME);
    looked.runtimes += 1;
    for (const { rolloutId } of newest) {
      if (looked.rollouts >= MOST_READ) return;
      looked.rollouts += 1;
      const record = await findRecord(rolloutId, ledger);
      // One that was refused has no plan, and knows no endpoint.
      if (record !== null && record.plan !== null)
        return void found.push(...matches(record, wanted));
    }
  };
  for (let from = 0; from < runtimes.length && looked.rollouts < MOST_READ; from += AT_ONCE) {
    await Promise.all(runtimes.slice(from, from + AT_ONCE).map(lookInto));
  }
  const endpoints = found
    .toSorted((one, other) => one.rank - other.rank || one.runtimeId.localeCompare(other.runtimeId))
    .slice(0, MOST_SHOWN)
    .map(({ rank: _, ...one }) => one);
  return { endpoints, found: found.length, ...looked };
}

interface Match extends FoundEndpoint {
  /** What is exactly this comes first, and of that what went worst. */
  readonly rank: number;
}

function matches(record: AskedRollout, wanted: string): readonly Match[] {
  const { endpoints = [], leftOut = [] } = record.plan ?? {};
  const names = new Map([...endpoints, ...leftOut].map((one) => [one.endpointId, one.name]));
  const textsOf = ({ endpointId }: { readonly endpointId: string }) =>
    [endpointId, names.get(endpointId) ?? endpointId].map((text) => text.toLowerCase());
  const own = listFates(record).filter((one) =>
    textsOf(one).some((text) => text.startsWith(wanted)),
  );
  if (own.length === 0) return [];
  const lives = listLives(record);
  const rollout = toListedRollout(toSummary(record));
  const to = describeWanted(record.request);
  return own.map(({ endpointId, name, fate, reason, statusReason }) => ({
    ...{ endpointId, name, rollout },
    rank: FATES.indexOf(fate) + (textsOf({ endpointId }).includes(wanted) ? 0 : FATES.length),
    runtimeId: record.request.runtimeId,
    fate: describeFate({ fate, reason, statusReason }, to),
    since: lives.get(endpointId)?.at(-1)?.at ?? null,
  }));
}
