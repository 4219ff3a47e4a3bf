import type { Endpoint, PlannedEndpoint } from '../../../../lib/domain/endpoint/endpoint.ts';
import type { RolloutPlan } from '../../../../lib/domain/rollout/plan.ts';
import type { Tolerance, WaveSize } from '../../../../lib/domain/rollout/policy.ts';
import type { AskedRollout } from '../../../../lib/domain/rollout/record.ts';
import { type Call, isList } from '../../../../lib/rehearsal/calls.ts';
import { hasConverged, isBad } from '../../../support/read-evidence.ts';
import type { ScenarioResult } from '../../../support/run-scenario.ts';
import { isOneOf } from '../name-patterns.ts';
import { isSteady, type Ordeal } from '../ordeal.ts';
import type { Observed } from '../to-script.ts';
import { isSelected } from './request.ts';

/** The waves have the sizes of the policy, and every endpoint of the list is either rolled or left out for a reason. */
export function planFollowsPolicy(ordeal: Ordeal, { record, calls }: ScenarioResult): string[] {
  const { policy, lists } = ordeal;
  const plan = record?.plan;
  if (plan == null) return [];
  const desiredVersion = record?.request.desiredVersion ?? 2;
  const started = record?.events.find(({ kind }) => kind === 'started')?.at ?? 0;
  const reads = calls
    .filter(isList)
    .filter((call) => call.endpoints !== null && call.at <= started);
  const read = reads.at(-1);
  // After a crash nobody knows on which read the plan was made.
  const isClear = isSteady(ordeal) && lists.length === 0;
  const placeOf = ({ id }: Endpoint) => {
    if (plan.endpoints.some(({ endpointId }) => endpointId === id)) return 'rolled';
    const reason = plan.leftOut.find(({ endpointId }) => endpointId === id)?.reason;
    // Whether it was pinned is for the judge of pins to say.
    return reason === 'pinned' ? 'rolled' : reason;
  };
  const expectedPlace = (endpoint: Endpoint) => {
    if (isOwn(ordeal, endpoint)) return 'moved-by-service';
    if (!isSelected(endpoint, policy.selection)) return 'not-selected';
    if (endpoint.status?.startsWith('STOPP')) return 'stopped';
    const hasFailed = isBad(endpoint);
    return hasConverged(endpoint, desiredVersion) && !hasFailed ? 'at-version' : 'rolled';
  };
  // The first roll has a list of its own, maybe at the same moment.
  const isAsShown = ({ id }: Endpoint) =>
    reads
      .filter(({ at }) => at === read?.at)
      .flatMap(({ endpoints }) => endpoints?.filter((one) => one.id === id) ?? [])
      .some((endpoint) => placeOf(endpoint) === expectedPlace(endpoint));
  return [
    ...wavesFollowPolicy(policy, plan),
    ...plan.endpoints
      .filter(({ endpointId: id, name }) => !isSelected({ id, name }, policy.selection))
      .map(({ name }) => `${name} is to be rolled, and nobody has selected it`),
    ...(read?.endpoints ?? [])
      .filter((endpoint) => isClear && !isAsShown(endpoint))
      .map(
        (endpoint) =>
          `${endpoint.name} is ${placeOf(endpoint)}, and not ${expectedPlace(endpoint)}`,
      ),
  ];
}

/** Each endpoint is in the plan as a list before the start shows it. */
export function planIsAsShown(ordeal: Ordeal, { record, calls, undone }: Observed): string[] {
  if (record === null || !isSteady(ordeal) || ordeal.policy.statuses !== undefined) return [];
  const isAsThere = (planned: PlannedEndpoint, row: Endpoint) =>
    row.liveVersion === planned.previousVersion &&
    row.targetVersion === planned.previousTarget &&
    (planned.attributes === undefined || planned.attributes.tier === row.attributes?.tier);
  const { plan } = record;
  return [
    ...unshownIn(record, calls, isAsThere),
    // Of what an undone rollout has just rolled, a list is not believed that shows it where it was.
    ...(undone?.run.record ? unshownIn(undone.run.record, undone.run.calls, () => true) : []),
    ...(plan === null || (plan.cannotStop === true) === ordeal.cannotStop
      ? []
      : ['it is wrong about whether its service can stop endpoints']),
  ];
}

function unshownIn(
  { plan, events }: Pick<AskedRollout, 'plan' | 'events'>,
  calls: readonly Call[],
  isAsThere: (planned: PlannedEndpoint, row: Endpoint) => boolean,
): string[] {
  const startedAt = events.find(({ kind }) => kind === 'started')?.at ?? 0;
  const reads = calls.filter(isList).filter(({ at }) => at <= startedAt);
  const isShown = (planned: PlannedEndpoint) =>
    reads.some(({ endpoints }) => {
      const row = endpoints?.find(({ id }) => id === planned.endpointId);
      return (
        row !== undefined &&
        isAsThere(planned, row) &&
        isBad(row) === planned.wrongBefore.includes('failed') &&
        (row.replicas === 0) === planned.wrongBefore.includes('dark')
      );
    });
  const unshown = plan?.endpoints.filter((one) => !isShown(one)) ?? [];
  return unshown.map(({ name }) => `${name} was never shown so`);
}

