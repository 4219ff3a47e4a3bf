import type { Ending } from '../domain/decision.ts';
import type { Endpoint } from '../domain/endpoint.ts';
import type { JournalEntry, RolloutPlan, WaveProgress } from '../domain/rollout.ts';
import type { StepContext } from '../steps/handle.ts';

/** What the steps saw and did, for whoever shows it. */
export interface RolloutObserver {
  onList(endpoints: readonly Endpoint[]): void;
  /** `cause` says why the rollout goes back: the plan of a way back has one. */
  onPlan(plan: RolloutPlan, cause?: Ending): void;
  onProgress(progress: WaveProgress): void;
  onWrites(entries: readonly JournalEntry[]): void;
}

/** The same context, watched: a view costs the service no extra call. */
export function observeContext(context: StepContext, observer: RolloutObserver): StepContext {
  const { service, ledger } = context;
  return {
    ...context,
    service: {
      ...service,
      async list(runtimeId, signal) {
        const endpoints = await service.list(runtimeId, signal);
        observer.onList(endpoints);
        return endpoints;
      },
    },
    ledger: {
      ...ledger,
      async freezePlan(lease, plan) {
        const frozen = await ledger.freezePlan(lease, plan);
        observer.onPlan(frozen);
        return frozen;
      },
      async freezeRollback(lease, rollback) {
        const frozen = await ledger.freezeRollback(lease, rollback);
        observer.onPlan(frozen.plan, frozen.cause);
        return frozen;
      },
      async saveProgress(lease, progress) {
        await ledger.saveProgress(lease, progress);
        observer.onProgress(progress);
      },
      async append(lease, entries) {
        await ledger.append(lease, entries);
        observer.onWrites(entries);
      },
    },
  };
}
