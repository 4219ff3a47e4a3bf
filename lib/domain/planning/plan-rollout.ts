import { restingStatusOf } from '../containment/serving.ts';
import type { ServiceAbilities } from '../endpoint/abilities.ts';
import { fits } from '../endpoint/attributes.ts';
import {
  asSaid,
  type Endpoint,
  faultOfId,
  isConverged,
  isStopped,
  listNames,
  type PlannedEndpoint,
  SAID,
  troublesOf,
} from '../endpoint/endpoint.ts';
import { restingWordsOf } from '../endpoint/status-words.ts';
import { ErrorName, SteprollError } from '../errors.ts';
import type { Hold } from '../holds/hold.ts';
import { NO_PINS, type Pins } from '../holds/pins.ts';
import {
  LEFT_OUT_WORDS,
  type LeftOutEndpoint,
  type LeftOutReason,
  type RolloutPlan,
} from '../rollout/plan.ts';
import type { RolloutPolicy, Wave } from '../rollout/policy.ts';
import { type RolloutRequest, versionFor } from '../rollout/request.ts';
import { nameOf } from '../sentences.ts';
import { allowanceOf } from '../wave/tolerated-losses.ts';
import { refuseBeyondAbilities } from './abilities.ts';
import { adviceToCreate } from './create-one.ts';
import { keptAttributes } from './named-attributes.ts';
import { describeMatches, findMatches, patternsOf } from './patterns.ts';
import { adviceToUnpin, listPinned } from './pinned.ts';
import { fitsSelection, isSelected, matchesName } from './selection.ts';
import { faultOfDowngrade, refuseVersionStep } from './version.ts';
import { describeSize, endpointsOf, splitWaves } from './waves.ts';

/**
 * Decides which endpoints are rolled, in which order and in which waves. It leaves out endpoints outside the
 * selection, stopped endpoints, endpoints that have converged on the desired version already, endpoints that the
 * service moves by itself, and those that are pinned.
 *
 * @param wanted The version of all of them, or that of each. Of a runtime in a group it may be that all are pinned.
 * @param pins Those that the rollout heeds. @default - there are none
 * @throws `EmptyScope` when there is no endpoint that a rollout may touch; `InvalidEndpointId` when one of them has
 *   an id that cannot be used in a URL; `DowngradeRefused` when one has a higher version and the policy does not
 *   allow that; `AttributeUnknown` when no endpoint has an attribute that waves ask for; `WavePinned` when a pin leaves nothing of a wave that is named; `VersionStepRefused` when the version is too far above what is live; `StopUnsupported` and
 *   `InvalidInput` for what the service cannot do.
 */
export function planRollout(
  endpoints: readonly Endpoint[],
  wanted: Pick<RolloutRequest, 'runtimeId' | 'desiredVersion' | 'versions' | 'parent'>,
  policy: RolloutPolicy,
  abilities: ServiceAbilities,
  pins: Pins = NO_PINS,
): RolloutPlan {
  const { desiredVersion } = wanted;
  refuseBeyondAbilities(desiredVersion, policy, abilities);
  const work: Endpoint[] = [];
  const leftOut: LeftOutEndpoint[] = [];
  for (const endpoint of sortByName(endpoints, ({ id }) => id)) {
    const reason = reasonToLeaveOut(endpoint, versionFor(wanted, endpoint.id), policy, abilities);
    const pin = pins.get(endpoint.id);
    if (reason !== undefined) leftOut.push({ ...identityOf(endpoint), reason });
    else if (pin !== undefined) leftOut.push(pinned(endpoint, pin));
    else work.push(endpoint);
  }
  // A pin never makes a group fail: of a runtime that it has begun with, nothing is left to do.
  const isEnough = ({ reason }: LeftOutEndpoint) =>
    reason === 'at-version' || (reason === 'pinned' && wanted.parent !== undefined);
  if (work.length === 0 && !leftOut.some(isEnough))
    throw emptyScope(wanted.runtimeId, { leftOut, endpoints, policy });
  refuseIds(work);
  refuseUnknownRings(
    work,
    endpoints.filter((one) => !isMovedByService(one, abilities)),
    policy,
  );
  refusePinnedWave(work, leftOut, endpoints, policy);
  refuseVersionStep(endpoints, desiredVersion, policy);
  const downgrade = faultOfDowngrade(work, desiredVersion);
  if (downgrade !== undefined && !policy.allowDowngrade) {
    throw new SteprollError(ErrorName.DowngradeRefused, downgrade);
  }
  const keep = keptAttributes(policy);
  const planned = work.map((endpoint) => ({
    ...planEndpoint(endpoint, versionFor(wanted, endpoint.id), policy),
    ...keep(endpoint),
  }));
  return layOut({ planned, leftOut }, endpoints, policy, abilities);
}

