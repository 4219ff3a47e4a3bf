import { type Attempts, NO_ATTEMPTS } from '../../lib/domain/endpoint/attempts.ts';
import type { Endpoint, PlannedEndpoint } from '../../lib/domain/endpoint/endpoint.ts';
import type {
  JournalEntry,
  WriteOperation,
  WriteResult,
} from '../../lib/domain/endpoint/journal.ts';
import type { EndpointState, Observation } from '../../lib/domain/endpoint/observation.ts';
import { rollHistories } from '../../lib/domain/endpoint/rolls.ts';
import type { Hearing } from '../../lib/domain/rollout/hearing.ts';
import type { RolloutPlan } from '../../lib/domain/rollout/plan.ts';
import type { RolloutPolicy } from '../../lib/domain/rollout/policy.ts';
import type { RolloutRecord, Signal, WaveProgress } from '../../lib/domain/rollout/record.ts';
import type { AskedRequest } from '../../lib/domain/rollout/request.ts';
import type { Wait, WaitKind } from '../../lib/domain/rollout/wait.ts';
import { hearEndpoints, isWell } from '../../lib/domain/wave/hearing.ts';
import type { MetricRule } from '../../lib/gates/metric-rule.ts';
import { WHOLE_POLICY } from '../support/whole-policy.ts';

/** The rollout of these examples goes from version 2 to version 3; 9 is somebody else's. */
export const PREVIOUS = 2;
export const DESIRED = 3;
export const FOREIGN = 9;

/** The bake of every wave in these examples. */
export const BAKE_SECONDS = 300;

/** An endpoint that serves the previous version. */
export function endpoint(id: string, said: Partial<Endpoint> = {}): Endpoint {
  return {
    id,
    name: id,
    version: null,
    targetVersion: PREVIOUS,
    liveVersion: PREVIOUS,
    replicas: 1,
    url: null,
    status: 'ACTIVE',
    statusReason: null,
    ...said,
  };
}

/** An endpoint on its way to the desired version. */
export function moving(id: string, said: Partial<Endpoint> = {}): Endpoint {
  return endpoint(id, { targetVersion: DESIRED, status: 'UPDATING', ...said });
}

/** An endpoint that serves the desired version. */
export function live(id: string, said: Partial<Endpoint> = {}): Endpoint {
  return endpoint(id, { targetVersion: DESIRED, liveVersion: DESIRED, ...said });
}

export function planned(endpointId: string, said: Partial<PlannedEndpoint> = {}): PlannedEndpoint {
  return {
    endpointId,
    name: endpointId,
    desiredVersion: DESIRED,
    previousVersion: PREVIOUS,
    previousTarget: PREVIOUS,
    wrongBefore: [],
    ...said,
  };
}

/** The same on the way back: from the desired version to the previous one; `isBroken` where it is now. */
export function plannedBack(
  endpointId: string,
  said: Partial<PlannedEndpoint> = {},
): PlannedEndpoint {
  return planned(endpointId, { desiredVersion: PREVIOUS, previousVersion: DESIRED, ...said });
}

/** A plan of the endpoints `web-1` and up, in waves of these sizes. */
export function planOf(
  waveSizes: readonly number[],
  said: Partial<RolloutPlan> = {},
): RolloutPlan & { readonly ids: readonly string[] } {
  const total = waveSizes.reduce((sum, size) => sum + size, 0);
  const ids = Array.from({ length: total }, (_, index) => `web-${index + 1}`);
  let from = 0;
  const waves = waveSizes.map((size) => {
    const wave = { from, to: from + size, bakeSeconds: BAKE_SECONDS };
    from += size;
    return wave;
  });
  const endpoints = ids.map((id) => planned(id));
  return {
    ids,
    direction: 'forward',
    endpoints,
    waves,
    leftOut: [],
    maxUnavailable: total,
    ...said,
  };
}

/** A plan that takes so many endpoints back, in one wave. */
export function planBackOf(
  total: number,
  said: Partial<RolloutPlan> = {},
): RolloutPlan & { readonly ids: readonly string[] } {
  const { ids, ...plan } = planOf([total]);
  const endpoints = ids.map((id) => plannedBack(id));
  const waves = [{ from: 0, to: total, bakeSeconds: 0 }];
  return { ids, ...plan, direction: 'back', endpoints, waves, ...said };
}

export function line(
  operation: WriteOperation,
  endpointId: string,
  result: WriteResult,
  reason?: string,
  message?: string,
): JournalEntry {
  return {
    at: 0,
    watched: 0,
    operation,
    endpointId,
    result,
    ...(reason === undefined ? {} : { reason }),
    ...(message === undefined ? {} : { message }),
  };
}

/** What the journal would say of one endpoint after these results of its rolls, oldest first. */
export function rolls(...results: readonly (WriteResult | [WriteResult, string])[]): Attempts {
  const journal = results.map((said) =>
    typeof said === 'string' ? line('roll', 'e', said) : line('roll', 'e', ...said),
  );
  return rollHistories(journal, 'forward').get('e') ?? NO_ATTEMPTS;
}

