import type { Ending } from '../../domain/decision.ts';
import type { Endpoint } from '../../domain/endpoint.ts';
import { hasConverged } from '../../domain/judge/endpoint-verdict.ts';
import type {
  EndpointState,
  JournalEntry,
  PlanRange,
  RolloutPlan,
  WaveProgress,
} from '../../domain/rollout.ts';
import type { RolloutObserver } from '../../embedded/observe-context.ts';

/** All that a view of a running rollout shows. */
export interface RolloutModel extends RolloutObserver {
  readonly runtimeId: string;
  /** `null` while it is not known: it is taken from another endpoint. */
  desiredVersion: number | null;
  /** The state of the workflow that was entered last. */
  state: string;
  plan: RolloutPlan | null;
  /** Why the rollout goes back. `null`: it goes forward. */
  cause: Ending | null;
  progress: WaveProgress | null;
  endpoints: ReadonlyMap<string, Endpoint>;
  readonly writes: Map<string, JournalEntry>;
}

export function createRolloutModel(
  runtimeId: string,
  desiredVersion: number | null,
  onChange: () => void = () => {},
): RolloutModel {
  const model: RolloutModel = {
    runtimeId,
    desiredVersion,
    state: 'Open rollout',
    plan: null,
    cause: null,
    progress: null,
    endpoints: new Map(),
    writes: new Map(),
    onList(endpoints) {
      model.endpoints = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
      onChange();
    },
    onPlan(plan, cause) {
      // What was seen on the way forward says nothing about the plan of the way back.
      if (model.progress?.direction !== plan.direction) model.progress = null;
      model.plan = plan;
      model.cause = cause ?? null;
      const [first] = plan.endpoints;
      if (plan.direction === 'forward' && first) model.desiredVersion = first.desiredVersion;
      onChange();
    },
    onProgress(progress) {
      model.progress = progress;
      onChange();
    },
    onWrites(entries) {
      for (const entry of entries) model.writes.set(entry.endpointId, entry);
      onChange();
    },
  };
  return model;
}

export type WaveState = 'waiting' | 'current' | 'done';

/** A wave as a bar shows it. */
export interface WaveCount {
  readonly range: PlanRange;
  readonly state: WaveState;
  readonly converged: number;
  readonly total: number;
}

export function countWaves({ plan, progress }: RolloutModel): WaveCount[] {
  const current = progress?.wave ?? 0;
  return (plan?.waves ?? []).map((range, index) => {
    const total = range.to - range.from;
    if (index > current) return { range, state: 'waiting', converged: 0, total };
    const observed = progress?.observations.slice(range.from, range.to) ?? [];
    const converged = observed.filter(hasConverged).length;
    return { range, state: converged === total ? 'done' : 'current', converged, total };
  });
}

/** What the current wave is called, at its place in the plan: `Wave 2 of 3`, or `Rollback`. */
export function nameOfWave({ plan, progress }: RolloutModel): string {
  if (plan?.direction === 'back') return 'Rollback';
  return `Wave ${(progress?.wave ?? 0) + 1} of ${plan?.waves.length ?? 0}`;
}

/** What the rollout makes of an endpoint, by its place in the plan. */
export function stateOfEndpoint({ progress }: RolloutModel, position: number): EndpointState {
  return progress?.observations[position]?.state ?? 'pending';
}
