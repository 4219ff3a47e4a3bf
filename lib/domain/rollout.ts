import type { RolloutEvent } from './events/rollout-event.ts';
import type { JournalEntry } from './journal.ts';
import type { WaveProgress } from './observation.ts';
import type { Outcome } from './outcome.ts';
import type { RolloutPolicy } from './policy.ts';
import type { Rollback, RolloutPlan } from './rollout-plan.ts';
import type { Signal } from './signal.ts';
import type { StartedBy } from './started-by.ts';
import type { Waiting } from './turn/waiting.ts';

/** What was asked for, as far as it is known: a rollout that waits or was refused may never know more. */
export interface AskedRequest {
  readonly rolloutId: string;
  /** Base URL of the service that has the runtime. @default - not known yet, or of an older record */
  readonly endpointUrl?: string;
  readonly runtimeId: string;
  /** `null`: it is taken from `versionFrom`, and was not read yet. */
  readonly desiredVersion: number | null;
  /** The endpoint that the version is taken from, by name or id. @default - a version was asked for */
  readonly versionFrom?: string;
  /** `null`: how the configuration says, which nobody has looked at yet. */
  readonly policy: RolloutPolicy | null;
  readonly startedBy: StartedBy;
  /** Fingerprint of the plan that somebody agreed to. @default - whatever the plan is */
  readonly agreedPlan?: string;
}

/** What a trigger asks for, together with how the configuration says it is done. */
export interface RolloutRequest extends AskedRequest {
  readonly desiredVersion: number;
  readonly policy: RolloutPolicy;
}

/** The right to write to a runtime's endpoints. A higher epoch has taken over from a lower one. */
export interface Lease {
  readonly runtimeId: string;
  readonly rolloutId: string;
  readonly epoch: number;
}

/** Everything that the ledger holds of one rollout, from the moment at which it was accepted. */
export interface AskedRollout {
  readonly request: AskedRequest;
  /** Of its lease; 0: it was never opened. */
  readonly epoch: number;
  /** When it got its lease, and before that when it was accepted. Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** What it waits for before it can begin. `null`: nothing, or it has ended. */
  readonly waiting: Waiting | null;
  readonly plan: RolloutPlan | null;
  /** `null`: it goes forward. */
  readonly rollback: Rollback | null;
  readonly progress: WaveProgress | null;
  readonly journal: readonly JournalEntry[];
  readonly signals: readonly Signal[];
  /** What was told of it, in order. The end is not among them: the outcome tells. */
  readonly events: readonly RolloutEvent[];
  /** Ids of events that were not sent yet, that of the end among them. */
  readonly unsent: readonly string[];
  readonly outcome: Outcome | null;
  /** Milliseconds since the Unix epoch. */
  readonly endedAt: number | null;
}

/** The same of a rollout that was opened: only such a one has a plan. */
export interface RolloutRecord extends AskedRollout {
  readonly request: RolloutRequest;
}

export function wasOpened(rollout: AskedRollout): rollout is RolloutRecord {
  return rollout.epoch > 0;
}

/** What a list of rollouts shows of one. */
export interface RolloutSummary
  extends Pick<AskedRollout, 'startedAt' | 'waiting' | 'endedAt' | 'outcome'>,
    Pick<
      AskedRequest,
      'rolloutId' | 'runtimeId' | 'desiredVersion' | 'versionFrom' | 'startedBy'
    > {}
