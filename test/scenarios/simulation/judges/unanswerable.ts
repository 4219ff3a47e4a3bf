import type { Endpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import { isList } from '../../../../lib/rehearsal/calls.ts';
import { gatesIn } from '../../../support/gates-in.ts';
import { hasConverged, isAtStop, isBad } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';

/** A probe that nobody can ever answer is refused with the list that the plan is made from, and no other is. */
export function unanswerableIsRefused(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { policy, lists } = ordeal;
  const { calls, record, outcome } = run;
  const { probe } = gatesIn(policy);
  // After a crash nobody knows on which read the plan was made.
  if (probe === null || !isSteady(ordeal) || lists.length > 0) return [];
  const begunAt = record?.events.find(({ kind }) => kind === 'started')?.at;
  const read = calls
    .filter(isList)
    .findLast(({ at, endpoints }) => endpoints !== null && at <= (begunAt ?? at));
  if (read?.endpoints == null) return [];
  const isRefused = outcome.reason === 'GateUnanswerable';
  const planned = new Set(record?.plan?.endpoints.map(({ endpointId }) => endpointId));
  const asked = read.endpoints.filter(({ id }) => isRefused || planned.has(id));
  if (asked.length === 0) return [];
  const isUnanswerable = asked.some(isElsewhere(probe.hosts)) || showsNoUrl(read.endpoints);
  if (isRefused === isUnanswerable) return [];
  return [isRefused ? outcome.message : 'nobody can answer its probes, and it began'];
}

/** Where every endpoint is on the version, nobody is probed, so no probe can be in the way. */
export function nothingToDoIsNotRefused(ordeal: Ordeal, run: ScenarioResult): string[] {
  const { lists, policy } = ordeal;
  const { calls, record, outcome } = run;
  const { alarms, metrics } = gatesIn(policy);
  const isProbeAlone = alarms.length + metrics.length === 0;
  if (outcome.reason !== 'GateUnanswerable' || !isProbeAlone) return [];
  if (!isSteady(ordeal) || lists.length > 0) return [];
  const version = record?.request.desiredVersion;
  const shown = calls.findLast(isList)?.endpoints ?? [];
  const isThere = (one: Endpoint) => hasConverged(one, version ?? 0) && !isBad(one);
  return shown.length > 0 && shown.every(isThere)
    ? [`all of them are on version ${version}, and: ${outcome.message}`]
    : [];
}

function isElsewhere(hosts: readonly string[]): (endpoint: Endpoint) => boolean {
  const names = hosts.map((host) => host.replaceAll('.', '\\.').replaceAll('*', '[^.]*'));
  const allowed = new RegExp(`^(${names.join('|')})$`);
  return ({ url }) => Boolean(url) && !allowed.test(new URL(url ?? '').hostname);
}

/** What serves would have a URL. */
function showsNoUrl(endpoints: readonly Endpoint[]): boolean {
  const mayServe = (one: Endpoint) => one.replicas !== 0 && !isBad(one) && !isAtStop(one);
  return endpoints.every(({ url }) => !url) && endpoints.some(mayServe);
}
