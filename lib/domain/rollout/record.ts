import { type Instant, latestOf, type Moment, type Ms, startClock } from '../clock.ts';
import type { JournalEntry } from '../endpoint/journal.ts';
import type { Stored } from '../stored.ts';
import type { RolloutEvent } from './event.ts';
import type { Outcome } from './outcome.ts';
import type { Rollback, RolloutPlan } from './plan.ts';
import type { AskedRequest, RolloutRequest } from './request.ts';
import type { loggedHold, logLine, signal, waveProgress } from './stored.ts';
import type { Opening, Wait } from './wait.ts';

/** Everything that the ledger knows about one rollout, from the moment in which it was accepted. */
export interface AskedRollout {
  readonly request: AskedRequest;
  /** The epoch of the rollout's lease. 0: the rollout was never opened. */
  readonly epoch: number;
  /** When the rollout got its lease, or before that, when it was accepted. Milliseconds since the Unix epoch. */
  readonly startedAt: number;
  /** What the rollout waits for. `null`: it is at work, or it has ended. */
  readonly wait: Wait | null;
  /** What is known of it until it begins. `null`: it has begun, or it has ended. */
  readonly opening: Opening | null;
  readonly plan: RolloutPlan | null;
  /** `null`: the rollout goes forward. */
  readonly rollback: Rollback | null;
  readonly progress: WaveProgress | null;
  readonly journal: readonly JournalEntry[];
  /** What neither its writes nor its signals and events tell, in order. A line may be there twice. */
  readonly lines: readonly LogLine[];
  readonly signals: readonly Signal[];
  /** The events of the rollout, in order, without that of its end, which follows from the outcome. */
  readonly events: readonly RolloutEvent[];
  /** Ids of events that were not sent yet. The event of the end may be among them. */
  readonly unsent: readonly string[];
  readonly outcome: Outcome | null;
  readonly endedAt: Instant | null;
}

/** A rollout that was opened. Only such a rollout has a plan. */
export interface RolloutRecord extends AskedRollout {
  readonly request: RolloutRequest;
  /** A hold keeps it from its next roll and its next wave, as the step has read it; not stored. @default - none does */
  readonly isPaused?: true;
  /** Freezes of people that keep it from its next roll, as the step has read them; not stored. @default - none does */
  readonly frozenBy?: readonly Stored<typeof loggedHold>[];
  /** Ids of endpoints that are pinned, as the step has read it; not stored. @default - none is */
  readonly pinned?: ReadonlySet<string>;
  /** What the step has learnt of its holds, for the log. @default - nothing new */
  readonly news?: readonly LogLine[];
}

export function wasOpened(rollout: AskedRollout): rollout is RolloutRecord {
  return rollout.epoch > 0;
}

/** Whether it has frozen a plan that rolls something: only then does it end others. */
export function hasBegun({ plan }: Pick<AskedRollout, 'plan'>): boolean {
  return plan !== null && plan.waves.length > 0;
}

/**
 * What a list knows of one rollout: what it was asked for, what it waits for, and how it ended. Of a rollout that has begun
 * a list knows the wait as it was when it began.
 */
export interface RolloutSummary
  extends AskedRequest,
    Pick<AskedRollout, 'startedAt' | 'wait' | 'endedAt' | 'outcome'> {}

/** The plan that is followed now: that of the rollback once there is one. */
export function activePlan({
  plan,
  rollback,
}: Pick<AskedRollout, 'plan' | 'rollback'>): RolloutPlan | null {
  return rollback?.plan ?? plan;
}

/** The progress of this leg; `undefined`: it has not begun, or is over. What one has seen says nothing of another. */
export function progressOn(
  { progress }: Pick<AskedRollout, 'progress'>,
  { direction }: Pick<RolloutPlan, 'direction'>,
): WaveProgress | undefined {
  return progress?.direction === direction ? progress : undefined;
}

/** How far the current wave has got. It is replaced at every check and at the start of a rollback. */
export interface WaveProgress extends Stored<typeof waveProgress> {
  /** What the look adds to the log: whoever saves the progress stores it there, and not in it. @default - nothing */
  readonly news?: readonly LogLine[];
}

/** What happened in a rollout that is no write, signal or event. */
export type LogLine = Stored<typeof logLine>;

/** The clock at the last moment that is stored. @param now When it begins, if no wave has begun yet. */
export function clockOf(
  { progress, journal }: Pick<AskedRollout, 'progress' | 'journal'>,
  now: Instant,
): Moment {
  return progress === null ? startClock(now) : latestOf(progress.clock, journal);
}

/**
 * How long a rollout took up to its end, or has taken up to `now`: from its start on. When the clock says less than the
 * rollout was watched, it was set back meanwhile, and what was watched is the time that it took.
 */
export function elapsedOf(
  { startedAt, endedAt, progress }: Pick<AskedRollout, 'startedAt' | 'endedAt' | 'progress'>,
  now: Instant,
): Ms {
  const end = endedAt ?? now;
  const { at = end, watched = 0 } = progress?.clock ?? {};
  return Math.max(end - startedAt, watched + Math.max(0, end - at));
}

/** What a rollout under way was told, by a person or by another rollout. */
export interface Signal extends Stored<typeof signal> {}
