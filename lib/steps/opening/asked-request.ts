import type { ExecutionStart, RolloutInput } from '../../contract/flow/rollout-input.ts';
import {
  type AskedRequest,
  LATEST,
  type StartedBy,
  type Wanted,
} from '../../domain/rollout/request.ts';

export function toAskedRequest(
  { rolloutId, startTime }: ExecutionStart,
  { schemaVersion: _, policy: __, version, versionFrom, plan, startedBy, ...same }: RolloutInput,
): AskedRequest {
  return {
    ...same,
    rolloutId,
    ...wantedOf({ version, versionFrom }),
    policy: null,
    startedBy: startedByOf(startedBy, startTime),
    ...(plan !== undefined && { agreedPlan: plan }),
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
  const { rolloutId: _, policy: __, passedOver: ___, agreedPlan, unpin, ...asked } = request;
  const { desiredVersion, versionFrom, revert, versions, ...same } = asked;
  const passed = unpin === undefined ? {} : { unpin: [...unpin] };
  return { schemaVersion: 1, ...same, ...passed, ...whatOf(request), plan: agreedPlan };
}

function whatOf({ desiredVersion, versionFrom, revert, versions }: Wanted): Partial<RolloutInput> {
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