/** The rolls of one endpoint at a service that repeats them: `1 intended`, with the number of the try. */
export function tries(...said: readonly string[]): Attempts {
  const journal = said.map((each): JournalEntry => {
    const [number, result, reason] = each.split(' ');
    return { ...line('roll', 'e', result as WriteResult, reason), try: Number(number) };
  });
  return rollHistories(journal, 'forward').get('e') ?? NO_ATTEMPTS;
}

export function policyOf(said: Partial<RolloutPolicy> = {}): RolloutPolicy {
  return { ...WHOLE_POLICY, ...said };
}

/** A request with every field that there is. Its version was not read yet. */
export const FULL_REQUEST: Required<AskedRequest> = {
  rolloutId: 'rollout-2',
  endpointUrl: 'https://endpoints.example.com',
  runtimeId: 'shop',
  desiredVersion: null,
  versionFrom: 'staging',
  revert: 'rollout-1',
  versions: { 'tenant-a': 7, 'eu-1': 'latest' },
  policy: WHOLE_POLICY,
  startedBy: { kind: 'release', name: 'build-41', at: 0 },
  again: true,
  takeOver: true,
  unpin: ['5e1d0c77'],
  agreedPlan: '0123456789abcdef',
  passedOver: [{ runtimeId: 'shop', version: 8, because: 'It is in quarantine.' }],
  parent: 'rollout-1',
  group: 'prod',
};

/** A metric of each endpoint, of which more than 5 in all are a no. */
export function metricRule(said: Partial<MetricRule> = {}): MetricRule {
  return {
    namespace: 'Shop',
    metric: 'Errors',
    dimensions: { Name: '{endpoint}' },
    statistic: 'Sum',
    periodSeconds: 60,
    delaySeconds: 120,
    per: null,
    limit: { above: 5 },
    noData: 'wait',
    ...said,
  };
}

export function recordOf(
  journal: readonly JournalEntry[] = [],
  policy: Partial<RolloutPolicy> = {},
): RolloutRecord {
  return {
    request: {
      rolloutId: 'rollout-1',
      endpointUrl: 'https://endpoints.example.com',
      runtimeId: 'shop',
      desiredVersion: DESIRED,
      policy: policyOf(policy),
      startedBy: { kind: 'person', name: '', at: 0 },
    },
    epoch: 1,
    startedAt: 0,
    wait: null,
    opening: null,
    plan: null,
    rollback: null,
    progress: null,
    journal,
    lines: [],
    signals: [],
    events: [],
    unsent: [],
    outcome: null,
    endedAt: null,
  };
}

export function seen(state: EndpointState, reads = 1): Observation {
  return { state, reads, ...(state === 'missing' && reads >= 3 && { isGone: true }) };
}

/** The same of an endpoint that had the desired target once. */
export function afterTarget(observation: Observation): Observation {
  return { ...observation, hadTarget: true };
}

/**
 * Progress of a wave that got as far as ever, and was read last, at time 0. The rollout is watched since then, so that both
 * clocks say the same.
 */
export function progressOf(
  wave: number,
  observations: readonly Observation[],
  said: Partial<WaveProgress> = {},
): WaveProgress {
  return {
    direction: 'forward',
    wave,
    clock: { at: said.readAt ?? 0, watched: Number(said.readAt ?? 0) },
    readAt: 0,
    heard: heardOf(observations),
    stuckMs: 0,
    silentMs: 0,
    bakedMs: null,
    askedMs: 0,
    looks: 0,
    fastestRollMs: null,
    furthest: 0,
    observations,
    ...said,
  };
}

/** What a look hears that follows no other one. */
export function heardOf(observations: readonly Observation[]): Hearing {
  const counting = observations.map((one, index) => ({ ...one, index }));
  return hearEndpoints({ observations: counting, before: [], histories: [] });
}

/** What a person says to a rollout. */
export function signal(kind: Signal['kind'], said: Partial<Signal> = {}): Signal {
  return {
    kind,
    at: 0,
    wave: kind === 'abort' ? null : 0,
    by: 'ann',
    reason: 'not today',
    ...said,
  };
}

/** What a rollout waits for in its first wave since 1970, with a look after 5 s. */
export function waitFor(kind: WaitKind, said: Partial<Wait> = {}): Wait {
  return { ...{ for: kind, of: null, wave: 0, since: 0, until: null, lookAt: 5_000 }, ...said };
}

/** The progress of a wave with what is waited for after its look, by the default policy, where bakes take 5 minutes. */
export function afterLook(progress: WaveProgress, of: string | null = null) {
  const { clock, wave, stuckMs, silentMs, readFault, bakedMs, watch } = progress;
  const left = (kind: WaitKind, leftMs: number) =>
    waitFor(kind, { of, wave, until: clock.at + leftMs, lookAt: clock.at + 5_000 });
  if (readFault !== undefined) return { progress, wait: left('list', 600_000 - silentMs) };
  if (bakedMs === null) return { progress, wait: left('roll', 600_000 - stuckMs) };
  if (isWell(progress)) return { progress, wait: left('bake', 300_000 - bakedMs) };
  return of === null
    ? { progress, wait: left('doubt', 600_000 - Math.max(stuckMs, silentMs)) }
    : { progress, wait: left('gate', 600_000 - (watch?.unsaidMs ?? 0)) };
}
