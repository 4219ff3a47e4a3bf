import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isList } from '../../../../lib/rehearsal/calls.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/** What the endpoints of a list may be blamed for, whatever a gate says. */
const OF_ENDPOINTS: ReadonlySet<string> = new Set(['Stalled', 'LiveRegressed', 'RollNotStarted']);

/** Who fails because of its endpoints has seen something against one of them in the last list before. */
export function silenceSendsNothing(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { record, calls } = run;
  const failing = record?.events.find((event) => event.kind === 'failing');
  if (failing?.kind !== 'failing' || !OF_ENDPOINTS.has(failing.reason)) return [];
  if (record?.plan == null || !isSteady(ordeal) || ordeal.wire !== null) return [];
  const { plan } = record;
  // Where calls take no time, lists for stops come in the same moment.
  const reads = calls.filter(isList).filter(({ at, endpoints }) => at <= failing.at && endpoints);
  const last = reads.filter(({ at }) => at === reads.at(-1)?.at);
  const waves = record.events.filter(({ kind }) => kind === 'wave-started').length;
  const begun = plan.endpoints.slice(0, plan.waves[waves - 1]?.to);
  const isAgainst = last.some(({ endpoints }) => {
    const rows = new Map(endpoints?.map((one) => [one.id, one]));
    return begun.some(({ endpointId }) => speaksAgainst(rows.get(endpointId)));
  });
  // A status that nobody knows is no silence, whatever the versions are.
  const isOdd = record.progress?.observations.some((one) => one?.unknownStatus !== undefined);
  return isAgainst || isOdd || last.length === 0
    ? []
    : [`it failed with ${failing.reason}, and the last list said nothing against any endpoint`];
}

/** It is gone, has no replicas or another status than that of what serves, or it is elsewhere. */
function speaksAgainst(row: Endpoint | undefined): boolean {
  if (row === undefined || row.replicas === 0 || row.status !== 'ACTIVE') return true;
  return [row.targetVersion, row.liveVersion].some((one) => one !== null && one !== 2);
}
