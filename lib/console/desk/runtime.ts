import { OUTCOME_KINDS } from '../../domain/rollout/outcome.ts';
import type { AskedRollout, RolloutSummary } from '../../domain/rollout/record.ts';
import { nameOf } from '../../domain/sentences.ts';
import { toSummary } from '../../ledger/record.ts';
import type { Ledger } from '../../ports/ledger.ts';
import { findRecord } from '../../steps/io/record.ts';
import { versionsIn, versionsInTime } from '../../telling/story/versions.ts';
import { toListedRollout } from '../../telling/view/listed.ts';
import { LOOKED_THROUGH, type RuntimeQuery } from '../asked.ts';
import type { EndsOfVersion, RuntimeStory, VersionsOfEndpoint } from '../desk.ts';

/** How many of its newest rollouts are read whole. On AWS each of them costs some reads. */
const READ_WHOLE = 12;

/** What the ledger knows of one runtime or group. */
export async function tellRuntime(
  runtimeId: string,
  query: RuntimeQuery,
  ledger: Pick<Ledger, 'list' | 'read'>,
  now: number,
): Promise<RuntimeStory> {
  const all = await ledger.list({ runtimeId, limit: LOOKED_THROUGH });
  const newest = await Promise.all(
    all.slice(0, READ_WHOLE).map(({ rolloutId }) => findRecord(rolloutId, ledger)),
  );
  const records = newest.flatMap((record) => record ?? []);
  const versions = endsOfVersions(all);
  return {
    versions: versions.slice(0, query.versions),
    versionsFound: versions.length,
    newest: records.map((record) => ({
      ...toListedRollout(toSummary(record)),
      rollSeconds: record.outcome?.rollMs === undefined ? null : record.outcome.rollMs / 1000,
    })),
    endpoints: versionsOf(records, now),
  };
}

/** How the rollouts to each version have ended, the newest version first. */
function endsOfVersions(rollouts: readonly RolloutSummary[]): EndsOfVersion[] {
  const versions = Map.groupBy(rollouts, ({ desiredVersion }) => desiredVersion);
  return [...versions]
    .flatMap(([version, own]) => (version === null ? [] : [{ version, ...endsOf(own) }]))
    .toSorted((one, other) => other.version - one.version);
}

function endsOf(rollouts: readonly RolloutSummary[]): Omit<EndsOfVersion, 'version'> {
  const kinds = Map.groupBy(rollouts, ({ outcome }) => outcome?.outcome);
  const ends = OUTCOME_KINDS.map((kind) => [kind, kinds.get(kind)?.length ?? 0] as const);
  const failed = rollouts.find(({ outcome }) => {
    return outcome?.outcome === 'Failed' || outcome?.outcome === 'Errored';
  });
  return {
    ends: Object.fromEntries(ends.filter(([, count]) => count > 0)),
    lastFailure: failed?.outcome
      ? { rolloutId: failed.rolloutId, message: failed.outcome.message }
      : null,
  };
}

/** The versions of every endpoint after each of the rollouts, which are the newest first. */
function versionsOf(records: readonly AskedRollout[], now: number): readonly VersionsOfEndpoint[] {
  const inTime = versionsInTime(records, now);
  const rows = new Map<string, VersionsOfEndpoint & { after: (string | null)[] }>();
  records.forEach((record, index) => {
    const versions = new Map(versionsIn(record, now));
    for (const planned of record.plan?.endpoints ?? []) {
      const { endpointId, desiredVersion, previousVersion } = planned;
      const row = rows.get(endpointId) ?? {
        endpointId,
        name: nameOf(planned),
        after: records.map(() => null),
        inTime: inTime.get(endpointId) ?? [],
      };
      rows.set(endpointId, row);
      // The last one says that nobody knows what came after the rollout.
      const live = versions.get(endpointId)?.at(-2)?.live ?? 'not known';
      const before = previousVersion ?? 'not known';
      row.after[index] = live === 'moving' ? `${before} → ${desiredVersion}` : `${live}`;
    }
  });
  return [...rows.values()];
}
