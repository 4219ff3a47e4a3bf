import type { Direction, JournalEntry } from '../endpoint/journal.ts';
import type { Observation } from '../endpoint/observation.ts';
import type { RolloutEvent } from './event.ts';
import type { Outcome } from './outcome.ts';
import type { Rollback, RolloutPlan } from './plan.ts';
import type { FailurePolicy } from './policy.ts';
import type { AskedRequest, RolloutRequest } from './request.ts';
import type { Waiting } from './waiting.ts';

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

/** The plan that is followed now: the way back once there is one. */
export function activePlan({
  plan,
  rollback,
}: Pick<AskedRollout, 'plan' | 'rollback'>): RolloutPlan | null {
  return rollback?.plan ?? plan;
}

/** Where the current wave stands. Replaced at every check, and at the start of a rollback. */
export interface WaveProgress {
  readonly direction: Direction;
  readonly wave: number;
  /** Milliseconds since the Unix epoch: the last time that the wave got further than ever before, or waited to repeat a roll. */
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

/** What a person says to a rollout that is under way; `give-way` is said by a newer rollout. */
export const SIGNAL_KINDS = ['approve', 'reject', 'abort', 'give-way'] as const;
export interface Signal {
  readonly kind: (typeof SIGNAL_KINDS)[number];
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** 0-based wave that is approved or rejected; `null` for the others. */
  readonly wave: number | null;
  /**
   * What happens to what was rolled, when it is aborted or rejected.
   * @default - hold of an abort; of a rejection the policy decides
   */
  readonly onFailure?: FailurePolicy;
  /** Who says it: a person, or the id of the newer rollout. */
  readonly by: string;
  /** Why. */
  readonly reason: string;
}

/** The abort that counts: whoever says more after a first one means it. */
export function findAbort(signals: readonly Signal[]): Signal | undefined {
  return signals.findLast(({ kind }) => kind === 'abort');
}
