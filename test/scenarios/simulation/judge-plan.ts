import type { Endpoint } from '../../../lib/domain/endpoint/endpoint.ts';
import type { WaveSize } from '../../../lib/domain/rollout/policy.ts';
import { isList } from '../../../lib/rehearsal/calls.ts';
import { hasConverged } from '../../support/read-evidence.ts';
import type { ScenarioResult } from '../../support/run-scenario.ts';
import type { Ordeal } from './ordeal.ts';

/** The waves have the sizes of the policy, and every endpoint of the list is either rolled or left out for a reason. */
export function planFollowsPolicy(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  const { policy, death, stall, clock, lists } = ordeal;
  const plan = record?.plan;
  if (plan == null) return [];
  const total = plan.endpoints.length;
  const reached = policy.waves.map((wave, index) =>
    'names' in wave || index === policy.waves.length - 1 ? total : sizeOf(wave, total),
  );
  const ends = [...new Set(reached.map((to, index) => Math.max(to, ...reached.slice(0, index))))];
  const isSized = total === 0 || ends.join() === plan.waves.map(({ to }) => to).join();
  const atVersion = plan.leftOut.filter(({ reason }) => reason === 'at-version').length;
  const most = sizeOf(policy.maxUnavailable, total + atVersion);
  const names = plan.endpoints.map(({ name }) => name ?? '');
  const started = record?.events.find(({ kind }) => kind === 'started')?.at ?? 0;
  const read = calls
    .filter(isList)
    .findLast((call) => call.endpoints !== null && call.at <= started);
  // After a crash nobody knows on which read the plan was made.
  const isClear = [death, stall, clock].every((one) => one === null) && lists.length === 0;
  const placeOf = ({ id }: Endpoint) => {
    if (plan.endpoints.some(({ endpointId }) => endpointId === id)) return 'rolled';
    return plan.leftOut.find(({ endpointId }) => endpointId === id)?.reason;
  };
  return [
    ...(isSized ? [] : [`its waves end at ${plan.waves.map(({ to }) => to)}, and not at ${ends}`]),
    ...(plan.maxUnavailable === most ? [] : [`it allows ${plan.maxUnavailable}, and not ${most}`]),
    ...(names.join() === names.toSorted().join() ? [] : ['its endpoints are not in order']),
    ...(read?.endpoints ?? [])
      .filter((endpoint) => placeOf(endpoint) !== expectedPlace(endpoint))
      .filter(() => isClear)
      .map(
        (endpoint) =>
          `${endpoint.name} is ${placeOf(endpoint)}, and not ${expectedPlace(endpoint)}`,
      ),
  ];
}

/** Rounded down, and at least one. */
function sizeOf(size: WaveSize, total: number): number {
  const wanted =
    'endpoints' in size ? size.endpoints : Math.floor((size.percent * total) / 100 + 1e-9);
  return Math.min(total, Math.max(1, wanted));
}

function expectedPlace(endpoint: Endpoint): string {
  const { status } = endpoint;
  if (status?.startsWith('STOPP')) return 'stopped';
  const isBad = status?.endsWith('FAILED') === true;
  return hasConverged(endpoint, 2) && !isBad ? 'at-version' : 'rolled';
}
