import type { AskedRollout } from '../../domain/rollout/record.ts';

/** Shows a rollout to somebody who follows it. */
export interface LiveView {
  /**
   * Shows the latest record of the rollout.
   *
   * @param isAbandoned Whether its process seems to be dead. @default false
   * @param children The rollouts of its runtimes, if it is of a group: of two of the same runtime, the later one counts.
   *   @default - there are none
   */
  update(record: AskedRollout, isAbandoned?: boolean, children?: readonly AskedRollout[]): void;
  /** Shows a note about the following itself, such as a ledger that cannot be read. `null`: all is well. */
  note(text: string | null): void;
  /** Ends the view. What it shows stays. */
  end(): void;
}
