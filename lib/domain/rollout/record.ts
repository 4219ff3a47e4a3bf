import {
  type Instant,
  latestOf,
  type Moment,
  type Ms,
  type Seconds,
  startClock,
  type Watched,
} from '../clock.ts';
import type { Direction, JournalEntry } from '../endpoint/journal.ts';
import type { Observation } from '../endpoint/observation.ts';
import type { RolloutEvent } from './event.ts';
import type { AheadWatch, GateChange, GateLook, GateWatch, WatchedGate } from './gates.ts';
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
  /**
   * A hold keeps it from its next roll and its next wave, as the step has read it. It is not stored.
   * @default - none does
   */
  readonly isPaused?: true;
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
  /** The rollout's clock at the last look. What is in `Ms` below is time of that clock, and some of it may stand still. */
  readonly clock: Moment;
  /** For people, and for metrics: the last complete read of the list. */
  readonly readAt: Instant;
  /**
   * The deadline: how long ago the wave got further than ever before, or it was too early to repeat a roll. It stands still
   * while the list cannot be read, and while reads agree that prove nothing yet.
   */
  readonly stalledMs: Ms;
  /** How long ago reads of the list began to fail. `null`: the last read did not fail. */
  readonly unreadableMs: Ms | null;
  /**
   * Name of the error with which the list could not be read the last time.
   * @default - it always could
   */
  readonly readFault?: string;
  /** How long the wave has baked: at most what was waited. `null`: it has not converged yet. */
  readonly bakedMs: Ms | null;
  /** A person has ended its bake, which lasts no longer than this. @default - it bakes as planned */
  readonly promoted?: { readonly bakeSeconds: Seconds };
  /** It had converged, and has to do so once more before it bakes on. @default - it bakes, or it has not converged yet */
  readonly isCheckedAgain?: true;
  /** When the wave converged. @default - it has not */
  readonly converged?: Moment;
  /** How long ago a look at the bake, or a gate, first gave a reason to doubt. `null`: the last one gave none. */
  readonly doubtMs: Ms | null;
  /** How many looks the doubt has had after its deadline. */
  readonly looksInDoubt: number;
  /** How long a person has been asked for the approval of the wave, while nothing gave a reason to doubt. */
  readonly askedMs: Ms;
  /**
   * What the gates answered when they were asked last. If that was not at the last read, a doubt comes from the list.
   * @default - they were not asked in this wave
   */
  readonly gates?: GateLook;
  /** @default - they were not asked in this leg */
  readonly watch?: GateWatch;
  /** What the next wave waits for before it begins. @default - nothing was asked about it */
  readonly ahead?: AheadWatch;
  /**
   * Gates that were red before the first write and have not been green since, as `nameOfGate` says them.
   * @default - there is none, or its no counts
   */
  readonly redAtStart?: readonly string[];
  /**
   * What gates that only watch have said in the whole rollout, at most 20 of them, those with a no first.
   * @default - there is none, or it has said nothing yet
   */
  readonly watched?: readonly WatchedGate[];
  /**
   * How the answers of gates have changed in the whole rollout, in order: at most 200.
   * @default - none was asked
   */
  readonly gateChanges?: readonly GateChange[];
  /**
   * Batches of the wave whose function crashed: nothing is known of them but what the list shows.
   * @default - none did
   */
  readonly lost?: LostBatches;
  /** It was paused at the last look, so no deadline has gone on since then. @default - it was not */
  readonly isPaused?: true;
  /** How often the list was looked at in the whole rollout. */
  readonly looks: number;
  /** The shortest time from the roll of an endpoint to its convergence in this rollout. */
  readonly fastestRollMs: Ms | null;
  /**
   * When another process took the rollout over in this wave. How long a roll from before takes nobody has seen.
   * @default - none did
   */
  readonly resumed?: Watched;
  /**
   * How far the wave has ever got, as a number that only grows. An endpoint that goes back and forth makes no
   * progress.
   */
  readonly furthest: number;
  /** One observation for each endpoint of the plan up to the end of the wave. Earlier waves stay watched. */
  readonly observations: readonly Observation[];
}

/**
 * The clock of a rollout at the last moment that is stored. It has none before its first wave has begun.
 *
 * @param now When it begins then.
 */
export function clockOf(
  { progress, journal }: Pick<AskedRollout, 'progress' | 'journal'>,
  now: Instant,
): Moment {
  return progress === null ? startClock(now) : latestOf(progress.clock, journal);
}

/** How often the function of a batch has crashed in a wave, and with which error the last time. */
export interface LostBatches {
  /** As the engine names it: `Runtime.ExitError`. */
  readonly error: string;
  readonly times: number;
}

/** What a rollout under way was told, by a person or by another rollout. */
export interface Signal {
  /** One of `SIGNALS`. */
  readonly kind: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** The 0-based wave that is approved, rejected or promoted. `null` for the other kinds. */
  readonly wave: number | null;
  /** It is said of all waves that follow, too. @default - only of that wave */
  readonly isFull?: true;
  /**
   * What happens to the endpoints that were rolled, when the rollout is aborted or rejected.
   * @default - an abort holds; for a rejection the policy decides
   */
  readonly onFailure?: FailurePolicy;
  /** Who sent the signal: a person, or the id of the newer rollout. */
  readonly by: string;
  readonly reason: string;
}
