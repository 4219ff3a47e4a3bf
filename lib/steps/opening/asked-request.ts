import { parsePolicy, type RolloutInput } from '../../contract/flow/rollout-input.ts';
import {
  type AskedRequest,
  LATEST,
  refuseOtherService,
  type StartedBy,
} from '../../domain/rollout/request.ts';
import type { PolicyOf } from '../frame/ports.ts';
import type { ReadyRollout } from './take-turn.ts';

export interface ExecutionStart {
  readonly rolloutId: string;
  /** Milliseconds since the Unix epoch. */
  readonly startTime: number;
}

/** The first record of a rollout: what was asked for. */
export function toAskedRequest(
  { rolloutId, startTime }: ExecutionStart,
  { endpointUrl, runtimeId, version, versionFrom, plan, parent, startedBy }: RolloutInput,
): AskedRequest {
  return {
    rolloutId,
    ...(endpointUrl !== undefined && { endpointUrl }),
    runtimeId,
    ...wantedOf({ version, versionFrom }),
    policy: null,
    startedBy: startedByOf(startedBy, startTime),
    ...(plan !== undefined && { agreedPlan: plan }),
    ...(parent !== undefined && { parent }),
  };
}

/** The version that was asked for, as a record has it. */
export function wantedOf({
  version,
  versionFrom,
}: Pick<RolloutInput, 'version' | 'versionFrom'>): Pick<
  AskedRequest,
  'desiredVersion' | 'versionFrom'
> {
  return {
    desiredVersion: version === LATEST ? null : (version ?? null),
    ...(versionFrom !== undefined && { versionFrom: versionFrom.endpoint }),
  };
}

/** The input of an execution that asks for the same rollout again. */
export function toInput({
  endpointUrl,
  runtimeId,
  desiredVersion,
  versionFrom,
  startedBy,
  agreedPlan,
  parent,
}: AskedRequest): RolloutInput {
  return {
    schemaVersion: 1,
    ...(endpointUrl !== undefined && { endpointUrl }),
    runtimeId,
    ...(desiredVersion === null && versionFrom !== undefined
      ? { versionFrom: { endpoint: versionFrom } }
      : { version: desiredVersion ?? LATEST }),
    startedBy,
    ...(agreedPlan !== undefined && { plan: agreedPlan }),
    ...(parent !== undefined && { parent }),
  };
}

/** A request with the policy that the configuration says now. Its version may not be known yet. */
export type ConfiguredRequest = Omit<ReadyRollout['request'], 'desiredVersion'> &
  Pick<AskedRequest, 'desiredVersion'>;

/** @throws `InvalidInput` for overrides that are not valid, and for a rollout of another service. */
export function configureRequest(
  asked: AskedRequest,
  { policy }: Pick<RolloutInput, 'policy'>,
  policyOf: PolicyOf,
  endpointUrl: string,
): ConfiguredRequest {
  refuseOtherService(asked, endpointUrl);
  return { ...asked, endpointUrl, policy: parsePolicy(policy, policyOf(asked.runtimeId)) };
}

/** The clock of a person's machine is not used: a request with a time in the future would count as the latest one. */
function startedByOf(said: RolloutInput['startedBy'], startTime: number): StartedBy {
  const { kind, name, at } = said ?? { kind: 'person', name: '', at: startTime };
  return { kind, name, at: kind === 'person' ? startTime : Math.min(at, startTime) };
}
