import type { Direction, JournalEntry } from '../endpoint/journal.ts';
import type { Observation } from '../endpoint/observation.ts';
import type { RolloutEvent } from './event.ts';
import type { GateLook } from './gates.ts';
import type { Outcome } from './outcome.ts';
import type { Rollback, RolloutPlan } from './plan.ts';
import type { FailurePolicy } from './policy.ts';
import type { AskedRequest, RolloutRequest } from './request.ts';
import type { Waiting } from './waiting.ts';

/** Everything that the ledger knows about one rollout, from the moment in which it was accepted. */
export interface AskedRollout {
  readonly request: AskedRequest;
  /** The epoch of the rollout's lease. 0: the rollout was never opened. */
  readonly epoch: number;
  /** When the rollout got its lease, or before that, when it was accepted. Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** What the rollout waits for before it can begin. `null`: it waits for nothing, or it has ended. */
  readonly waiting: Waiting | null;
  readonly plan: RolloutPlan | null;
  /** `null`: the rollout goes forward. */
  readonly rollback: Rollback | null;
  readonly progress: WaveProgress | null;
  readonly journal: readonly JournalEntry[];
  readonly signals: readonly Signal[];
  /**
   * The events of the rollout, in order. The event of its end is not among them, because it follows from the outcome.
   */
  readonly events: readonly RolloutEvent[];
  /** Ids of events that were not sent yet. The event of the end may be among them. */
  readonly unsent: readonly string[];
  readonly outcome: Outcome | null;
  /** Milliseconds since the Unix epoch. */
  readonly endedAt: number | null;
}

/** A rollout that was opened. Only such a rollout has a plan. */
export interface RolloutRecord extends AskedRollout {
  readonly request: RolloutRequest;
}

export function wasOpened(rollout: AskedRollout): rollout is RolloutRecord {
  return rollout.epoch > 0;
}

/** What a list shows of one rollout. */
export interface RolloutSummary
  extends Pick<AskedRollout, 'startedAt' | 'waiting' | 'endedAt' | 'outcome'>,
    Pick<
      AskedRequest,
      | 'rolloutId'
      | 'runtimeId'
      | 'desiredVersion'
      | 'versionFrom'
      | 'revert'
      | 'parent'
      | 'startedBy'
    > {
  /** The runtimes of its group have versions of their own: `desiredVersion` is the highest. @default - one for all */
  readonly hasOwnVersions?: true;
}

/** The plan that is followed now: that of the rollback once there is one. */
export function activePlan({
  plan,
  rollback,
}: Pick<AskedRollout, 'plan' | 'rollback'>): RolloutPlan | null {
  return rollback?.plan ?? plan;
}

/**
 * The progress of the leg that is named; `undefined`: it has not begun, or another one came after it. What one leg has seen
 * says nothing of another one.
 */
export function progressOn(
  { progress }: Pick<AskedRollout, 'progress'>,
  { direction }: Pick<RolloutPlan, 'direction'>,
): WaveProgress | undefined {
  return progress?.direction === direction ? progress : undefined;
}

/** How far the current wave has got. It is replaced at every check and at the start of a rollback. */
export interface WaveProgress {
  readonly direction: Direction;
  readonly wave: number;
  /**
   * Milliseconds since the Unix epoch: the last time that the wave got further than ever before, or that it was too
   * early to repeat a roll; later by the time for which the deadline stood still.
   */
  readonly progressedAt: number;
  /**
   * Milliseconds since the Unix epoch: the last complete read of the list. Whoever resumes the rollout moves it on by the
   * time in which nobody looked.
   */
  readonly readAt: number;
  /** Milliseconds that were waited since reads of the list began to fail. `null`: the last read did not fail. */
  readonly unreadableMs: number | null;
  /**
   * Name of the error with which the list could not be read the last time.
   * @default - it always could, or an older steproll has tried to
   */
  readonly readFault?: string;
  /** Milliseconds for which the wave has baked. `null`: it has not converged yet. */
  readonly bakedMs: number | null;
  /** It had converged, and has to do so once more before it bakes on. @default - it bakes, or it has not converged yet */
  readonly isCheckedAgain?: true;
  /**
   * When the wave converged, in milliseconds since the Unix epoch, as the clock said then. @default - it has not, or an
   * older steproll has seen it
   */
  readonly convergedAt?: number;
  /** Milliseconds for which somebody has watched the wave since it converged. @default - as long as it has baked */
  readonly watchedMs?: number;
  /**
   * Milliseconds that were waited since a look at the bake, or a gate, first gave a reason to doubt. `null`: none
   * did.
   */
  readonly doubtMs: number | null;
  /**
   * What the gates answered when they were asked last. If that was not at the last read, a doubt comes from the list.
   * @default - they were not asked in this wave
   */
  readonly gates?: GateLook;
  /** How often the list was looked at in the whole rollout. */
  readonly looks: number;
  /** The shortest time from the roll of an endpoint to its convergence in this rollout, in milliseconds. */
  readonly fastestRollMs: number | null;
  /**
   * When another process took the rollout over in this wave, in milliseconds since the Unix epoch. How long a roll from
   * before takes nobody has seen. @default - none did
   */
  readonly resumedAt?: number;
  /**
   * How far the wave has ever got, as a number that only grows. An endpoint that goes back and forth makes no
   * progress.
   */
  readonly furthest: number;
  /**
   * By how many milliseconds the clock was set back in the whole rollout, as far as looks have shown.
   * @default - it never was
   */
  readonly setBackMs?: number;
  /** One observation for each endpoint of the plan up to the end of the wave. Earlier waves stay watched. */
  readonly observations: readonly Observation[];
}

/** What a person can tell a rollout that is under way. `give-way` comes from a newer rollout. */
export const SIGNAL_KINDS = ['approve', 'reject', 'abort', 'give-way'] as const;
export interface Signal {
  readonly kind: (typeof SIGNAL_KINDS)[number];
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The 0-based wave that is approved or rejected. `null` for the other kinds. */
  readonly wave: number | null;
  /**
   * What happens to the endpoints that were rolled, when the rollout is aborted or rejected.
   * @default - an abort holds; for a rejection the policy decides
   */
  readonly onFailure?: FailurePolicy;
  /** Who sent the signal: a person, or the id of the newer rollout. */
  readonly by: string;
  readonly reason: string;
}

/** The abort that decides. Of several aborts the last one does, because whoever sends another one means it. */
export function findAbort(signals: readonly Signal[]): Signal | undefined {
  return signals.findLast(({ kind }) => kind === 'abort');
}

export function countAborts(signals: readonly Signal[]): number {
  return signals.filter(({ kind }) => kind === 'abort').length;
}
