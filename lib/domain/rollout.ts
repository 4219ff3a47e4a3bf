import type { RolloutEvent } from './events/rollout-event.ts';
import type { JournalEntry } from './journal.ts';
import type { WaveProgress } from './observation.ts';
import type { Outcome } from './outcome.ts';
import type { RolloutPolicy } from './policy.ts';
import type { Rollback, RolloutPlan } from './rollout-plan.ts';
import type { Signal } from './signal.ts';
import type { StartedBy } from './started-by.ts';

/** What a trigger asks for, together with how the configuration says it is done. */
export interface RolloutRequest {
  readonly rolloutId: string;
  /** Base URL of the service that has the runtime. @default - of a record that is older than this field */
  readonly endpointUrl?: string;
  readonly runtimeId: string;
  readonly desiredVersion: number;
  readonly policy: RolloutPolicy;
  readonly startedBy: StartedBy;
  /** Fingerprint of the plan that somebody agreed to. @default - whatever the plan is */
  readonly agreedPlan?: string;
}

/** The right to write to a runtime's endpoints. A higher epoch has taken over from a lower one. */
export interface Lease {
  readonly runtimeId: string;
  readonly rolloutId: string;
  readonly epoch: number;
}

/** Everything that the ledger holds of one rollout. */
export interface RolloutRecord {
  readonly request: RolloutRequest;
  readonly epoch: number;
  /** Milliseconds since the Unix epoch. */
  readonly startedAt: number;
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

/** What a list of rollouts shows of one. */
export interface RolloutSummary
  extends Pick<RolloutRecord, 'startedAt' | 'endedAt' | 'outcome'>,
    Pick<RolloutRequest, 'rolloutId' | 'runtimeId' | 'desiredVersion' | 'startedBy'> {}
