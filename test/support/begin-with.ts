import type { RolloutPlan } from '../../lib/domain/rollout/plan.ts';
import type { WaveProgress } from '../../lib/domain/rollout/record.ts';
import type { Begin } from '../../lib/ports/ledger.ts';

/** What a rollout begins with whose runtime had none before. */
export function beginWith(plan: RolloutPlan, progress: WaveProgress | null = null): Begin {
  return { plan, progress, wait: null, epoch: 0, leaseUntil: 0 };
}
