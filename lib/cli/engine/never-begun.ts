import { ErrorName } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/outcome.ts';

/** A rollout ended without having begun: its ledger knows nothing of it. The message says why. */
export class NeverBegun extends Error {
  override readonly name = ErrorName.RolloutFailed;
  readonly ending: Pick<Outcome, 'outcome' | 'reason'>;

  constructor(ending: NeverBegun['ending'], message: string) {
    super(message);
    this.ending = ending;
  }
}