/** The waves take as many endpoints as the policy says, and so are its limits. */
export function wavesFollowPolicy(
  {
    waves,
    maxUnavailable,
    maxAtRisk,
    failureThreshold,
  }: Pick<Ordeal['policy'], 'waves' | 'maxUnavailable' | 'maxAtRisk' | 'failureThreshold'>,
  plan: RolloutPlan,
): string[] {
  const expected = wavesOf(plan.endpoints, waves).filter((wave) => wave.length > 0);
  const ends = expected.map((_, index) => expected.slice(0, index + 1).flat().length);
  const serving = plan.leftOut.filter(
    ({ reason }) => reason === 'at-version' || reason === 'pinned',
  ).length;
  const most = sizeOf(maxUnavailable, plan.endpoints.length + serving);
  const lost = mayBeLost(failureThreshold, plan.endpoints.length);
  const atRisk = maxAtRisk === undefined ? undefined : Math.max(maxAtRisk, lost + 1);
  return [
    ...(ends.join() === plan.waves.map(({ to }) => to).join()
      ? []
      : [`its waves end at ${plan.waves.map(({ to }) => to)}, and not at ${ends}`]),
    ...(plan.maxUnavailable === most ? [] : [`it allows ${plan.maxUnavailable}, and not ${most}`]),
    ...(plan.maxAtRisk === atRisk ? [] : [`it risks ${plan.maxAtRisk}, and not ${atRisk}`]),
  ];
}

export function takesThemInOrder({ policy }: Ordeal, { record }: ScenarioResult): string[] {
  return record?.plan == null ? [] : isInOrder(policy, record.plan);
}

/** Every wave has its endpoints in the order of their names. */
export function isInOrder(
  { waves }: Pick<Ordeal['policy'], 'waves'>,
  { endpoints }: RolloutPlan,
): string[] {
  const order = wavesOf(endpoints, waves).flat();
  return endpoints.every((one, place) => one === order[place])
    ? []
    : ['its endpoints are not in order'];
}

/** No bake time of the policy gets lost. */
export function bakesFollowPolicy({ policy }: Ordeal, { record }: ScenarioResult): string[] {
  const plan = record?.plan;
  if (plan == null) return [];
  const sizes = wavesOf(plan.endpoints, policy.waves).map(({ length }) => length);
  const bakes = policy.waves.map(({ bakeSeconds = policy.bakeSeconds }) => bakeSeconds);
  const starts = sizes.flatMap((size, index) => (size > 0 ? [index] : []));
  const expected = starts.map((start, nth) =>
    Math.max(...bakes.slice(nth === 0 ? 0 : start, starts[nth + 1])),
  );
  const planned = plan.waves.map(({ bakeSeconds }) => bakeSeconds);
  return planned.join() === expected.join()
    ? []
    : [`its waves bake for ${planned} s, and not for ${expected} s`];
}

/** The service moves it by itself. */
function isOwn({ cannotStop }: Pick<Ordeal, 'cannotStop'>, { name }: Pick<Endpoint, 'name'>) {
  return cannotStop && name === 'DEFAULT';
}

/** `web-2` comes before `web-10`. */
const { compare } = new Intl.Collator('en', { numeric: true });

/** Each wave takes what it names, or fills up to its size, from the endpoints that are left, in their order. */
function wavesOf(
  planned: readonly PlannedEndpoint[],
  waves: Ordeal['policy']['waves'],
): PlannedEndpoint[][] {
  const isUnknown = ({ attributes }: PlannedEndpoint) =>
    waves.some((wave) => 'where' in wave) && attributes?.tier === undefined;
  let left = planned.toSorted(
    (a, b) =>
      Number(isUnknown(a)) - Number(isUnknown(b)) ||
      compare(a.name ?? a.endpointId, b.name ?? b.endpointId) ||
      (a.endpointId < b.endpointId ? -1 : 1),
  );
  return waves.map((wave, index) => {
    const isLast = index === waves.length - 1;
    const isMeant = (one: PlannedEndpoint) => {
      const told = { id: one.endpointId, name: one.name, attributes: one.attributes ?? {} };
      if ('names' in wave) return isOneOf(told, wave.names);
      return isLast || (!isUnknown(one) && (!('where' in wave) || isOneOf(told, [wave])));
    };
    const all = 'where' in wave ? planned.filter(isMeant).length : planned.length;
    const size = 'endpoints' in wave || 'percent' in wave ? sizeOf(wave, all) : all;
    const done = ('where' in wave ? planned.filter(isMeant) : planned).filter(
      (one) => !left.includes(one),
    ).length;
    const meant = left.filter(isMeant);
    const taken = isLast || 'names' in wave ? meant : meant.slice(0, Math.max(0, size - done));
    left = left.filter((one) => !taken.includes(one));
    return taken;
  });
}

/** Rounded down, and at least one. */
function sizeOf(size: WaveSize, total: number): number {
  const wanted =
    'endpoints' in size ? size.endpoints : Math.floor((size.percent * total) / 100 + 1e-9);
  return Math.min(total, Math.max(1, wanted));
}

/** So many of a wave of this size may be lost. */
export function mayBeLost(tolerance: Tolerance, size: number): number {
  return 'endpoints' in tolerance
    ? tolerance.endpoints
    : Math.floor((tolerance.percent * size) / 100 + 1e-9);
}