export interface Sorted {
  readonly planned: readonly PlannedEndpoint[];
  readonly leftOut: readonly LeftOutEndpoint[];
}

/** A plan forward of these endpoints, in the order of their names. @param endpoints The whole list it was made from. */
export function layOut(
  { planned, leftOut }: Sorted,
  endpoints: readonly Endpoint[],
  policy: RolloutPolicy,
  abilities: ServiceAbilities,
): RolloutPlan {
  const serving = leftOut.filter(({ reason }) => reason === 'at-version' || reason === 'pinned');
  const restingStatus = restingStatusOf(
    endpoints.filter((endpoint) => !isMovedByService(endpoint, abilities)),
    policy.statuses,
  );
  const restingWords = restingWordsOf(endpoints, policy.statuses);
  const allowance = allowanceOf(policy.failureThreshold, planned.length);
  return {
    direction: 'forward',
    ...splitWaves(planned, policy),
    leftOut,
    maxUnavailable: endpointsOf(policy.maxUnavailable, planned.length + serving.length),
    ...(policy.maxAtRisk !== undefined && {
      maxAtRisk: Math.max(policy.maxAtRisk, allowance + 1),
    }),
    ...(restingStatus !== undefined && { restingStatus }),
    ...(restingWords.length > 0 && { restingWords }),
    ...(!abilities.stops && { cannotStop: true as const }),
    ...(abilities.sessions && { sessions: abilities.sessions }),
  };
}

/**
 * A list that does not say any more what rings are made of would put everything into the last wave, and no person looks at
 * the plan of a rollout that a schedule starts.
 */
function refuseUnknownRings(
  work: readonly Endpoint[],
  endpoints: readonly Endpoint[],
  { waves, selection }: RolloutPolicy,
): void {
  if (work.length <= 1) return;
  const selected = endpoints.filter((one) => isSelected(one, selection)).map(asSaid);
  const named = waves.flatMap((wave) => ('where' in wave ? Object.keys(wave.where) : []));
  const unknown = [...new Set(named)].filter((name) => {
    return selected.every(({ attributes = {} }) => !Object.hasOwn(attributes, name));
  });
  if (unknown.length === 0) return;
  const names = unknown.map((name) => JSON.stringify(name)).join(', ');
  throw new SteprollError(
    ErrorName.AttributeUnknown,
    `None of the ${selected.length} endpoints has the attribute ${names}, which waves of the policy ask for: all of them would be rolled in the last wave.`,
  );
}

/**
 * Pins do not end, so a ring or a canary that is named would be missing in every rollout from then on, and what comes after
 * it would be rolled untried.
 */
function refusePinnedWave(
  work: readonly Endpoint[],
  leftOut: readonly LeftOutEndpoint[],
  endpoints: readonly Endpoint[],
  { waves }: RolloutPolicy,
): void {
  const thoseOf = (reason: LeftOutReason) =>
    endpoints.filter(({ id }) =>
      leftOut.some((one) => one.endpointId === id && one.reason === reason),
    );
  const [pinned, there] = [thoseOf('pinned'), [...work, ...thoseOf('at-version')]];
  if (work.length === 0 || pinned.length === 0) return;
  for (const [index, wave] of waves.slice(0, -1).entries()) {
    const held = pinned.filter((one) => isMeantBy(wave, one));
    if (held.length === 0 || there.some((one) => isMeantBy(wave, one))) continue;
    const those = leftOut.filter(({ endpointId }) => held.some(({ id }) => id === endpointId));
    throw new SteprollError(
      ErrorName.WavePinned,
      `All of wave ${index + 1} of the policy (${describeSize(wave)}) is pinned, so what comes after it would be rolled untried: ${listPinned(those)}.${adviceToUnpin(those)}`,
    );
  }
}

/** Whether a wave names it, or its ring. */
function isMeantBy(wave: Wave, endpoint: Endpoint): boolean {
  const { name, attributes = {} } = asSaid(endpoint);
  if ('names' in wave) return matchesName({ id: endpoint.id, name }, wave.names);
  return 'where' in wave && fits({ attributes }, wave.where) === 'yes';
}

/** Before the first write: an id that cannot stand in a path must not show up in the middle of a wave. */
function refuseIds(endpoints: readonly Endpoint[]): void {
  const faults = endpoints.flatMap(({ id }) => {
    const fault = faultOfId(id);
    return fault === null ? [] : [`${JSON.stringify(id)}: ${fault}`];
  });
  if (faults.length === 0) return;
  throw new SteprollError(
    ErrorName.InvalidEndpointId,
    `Endpoints whose ids cannot stand in a path: ${faults.slice(0, 5).join('; ')}.`,
  );
}

