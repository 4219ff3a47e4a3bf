import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import type { Instant } from '../../domain/clock.ts';
import {
  type AskedRequest,
  LATEST,
  type StartedBy,
  type Wanted,
} from '../../domain/rollout/request.ts';

export interface ExecutionStart {
  readonly rolloutId: string;
  readonly startTime: Instant;
}

export function toAskedRequest(
  { rolloutId, startTime }: ExecutionStart,
  {
    endpointUrl,
    runtimeId,
    plan,
    again,
    takeOver,
    parent,
    group,
    startedBy,
    ...wanted
  }: RolloutInput,
): AskedRequest {
  return {
    rolloutId,
    ...(endpointUrl !== undefined && { endpointUrl }),
    runtimeId,
    ...wantedOf(wanted),
    policy: null,
    startedBy: startedByOf(startedBy, startTime),
    ...(plan !== undefined && { agreedPlan: plan }),
    ...(again !== undefined && { again }),
    ...(takeOver !== undefined && { takeOver }),
    ...(parent !== undefined && { parent }),
    ...(group !== undefined && { group }),
  };
}

export function wantedOf({
  version,
  versionFrom,
  revert,
  versions,
}: Pick<RolloutInput, 'version' | 'versionFrom' | 'revert' | 'versions'>): Wanted {
  return {
    desiredVersion: version === LATEST ? null : (version ?? null),
    ...(versionFrom !== undefined && { versionFrom: versionFrom.endpoint }),
    ...(revert !== undefined && { revert }),
    ...(versions !== undefined && { versions }),
  };
}

/** The input of an execution that asks for the same rollout again. */
export function toInput(request: AskedRequest): RolloutInput {
  const { endpointUrl, runtimeId, startedBy, agreedPlan, again, takeOver, parent, group } = request;
  return {
    schemaVersion: 1,
    endpointUrl,
    runtimeId,
    ...whatOf(request),
    startedBy,
    plan: agreedPlan,
    again,
    takeOver,
    parent,
    group,
  };
}

function whatOf({
  desiredVersion,
  versionFrom,
  revert,
  versions,
}: AskedRequest): Partial<RolloutInput> {
  if (revert !== undefined) return { revert };
  if (versions !== undefined) return { versions };
  return desiredVersion === null && versionFrom !== undefined
    ? { versionFrom: { endpoint: versionFrom } }
    : { version: desiredVersion ?? LATEST };
}

/** The clock of a person's machine is not used: a request with a time in the future would count as the latest one. */
function startedByOf(said: RolloutInput['startedBy'], startTime: number): StartedBy {
  const starter = said ?? { kind: 'person', name: '', at: startTime };
  return {
    ...starter,
    at: starter.kind === 'person' ? startTime : Math.min(starter.at, startTime),
  };
}
