import type { AskedRollout } from '../../domain/rollout/record.ts';

/** Shows a rollout to whoever follows it. */
export interface RolloutView {
  /** The newest record of it. */
  update(record: AskedRollout): void;
  /** About following itself, such as a ledger that cannot be read. `null`: all is well. */
  note(text: string | null): void;
  /** Nothing follows: what is shown stays. */
  end(): void;
}
