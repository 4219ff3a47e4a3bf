import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { refuseBeyondAbilities } from '../../domain/planning/abilities.ts';
import { decideVersion } from '../../domain/planning/find-version.ts';
import { versionBefore } from '../../domain/planning/plan-revert.ts';
import { refuseVersionStep, resolveVersion } from '../../domain/planning/version.ts';
import { groupNameOf } from '../../domain/rollout/group.ts';
import type { AskedRollout } from '../../domain/rollout/record.ts';
import {
  type AskedRequest,
  askedVersionOf,
  type RolloutRequest,
} from '../../domain/rollout/request.ts';
import { type Waiting, waitedBy } from '../../domain/rollout/waiting.ts';
import { decideTakenBack } from '../../domain/signals/signals.ts';
import type { PolicyOf, StepPorts } from '../frame/ports.ts';
import { type ConfiguredRequest, configureRequest } from './asked-request.ts';
import { lookUpVersion } from './look-up-version.ts';
import { readReverted } from './plan-on.ts';
import { type OrTurn, readPatiently, readToOpen } from './stable-list.ts';
import { type ReadyRollout, type Turn, takeTurn } from './take-turn.ts';
import { waitToOpen } from './wait-to-open.ts';

/** A rollout whose version may not be known yet. */
interface ConfiguredRollout {
  readonly request: ConfiguredRequest;
  readonly waiting: Waiting | null;
}

/** Finds out what a rollout has to know, and waits for what it has to wait for, before it may ask for the lease. */
export async function getReady(
  { request: asked, waiting, signals }: AskedRollout,
  input: RolloutInput,
  policyOf: PolicyOf,
  ports: StepPorts,
  settleGroup: (asked: AskedRequest) => Promise<Settled>,
): Promise<ReadyRollout | Exclude<Turn, { next: 'open' }>> {
  const ending = decideTakenBack(signals);
  if (ending !== null) return { next: 'close', ending };
  const { url, abilities } = ports.service;
  const request = configureRequest(asked, input, policyOf, url);
  // This is known now, so nobody waits for a turn only to be refused.
  const isGroup = groupNameOf(request.runtimeId) !== null;
  // Of a group, nobody knows yet what is asked of each runtime.
  const asks = isGroup ? request.desiredVersion : askedVersionOf(request);
  refuseBeyondAbilities({ ...request, version: asks }, abilities);
  const version =
    isGroup && request.revert === undefined
      ? await settleOfGroup({ request, waiting }, ports, settleGroup)
      : await settleVersion({ request, waiting }, ports);
  if ('turn' in version) return version.turn;
  const { versions: _, ...known } = request;
  const rollout = { request: { ...known, ...version }, waiting };
  const turn = await takeTurn(rollout, ports);
  return turn.next === 'open' ? rollout : turn;
}

/** The version of a rollout, or of each runtime of a group. */
export type Settled = Pick<RolloutRequest, 'desiredVersion' | 'versions'>;

/** Each runtime of a group may have a version of its own. */
async function settleOfGroup(
  rollout: ConfiguredRollout,
  ports: StepPorts,
  settle: (asked: AskedRequest) => Promise<Settled>,
): Promise<OrTurn<Settled>> {
  const settled = await readPatiently('versions', () => settle(rollout.request), rollout, ports);
  return 'turn' in settled ? settled : settled.read;
}

/** The version that is not known when a rollout is asked for is found once and then kept, even while it waits. */
async function settleVersion(
  rollout: ConfiguredRollout,
  ports: StepPorts,
): Promise<OrTurn<{ readonly desiredVersion: number }>> {
  const { request, waiting } = rollout;
  const { versionFrom, revert, policy } = request;
  if (revert !== undefined) {
    const { service, ledger } = ports;
    const reverted = await readReverted({ ...request, revert }, service.url, ledger);
    return { desiredVersion: versionBefore(reverted) };
  }
  const wasSettled = waiting?.for === 'window' || waiting?.for === 'turn';
  if (wasSettled && request.desiredVersion !== null) {
    return { desiredVersion: request.desiredVersion };
  }
  const listed = await awaitVersion(rollout, ports);
  if ('turn' in listed) return listed;
  const known = listed.version;
  // Such a low version passes the check whatever the list says.
  if (known !== null && known <= policy.maxVersionStep) return { desiredVersion: known };
  const list = await readToOpen(rollout, ports);
  if ('turn' in list) return list;
  const desiredVersion = known ?? resolveVersion(list.read, versionFrom ?? '', policy.statuses);
  // This is checked now and not with the plan, because nobody may give way to a request for such a version.
  refuseVersionStep(list.read, desiredVersion, policy);
  return { desiredVersion };
}

/**
 * Looks the version up in the list of versions, and waits until it is made. `null`: it is taken from an endpoint, so
 * it exists.
 *
 * @throws `VersionUnknown`, `VersionsUnsupported`, and errors of the list that waiting does not mend.
 */
async function awaitVersion(
  rollout: ConfiguredRollout,
  ports: StepPorts,
): Promise<OrTurn<{ readonly version: number | null }>> {
  const { runtimeId, policy } = rollout.request;
  const asked = askedVersionOf(rollout.request);
  if (asked === null) return { version: null };
  const lookUp = () => lookUpVersion(runtimeId, asked, ports.service);
  const found = await readPatiently('versions', lookUp, rollout, ports);
  if ('turn' in found) return found;
  const now = ports.clock.now();
  const decided = decideVersion(found.read, waitedBy(rollout.waiting, now).version, policy);
  if (decided.decision === 'go') return { version: decided.version };
  const { seconds, secondsLeft, message } = decided;
  const hindrance = { for: 'version', message, seconds, until: now + secondsLeft * 1000 } as const;
  return { turn: await waitToOpen(rollout, hindrance, ports) };
}
