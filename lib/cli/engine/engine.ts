import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { ErrorName } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import type { Release } from '../../domain/trigger/release.ts';
import type { Ledger } from '../../ports/ledger.ts';

/** How long a rollout that nobody knows may take to show up after its start, in milliseconds. */
export const SHOWING_UP_MS = 10_000;

/** Where rollouts run and are remembered, as the commands see it: the same, whichever it is. */
export interface Engine {
  readonly ledger: Ledger;
  /**
   * What is known of a rollout that the ledger does not know, in a sentence. `null`: nothing.
   *
   * @throws `NeverBegun` when it ended without having begun, and why.
   */
  describeWaiting(rolloutId: string): Promise<string | null>;
  /** Ends a rollout that has not begun. Answers whether there was one, and it never will begin now. */
  endWaiting(rolloutId: string, why: string): Promise<boolean>;
  publish(release: Release): Promise<PublishedRelease>;
}

/** Rollouts go on by themselves there, whatever becomes of the process that started them. */
export interface AwsEngine extends Engine {
  readonly account: string;
  readonly region: string;
  /** Base URL of the service that it drives; `undefined`: it does not say. */
  readonly endpointUrl: string | undefined;
  start(rolloutId: string, input: RolloutInput): Promise<void>;
}

interface PublishedRelease {
  /** Of the rollout that the release starts. */
  readonly rolloutId: string;
  /** `duplicate`: another delivery has started it. `sent`: what becomes of it shows later. */
  readonly result: 'started' | 'duplicate' | 'sent';
}

/** A rollout ended without having begun: its ledger knows nothing of it. The message says why. */
export class NeverBegun extends Error {
  override readonly name = ErrorName.RolloutFailed;
  readonly ending: Pick<Outcome, 'outcome' | 'reason'>;

  constructor(ending: NeverBegun['ending'], message: string) {
    super(message);
    this.ending = ending;
  }
}
