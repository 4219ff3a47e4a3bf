import type { AskedRollout } from '../../domain/rollout/record.ts';

/** Shows a rollout to somebody who follows it. */
export interface RolloutView {
  /** Shows the latest record of the rollout. */
  update(record: AskedRollout): void;
  /** Shows a note about the following itself, such as a ledger that cannot be read. `null`: all is well. */
  note(text: string | null): void;
  /** Ends the view. What it shows stays. */
  end(): void;
}
