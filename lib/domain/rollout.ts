import type { Ending } from './decision.ts';
import type { Direction } from './direction.ts';
import type { RolloutEvent } from './events/rollout-event.ts';
import type { Outcome } from './outcome.ts';
import type { FailurePolicy, RolloutPolicy } from './policy.ts';
import type { StartedBy } from './started-by.ts';

/** What a trigger asks for, together with how the configuration says it is done. */
export interface RolloutRequest {
  readonly rolloutId: string;
  readonly runtimeId: string;
  readonly desiredVersion: number;
  readonly policy: RolloutPolicy;
  readonly startedBy: StartedBy;
  /** Fingerprint of the plan that somebody agreed to. @default - whatever the plan is */
  readonly agreedPlan?: string;
}

/** An endpoint of a frozen plan, as it was before the plan's first write. */
export interface PlannedEndpoint {
  readonly endpointId: string;
  readonly name: string | null;
  /** Where the plan takes it: the rollout's desired version, or on the way back its previous one. */
  readonly desiredVersion: number;
  /** Live version before the plan: the destination of a rollback. */
  readonly previousVersion: number | null;
  /** Target version before the plan; differs from `previousVersion` when it was in mid-roll. */
  readonly previousTarget: number | null;
  /** It had a failed status before the rollout touched it, so that status alone proves nothing. */
  readonly failedBefore: boolean;
  /** On the way back: it is broken now, so it goes at once and may stay broken. */
  readonly isBroken?: true;
}

/** `from` to `to` (exclusive) in the plan's list of endpoints. */
export interface PlanRange {
  readonly from: number;
  readonly to: number;
}

/** Endpoints that are rolled together. */
export interface PlannedWave extends PlanRange {
  /** Seconds between its convergence and the check that lets the next wave start. */
  readonly bakeSeconds: number;
}

/**
 * Why an endpoint is no work: at the version already, stopped, not in the selection; and for a rollback:
 * somebody else moved it, or nobody knows its previous version.
 */
export const LEFT_OUT_REASONS = [
  'at-version',
  'stopped',
  'not-selected',
  'moved',
  'previous-unknown',
] as const;
export type LeftOutReason = (typeof LEFT_OUT_REASONS)[number];

export interface LeftOutEndpoint {
  readonly endpointId: string;
  readonly name: string | null;
  readonly reason: LeftOutReason;
}

/** Decided once, before the first write, and never changed. */
export interface RolloutPlan {
  readonly direction: Direction;
  /** In the order in which they are rolled. */
  readonly endpoints: readonly PlannedEndpoint[];
  readonly waves: readonly PlannedWave[];
  readonly leftOut: readonly LeftOutEndpoint[];
  /** Most endpoints in mid-roll at once: at least 1. */
  readonly maxUnavailable: number;
}

/** The way back: planned once, when the rollout had failed. */
export interface Rollback {
  /** Why the rollout failed. */
  readonly cause: Ending;
  readonly plan: RolloutPlan;
}

/**
 * What happened to a write.
 * - `intended`: about to be sent; found without a successor after a crash, it may have been sent.
 * - `accepted`: the service said yes.
 * - `unknown`: sent, no answer; the list tells.
 * - `rejected`: the service said no; `reason` names it.
 * - `not-sent`: nothing was sent, and `reason` says why.
 * - `kept`: a stop that was not made on purpose; `reason` says why.
 */
export const WRITE_RESULTS = [
  'intended',
  'accepted',
  'unknown',
  'rejected',
  'not-sent',
  'kept',
] as const;
export type WriteResult = (typeof WRITE_RESULTS)[number];

/** `roll` to the desired version, `roll-back` to the previous one. */
export const WRITE_OPERATIONS = ['roll', 'roll-back', 'stop'] as const;
export type WriteOperation = (typeof WRITE_OPERATIONS)[number];

/** One line of a rollout's journal. The last line of an endpoint and operation counts. */
export interface JournalEntry {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly operation: WriteOperation;
  readonly endpointId: string;
  readonly result: WriteResult;
  /** Stable name: an error name for `rejected`, `unknown` and `not-sent`; a keep-back reason for `kept`. */
  readonly reason?: string;
  readonly message?: string;
  /** Milliseconds since the Unix epoch: the service asked not to be asked again before. */
  readonly retryAt?: number;
}

/**
 * What one complete read says of one endpoint of a wave.
 * - `pending`: not rolled yet.
 * - `requested`: the roll was sent, the target version does not show it yet.
 * - `progressing`: the target is the desired version, the live version is not there yet.
 * - `converged`: target = live = desired, and the status is not a known failure.
 * - `failed`: a known failure, or the service refused the roll.
 * - `missing`: not in the list.
 * - `reverted`: it had the desired target and shows an earlier one: an old answer, or somebody else. A
 *   minute and three reads of it are somebody else.
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
  /** Of `pending`: it is on its way to a version that somebody asked for before this rollout. */
  readonly isMoving?: true;
  /** Of `reverted`, milliseconds since the Unix epoch: the first read that said so. */
  readonly since?: number;
}

/** What a person says to a rollout that is under way; `give-way` is said by a newer rollout. */
export const SIGNAL_KINDS = ['approve', 'reject', 'abort', 'give-way'] as const;
export interface Signal {
  readonly kind: (typeof SIGNAL_KINDS)[number];
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** 0-based wave that is approved or rejected; `null` for the others. */
  readonly wave: number | null;
  /** What happens to what was rolled, when it is aborted or rejected. @default - the policy decides */
  readonly onFailure?: FailurePolicy;
  /** Who says it: a person, or the id of the newer rollout. */
  readonly by: string;
  /** Why. */
  readonly reason: string;
}

/** Where the current wave stands. Replaced at every check, and at the start of a rollback. */
export interface WaveProgress {
  readonly direction: Direction;
  readonly wave: number;
  /** Milliseconds since the Unix epoch: the last time that the wave got further than ever before. */
  readonly progressedAt: number;
  /** Milliseconds since the Unix epoch: the last complete read of the list. */
  readonly readAt: number;
  /** Milliseconds that were waited since the first of the reads that failed since. `null`: none has. */
  readonly unreadableMs: number | null;
  /** Milliseconds for which it has baked. `null`: it has not converged yet. */
  readonly bakedMs: number | null;
  /** Milliseconds that were waited since a look at the bake, or a gate, first gave cause for doubt. `null`: none. */
  readonly doubtMs: number | null;
  /** Looks at the list in the whole rollout. */
  readonly looks: number;
  /** Milliseconds from the roll of an endpoint to its convergence, at its shortest in this rollout. */
  readonly fastestRollMs: number | null;
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

/**
 * The newest wish of a runtime: of a rollout that waits for its turn, for a deployment window or for the one
 * that is under way, or of one that was opened. Times are milliseconds since the Unix epoch.
 */
export interface NewestWish {
  readonly runtimeId: string;
  readonly rolloutId: string;
  readonly desiredVersion: number;
  /** When it was started. */
  readonly at: number;
  /** Since when it has waited. */
  readonly since: number;
  /** When it looks again whether it may begin. `null`: it was opened. */
  readonly wakesAt: number | null;
}
