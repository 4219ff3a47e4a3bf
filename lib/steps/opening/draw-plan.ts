import { fingerprintOf } from '../../contract/flow/fingerprint.ts';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import type { Instant } from '../../domain/clock.ts';
import { withoutDoubted, wordsShownBy } from '../../domain/endpoint/status-words.ts';
import type { Hold } from '../../domain/holds/hold.ts';
import { NO_PINS, type Pins } from '../../domain/holds/pins.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import type { DrawnPlan } from '../../domain/planning/drawn-plan.ts';
import { unknownVersion } from '../../domain/planning/find-version.ts';
import { asListed, type Reverted, versionBefore } from '../../domain/planning/plan-revert.ts';
import { planUndo } from '../../domain/planning/undo.ts';
import { resolveVersion } from '../../domain/planning/version.ts';
import type { RolloutPolicy } from '../../domain/rollout/policy.ts';
import type { EndpointService } from '../../ports/endpoint-service.ts';
import { readStableList } from './list.ts';
import { matchesOf } from './matches.ts';
import { planForward, type Trial } from './plan.ts';
import { lookUpVersion, settledOn, takeVersion } from './version.ts';

/**
 * Reads the list and makes a plan. It changes nothing.
 *
 * @param quarantines Those of the runtime that a start would heed. @default - there are none
 * @param pins Those that it would heed. @default - there are none
 * @param trial @default - gates are not tried
 * @param readDoubted As `doubtedWords` answers. @default - there are none
 * @throws also `VersionUnknown` and `VersionsUnsupported`.
 */
export async function drawPlan(
  { runtimeId, version, versionFrom }: RolloutInput,
  policy: RolloutPolicy,
  service: EndpointService,
  quarantines: readonly Hold[] = [],
  pins: Pins = NO_PINS,
  trial: Trial | null = null,
  readDoubted: () => Promise<readonly string[]> = async () => [],
): Promise<DrawnPlan> {
  refuseBeyondAbilities(version ?? null, policy, service.abilities);
  const picked =
    version === undefined ? null : await lookUpVersion(runtimeId, version, service, quarantines);
  const found = picked?.found;
  if (found?.state === 'none') throw unknownVersion(found);
  const endpoints = await readStableList(service, runtimeId);
  const from = () => resolveVersion(endpoints, versionFrom?.endpoint ?? '', policy.statuses);
  const settled =
    found === undefined
      ? await takeVersion(runtimeId, from(), service, quarantines)
      : settledOn(found.version, picked?.passedOver);
  const asked = { runtimeId, ...settled, policy };
  const drawn = await planForward(asked, endpoints, pins, service, trial);
  const fingerprint = fingerprintOf(drawn.plan, policy);
  const isBeingMade = found?.state === 'making';
  const matches = matchesOf(policy, endpoints);
  const { restingWords } = drawn.plan;
  const known = restingWords === undefined ? [] : withoutDoubted(restingWords, await readDoubted());
  const words = wordsShownBy(endpoints, policy.statuses, known);
  const of = { endpointUrl: service.url, ...asked, isBeingMade };
  return { ...of, ...drawn, matches, words, fingerprint };
}

/** Does the same for a rollout that undoes another one. @param policy As `revertingPolicy` says. */
export async function drawRevert(
  reverted: Reverted,
  policy: RolloutPolicy,
  service: EndpointService,
  now: Instant,
): Promise<DrawnPlan> {
  const { rolloutId: revert, runtimeId } = reverted.request;
  const endpoints = await readStableList(service, runtimeId);
  const plan = planUndo(reverted, asListed(endpoints, policy, service.abilities, now));
  const fingerprint = fingerprintOf(plan, policy);
  const desiredVersion = versionBefore(reverted);
  const of = { endpointUrl: service.url, runtimeId, desiredVersion, revert };
  const nothing = { isBeingMade: false, unanswerable: [], matches: [], words: [] };
  return { ...of, ...nothing, policy, plan, fingerprint };
}