function reasonToLeaveOut(
  endpoint: Endpoint,
  desiredVersion: number,
  { selection, statuses }: RolloutPolicy,
  abilities: ServiceAbilities,
): LeftOutReason | undefined {
  if (isMovedByService(endpoint, abilities)) return 'moved-by-service';
  const fit = fitsSelection(endpoint, selection);
  if (fit !== 'yes') return fit === 'no' ? 'not-selected' : 'attribute-unknown';
  if (isStopped(endpoint, statuses)) return 'stopped';
  return isConverged(endpoint, desiredVersion, statuses) ? 'at-version' : undefined;
}

function pinned(endpoint: Endpoint, { id, by, reason }: Hold): LeftOutEndpoint {
  return { ...identityOf(endpoint), reason: 'pinned', pin: { id, by, reason } };
}

/** The service says which endpoints these are by their names. */
export function isMovedByService(
  endpoint: Endpoint,
  { movedByService }: ServiceAbilities,
): boolean {
  const { name } = asSaid(endpoint);
  return name !== null && movedByService.includes(name);
}

export function identityOf({
  id: endpointId,
  name,
  sharesName,
}: Endpoint): Pick<PlannedEndpoint, 'endpointId' | 'name' | 'sharesName'> {
  return { endpointId, name, ...(sharesName && { sharesName }) };
}

function planEndpoint(
  endpoint: Endpoint,
  desiredVersion: number,
  policy: RolloutPolicy,
): PlannedEndpoint {
  return {
    ...identityOf(endpoint),
    desiredVersion,
    previousVersion: endpoint.liveVersion,
    previousTarget: endpoint.targetVersion,
    wrongBefore: troublesOf(endpoint, policy.statuses),
    ...(endpoint[SAID] && { [SAID]: endpoint[SAID] }),
  };
}

/** Puts `web-2` before `web-10`. Equal names are ordered by id, so the order is always the same. */
export function sortByName<T extends { readonly name: string | null }>(
  endpoints: readonly T[],
  idOf: (endpoint: T) => string,
): T[] {
  // The collator is made here and not at the top, where it would cost 5 ms in every function that imports this file.
  const { compare } = new Intl.Collator('en', { numeric: true });
  const compareIds = (one: string, other: string) => (one < other ? -1 : 1);
  return endpoints.toSorted((one, other) => {
    const ids = [idOf(one), idOf(other)] as const;
    return compare(one.name ?? ids[0], other.name ?? ids[1]) || compareIds(...ids);
  });
}

interface Unrollable {
  readonly leftOut: readonly LeftOutEndpoint[];
  readonly endpoints: readonly Endpoint[];
  readonly policy: RolloutPolicy;
}

function emptyScope(runtimeId: string, { leftOut, endpoints, policy }: Unrollable): SteprollError {
  const stopped = leftOut.filter(({ reason }) => reason === 'stopped').length;
  const byService = leftOut.filter(({ reason }) => reason === 'moved-by-service');
  const unknown = leftOut.filter(({ reason }) => reason === 'attribute-unknown').length;
  const held = leftOut.filter(({ reason }) => reason === 'pinned');
  const others = leftOut.length - stopped - byService.length - unknown - held.length;
  const names = listNames(byService.map(nameOf));
  const parts = [
    ...(byService.length > 0 ? [`${byService.length} moved by the service itself (${names})`] : []),
    ...(stopped > 0 ? [`${stopped} stopped`] : []),
    ...(others > 0 ? [`${others} not selected`] : []),
    ...(unknown > 0 ? [`${unknown} ${LEFT_OUT_WORDS['attribute-unknown']}`] : []),
    ...(held.length > 0 ? [`${held.length} pinned (${listPinned(held)})`] : []),
  ];
  const message =
    parts.length === 0
      ? 'The runtime has no endpoints.'
      : `The runtime has no endpoint to roll: ${parts.join(', ')}.${unmatched(endpoints, policy)}`;
  const advice =
    stopped === leftOut.length ? adviceToCreate('one', runtimeId) : adviceToUnpin(held);
  return new SteprollError(ErrorName.EmptyScope, `${message}${advice}`);
}

const MOST_UNMATCHED = 3;

/** A selection that chooses nobody may be mistyped. */
function unmatched(endpoints: readonly Endpoint[], policy: RolloutPolicy): string {
  const selection = { ...policy.selection, exclude: [] };
  const selecting = patternsOf({ protect: [], selection, waves: [] });
  return findMatches(selecting, endpoints)
    .filter((one) => one.endpoints.length === 0)
    .slice(0, MOST_UNMATCHED)
    .map((one) => ` ${one.place}: ${describeMatches(one, 'endpoint')}.`)
    .join('');
}
