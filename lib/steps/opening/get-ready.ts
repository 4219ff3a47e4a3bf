import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { decideTakenBack } from '../../domain/ending/asked-to-end.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { refuseVersionStep, resolveVersion } from '../../domain/planning/version.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import type { Waiting } from '../../domain/rollout/waiting.ts';
import type { PolicyOf, StepPorts } from '../frame/ports.ts';
import { type ConfiguredRequest, configureRequest } from './asked-request.ts';
import { type OpeningRead, readToOpen } from './stable-list.ts';
import { type ReadyRollout, type Turn, takeTurn } from './take-turn.ts';

/** Finds out what a rollout has to know, and waits for what it has to wait for, before it may ask for the lease. */
export async function getReady(
  { request: asked, waiting, signals }: AskedRollout,
  input: RolloutInput,
  policyOf: PolicyOf,
  ports: StepPorts,
): Promise<ReadyRollout | Exclude<Turn, { next: 'open' }>> {
  const ending = decideTakenBack(signals);
  if (ending !== null) return { next: 'close', ending };
  const { url, abilities } = ports.service;
  const request = configureRequest(asked, input, policyOf, url);
  // This is known now, so nobody waits for a turn only to be refused.
  refuseBeyondAbilities(request, abilities);
  const version = await findVersion(request, waiting, ports);
  if ('turn' in version) return version.turn;
  const rollout = { request: { ...request, ...version }, waiting };
  const turn = await takeTurn(rollout, ports);
  return turn.next === 'open' ? rollout : turn;
}

/** The version that is taken from another endpoint is read once and then kept, even while the rollout waits. */
async function findVersion(
  request: ConfiguredRequest,
  waiting: Waiting | null,
  ports: StepPorts,
): Promise<{ readonly desiredVersion: number } | Extract<OpeningRead, { turn: object }>> {
  const { versionFrom = '', policy } = request;
  if (isInReach(request, waiting)) return { desiredVersion: request.desiredVersion };
  const read = await readToOpen(request, { waiting }, ports);
  if ('turn' in read) return read;
  const { endpoints } = read;
  const desiredVersion =
    request.desiredVersion ?? resolveVersion(endpoints, versionFrom, policy.statuses);
  // This is checked now and not with the plan, because nobody may give way to a request for such a version.
  refuseVersionStep(endpoints, desiredVersion, policy);
  return { desiredVersion };
}

/**
 * Whether the list need not be read for the check: the version is so low that it always passes, or it was checked
 * before.
 */
function isInReach(
  request: ConfiguredRequest,
  waiting: Waiting | null,
): request is ConfiguredRequest & { readonly desiredVersion: number } {
  const { desiredVersion, policy } = request;
  if (desiredVersion === null) return false;
  const wasRead = waiting?.for === 'window' || waiting?.for === 'turn';
  return wasRead || desiredVersion <= policy.maxVersionStep;
}
