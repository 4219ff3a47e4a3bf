import type { Endpoint } from '../../domain/endpoint.ts';
import { hasConverged } from '../../domain/judge/judge-wave.ts';
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
  readonly desiredVersion: number;
  /** The state of the workflow that was entered last. */
  state: string;
  plan: RolloutPlan | null;
  progress: WaveProgress | null;
  endpoints: ReadonlyMap<string, Endpoint>;
  readonly writes: Map<string, JournalEntry>;
}

export function createRolloutModel(
  runtimeId: string,
  desiredVersion: number,
  onChange: () => void = () => {},
): RolloutModel {
  const model: RolloutModel = {
    runtimeId,
    desiredVersion,
    state: 'Open rollout',
    plan: null,
    progress: null,
    endpoints: new Map(),
    writes: new Map(),
    onList(endpoints) {
      model.endpoints = new Map(endpoints.map((endpoint) => [endpoint.id, endpoint]));
      onChange();
    },
    onPlan(plan) {
      model.plan = plan;
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

/** What the rollout makes of an endpoint, by its place in the plan. */
export function stateOfEndpoint({ progress }: RolloutModel, position: number): EndpointState {
  return progress?.observations[position]?.state ?? 'pending';
}
