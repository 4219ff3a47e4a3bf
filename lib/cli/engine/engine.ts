import type { AwsCaller } from '../../adapters/aws/caller.ts';
import type { RolloutInput } from '../../contract/flow/rollout-input.ts';
import { ErrorName } from '../../domain/errors.ts';
import type { Outcome } from '../../domain/rollout/outcome.ts';
import type { Release } from '../../domain/trigger/release.ts';
import type { Ledger } from '../../ports/ledger.ts';

/** For how many milliseconds after its start a rollout may still be unknown. */
export const SHOWING_UP_MS = 10_000;

/** Where rollouts run and are recorded. All engines look the same to the commands. */
export interface Engine {
  readonly ledger: Ledger;
  /** Whether a rollout listens while it waits, and does not hear only at its looks what it is told. */
  readonly listens: boolean;
  /** By how many milliseconds the clock of the storage is ahead of this machine's; below 0: it is behind. */
  clockAheadMs(): number;
  /** What is known of a rollout that is not in the ledger. `null`: nothing. @throws `NeverBegun` if it never began. */
  describeWaiting(rolloutId: string): Promise<string | null>;
  /** How its execution stands, in a sentence, whatever the ledger says. `null`: there is none, or there are none here. */
  describeExecution(rolloutId: string): Promise<string | null>;
  /** Ends a rollout that has not begun, so that it never will. Answers whether there was one. */
  endWaiting(rolloutId: string, why: string): Promise<boolean>;
  /** Whoever asks, as somebody else than this machine proves it. @default - nobody does */
  caller?(): Promise<AwsCaller>;
  /** Whether a rollout has not ended and its process seems to be dead. In doubt it does not. */
  isAbandoned(rolloutId: string): Promise<boolean>;
}

/** With this engine, rollouts go on by themselves, even if the process that started them ends. */
export interface AwsEngine extends Engine {
  readonly account: string;
  readonly region: string;
  /** Base URL of the service that the engine rolls. */
  readonly endpointUrl: string;
  start(rolloutId: string, input: RolloutInput): Promise<void>;
  publish(release: Release): Promise<PublishedRelease>;
}

export interface PublishedRelease {
  /** Id of the rollout that the release starts. */
  readonly rolloutId: string;
  /** `duplicate`: another delivery has started the rollout. `sent`: whether it starts one shows only later. */
  readonly result: 'started' | 'duplicate' | 'sent';
}

/** The error of a rollout that ended before it began, so the ledger does not know it. The message says why. */
export class NeverBegun extends Error {
  override readonly name = ErrorName.RolloutFailed;
  readonly ending: Pick<Outcome, 'outcome' | 'reason'>;

  constructor(ending: NeverBegun['ending'], message: string) {
    super(message);
    this.ending = ending;
  }
}
