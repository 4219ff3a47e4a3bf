import { ErrorName } from '../../domain/errors.ts';
import type { OutcomeKind } from '../../domain/outcome.ts';

/** A rollout ended without having begun: its ledger knows nothing of it. The message says why. */
export class NeverBegun extends Error {
  override readonly name = ErrorName.RolloutFailed;
  readonly outcome: OutcomeKind;

  constructor(outcome: OutcomeKind, message: string) {
    super(message);
    this.outcome = outcome;
  }
}
