import { OUTCOME_KINDS, type OutcomeKind } from '../../domain/outcome.ts';

/** The outcome in what a function answers that closes a rollout. Other answers have none. */
export function outcomeIn(answer: unknown): OutcomeKind | undefined {
  const { outcome } = Object(answer) as { readonly outcome?: unknown };
  return OUTCOME_KINDS.find((kind) => kind === outcome);
}
