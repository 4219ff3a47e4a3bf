import type { PlannedEndpoint } from '../../domain/endpoint/endpoint.ts';
import { type AskedRollout, wasOpened } from '../../domain/rollout/record.ts';
import { versionFor } from '../../domain/rollout/request.ts';
import { type LifeMoment, listLives } from './lives.ts';

/** From this time on this was live on an endpoint, until the next one of its list. */
export interface VersionSince {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The version. `moving`: it was on its way to another one. `null`: from here on nobody knows. */
  readonly live: number | 'moving' | 'stopped' | null;
}

/**
 * What was live on each endpoint over time, by its id: what the rollouts say that had it in their plans. Between two
 * rollouts a version is known only if the later one has found what the earlier one has left.
 *
 * @param records The rollouts of a runtime, the newest first.
 * @param now Milliseconds since the Unix epoch: so much is known of a rollout that is under way.
 */
export function versionsInTime(
  records: readonly AskedRollout[],
  now: number,
): Map<string, readonly VersionSince[]> {
  const known = new Map<string, VersionSince[]>();
  for (const record of records.toReversed()) {
    for (const [endpointId, told] of versionsIn(record, now)) {
      const own = known.get(endpointId) ?? [];
      known.set(endpointId, own);
      for (const said of told) add(own, said);
    }
  }
  return known;
}

function add(known: VersionSince[], said: VersionSince): void {
  const last = known.at(-1);
  // What it was left with is what it is found with: so it was all the time between.
  if (last?.live === null && known.at(-2)?.live === said.live) known.pop();
  else if (last?.live !== said.live) known.push(said);
}

/** What one rollout knows of each endpoint that it rolls or finds at its version, until it ends. */
export function* versionsIn(
  record: AskedRollout,
  now: number,
): Generator<readonly [string, readonly VersionSince[]]> {
  if (!wasOpened(record)) return;
  const { request, plan, startedAt } = record;
  const nobodyKnows = { at: record.endedAt ?? now, live: null };
  const lives = listLives(record);
  for (const { endpointId, reason } of plan?.leftOut ?? []) {
    // Only the rollout that a revert undoes knows which version an endpoint was back on.
    if (reason !== 'at-version' || request.revert !== undefined) continue;
    yield [endpointId, [{ at: startedAt, live: versionFor(request, endpointId) }, nobodyKnows]];
  }
  for (const planned of plan?.endpoints ?? []) {
    const { endpointId, previousVersion } = planned;
    const moments = lives.get(endpointId) ?? [];
    const changes = moments.map(({ kind, at }) => ({ at, live: liveAfter(kind, planned) }));
    const told = changes.filter((one): one is VersionSince => one.live !== undefined);
    yield [endpointId, [{ at: startedAt, live: previousVersion }, ...told, nobodyKnows]];
  }
}

/** `undefined`: this changes nothing of what is known. */
function liveAfter(
  kind: LifeMoment['kind'],
  { desiredVersion, previousVersion }: PlannedEndpoint,
): VersionSince['live'] | undefined {
  const after: Readonly<Record<LifeMoment['kind'], VersionSince['live'] | undefined>> = {
    requested: 'moving',
    progressing: 'moving',
    'back-requested': 'moving',
    converged: desiredVersion,
    back: previousVersion,
    stopped: 'stopped',
    failed: null,
    missing: null,
    reverted: null,
    'taken-back': null,
    superseded: null,
    refused: undefined,
  };
  return after[kind];
}
