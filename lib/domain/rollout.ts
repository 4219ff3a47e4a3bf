import type { Outcome } from './outcome.ts';
import type { RolloutPolicy } from './policy.ts';

/** What a trigger asks for, together with how the configuration says it is done. */
export interface RolloutRequest {
  readonly rolloutId: string;
  readonly runtimeId: string;
  readonly desiredVersion: number;
  readonly policy: RolloutPolicy;
}

/** An endpoint of the frozen selection, as it was before the first write. */
export interface PlannedEndpoint {
  readonly endpointId: string;
  readonly name: string | null;
  /** Live version before the rollout: the destination of a rollback. */
  readonly previousVersion: number | null;
  /** Target version before the rollout; differs from `previousVersion` when it was in mid-roll. */
  readonly previousTarget: number | null;
  /** It had a failed status before the rollout touched it, so that status alone proves nothing. */
  readonly failedBefore: boolean;
}

/** `from` to `to` (exclusive) in the plan's list of endpoints. */
export interface PlanRange {
  readonly from: number;
  readonly to: number;
}

export type LeftOutReason = 'at-version' | 'stopped';

export interface LeftOutEndpoint {
  readonly endpointId: string;
  readonly name: string | null;
  readonly reason: LeftOutReason;
}

/** Decided once, before the first write, and never changed. */
export interface RolloutPlan {
  /** In the order in which they are rolled. */
  readonly endpoints: readonly PlannedEndpoint[];
  readonly waves: readonly PlanRange[];
  readonly leftOut: readonly LeftOutEndpoint[];
  /** Most endpoints in mid-roll at once: at least 1. */
  readonly maxUnavailable: number;
}

/**
 * What happened to a write.
 * - `intended`: about to be sent; found without a successor after a crash, it may have been sent.
 * - `accepted`: the service said yes.
 * - `unknown`: sent, no answer; the list tells.
 * - `rejected`: the service said no; `error` names it.
 * - `not-sent`: nothing was sent, and `error` says why.
 * - `kept`: a stop that was not made on purpose; `reason` says why.
 */
export type WriteResult = 'intended' | 'accepted' | 'unknown' | 'rejected' | 'not-sent' | 'kept';

/** One line of a rollout's journal. The last line of an endpoint and operation counts. */
export interface JournalEntry {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly operation: 'roll' | 'stop';
  readonly endpointId: string;
  readonly result: WriteResult;
  /** Stable name: an error name for `rejected`, `unknown` and `not-sent`; a keep-back reason for `kept`. */
  readonly reason?: string;
  readonly message?: string;
}

/**
 * What one complete read says of one endpoint of a wave.
 * - `pending`: not rolled yet.
 * - `requested`: the roll was sent, the target version does not show it yet.
 * - `progressing`: the target is the desired version, the live version is not there yet.
 * - `converged`: target = live = desired, and the status is not a known failure.
 * - `failed`: a known failure, or the service refused the roll.
 * - `missing`: not in the list.
 * - `reverted`: it had the desired target and shows an earlier one: an old answer, or somebody else.
 * - `superseded`: somebody else moved it. Once seen, it stays so.
 */
export const ENDPOINT_STATES = [
  'pending',
  'requested',
  'progressing',
  'converged',
  'failed',
  'missing',
  'reverted',
  'superseded',
] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** An endpoint's state, and how many consecutive complete reads have said so. */
export interface Observation {
  readonly state: EndpointState;
  readonly reads: number;
  /** Its target was the desired version once: an earlier target is not ours any more. */
  readonly hadTarget?: true;
}

/** Where the current wave stands. Replaced at every check. */
export interface WaveProgress {
  readonly wave: number;
  /** Milliseconds since the Unix epoch: the last time that the wave got further than ever before. */
  readonly progressedAt: number;
  /** Milliseconds since the Unix epoch: the last complete read of the list. */
  readonly readAt: number;
  /** How far the wave has ever got, as a number that only grows: an endpoint that flaps is no progress. */
  readonly furthest: number;
  /** One for each endpoint of the plan up to the end of the wave: the waves before stay watched. */
  readonly observations: readonly Observation[];
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
  readonly progress: WaveProgress | null;
  readonly journal: readonly JournalEntry[];
  readonly outcome: Outcome | null;
  /** Milliseconds since the Unix epoch. */
  readonly endedAt: number | null;
}
