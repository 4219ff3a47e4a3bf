import { isShownConverged } from '../endpoint/observation.ts';
import { nameOfOutcome } from '../rollout/outcome.ts';
import type { RolloutPlan } from '../rollout/plan.ts';
import type { WaveProgress } from '../rollout/record.ts';
import { WAITS } from '../rollout/wait.ts';
import { capitalized } from '../sentences.ts';
import type { Decision } from './decision.ts';

interface At {
  readonly plan: Pick<RolloutPlan, 'direction' | 'waves' | 'endpoints'>;
  readonly progress: Pick<WaveProgress, 'wave' | 'observations'>;
}

/**
 * A decision in a few words, for whoever opens the execution: `Wave 2 of 3: 3 of 11 live, baking`.
 *
 * @param at `null`: there is no plan yet.
 */
export function sayDecision(decision: Decision, at: At | null): string {
  const what = WORDS[decision.next](decision as never);
  if (at === null) return capitalized(what);
  const { plan, progress } = at;
  const { length: endpoints } = plan.endpoints;
  if (endpoints === 0) return capitalized(what);
  const wave = (decision.next === 'roll' ? decision.wave : progress.wave) + 1;
  const live = progress.observations.filter(isShownConverged).length;
  const where = `${plan.direction === 'back' ? 'Rollback, wave' : 'Wave'} ${wave} of ${plan.waves.length}`;
  return `${where}: ${live} of ${endpoints} live, ${what}`;
}

type Words = {
  readonly [Next in Decision['next']]: (
    decision: Extract<Decision, { readonly next: Next }>,
  ) => string;
};

const WORDS: Words = {
  wait: (decision) => WAITS[decision.for].says,
  roll: ({ indexes }) => `rolls ${indexes.length}`,
  contain: ({ ending, onFailure }) => `failing (${ending.reason}), then ${onFailure}`,
  close: ({ ending }) => `ends as ${nameOfOutcome(ending)}`,
};
