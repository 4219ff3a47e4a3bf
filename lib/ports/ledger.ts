import type { JournalEntry } from '../domain/endpoint/journal.ts';
import type { RolloutEvent } from '../domain/rollout/event.ts';
import type { Lease } from '../domain/rollout/lease.ts';
import type { Outcome } from '../domain/rollout/outcome.ts';
import type { Rollback, RolloutPlan } from '../domain/rollout/plan.ts';
import type {
  AskedRollout,
  RolloutSummary,
  Signal,
  WaveProgress,
} from '../domain/rollout/record.ts';
import type { AskedRequest, RolloutRequest } from '../domain/rollout/request.ts';
import type { Waiting } from '../domain/rollout/waiting.ts';
import type { LatestRequest } from '../domain/turn/queue.ts';

/**
 * The memory of rollouts: request, frozen plan, journal, progress, outcome, and each runtime's lease.
 *
 * Times are milliseconds since the Unix epoch. Methods that take a lease throw `LeaseLost` when it is
 * no longer the runtime's newest or its rollout is closed. Anything that keeps the ledger from
 * answering is `LedgerUnavailable`.
 */
export interface Ledger {
  /**
   * Records a rollout that was asked for, before it has a lease. What is recorded of one that is known, opened
   * or closed, stays as it is: answers `false`, also for a new one whose first answer was lost.
   */
  enlist(request: AskedRequest, waiting: Waiting, now: number): Promise<boolean>;
  /**
   * Stores what a rollout waits for before it can begin, and what is known of its request by now; `null`: it
   * waits no more. Throws `RolloutNotFound`, `RolloutClosed`.
   */
  saveWaiting(request: AskedRequest, waiting: Waiting | null): Promise<void>;
  /**
   * Ids of the rollouts that were asked for, and neither opened nor closed. What changed within the last
   * seconds may not show yet.
   */
  listWaiting(): Promise<readonly string[]>;
  /**
   * Closes a rollout that was not opened, as `close` does: `open` throws `LeaseLost` from then on. Answers
   * its outcome; `null` where it was opened, and is left as it is. Throws `RolloutNotFound`.
   */
  withdraw(rolloutId: string, outcome: Outcome, now: number): Promise<Outcome | null>;
  /**
   * Takes the runtime's lease for the request's rollout and records the request.
   * Opening the same rollout again while it holds the lease answers the same lease.
   * The rollout that let the lease run out, if it has no outcome, is closed as `concludeTakenOver` says: it can
   * write nothing more, so nobody else would.
   * Throws `LeaseHeld` while another rollout holds it and it has not expired (with
   * `LEASE_TOLERANCE_MS` for clocks that differ), `LeaseLost` when this rollout is closed already.
   */
  open(request: RolloutRequest, now: number, leaseUntil: number): Promise<Lease>;
  /** Proves that the lease still holds, and extends it: it never gets shorter. */
  renew(lease: Lease, leaseUntil: number): Promise<void>;
  /** Stores the plan once; a second call must not change it and answers what is stored. */
  freezePlan(lease: Lease, plan: RolloutPlan): Promise<RolloutPlan>;
  /** Stores the way back once; a second call must not change it and answers what is stored. */
  freezeRollback(lease: Lease, rollback: Rollback): Promise<Rollback>;
  append(lease: Lease, entries: readonly JournalEntry[]): Promise<void>;
  saveProgress(lease: Lease, progress: WaveProgress): Promise<void>;
  /**
   * Adds what a person says to a rollout that is under way: needs no lease. Once this answers, no `close` can
   * come between: one that has not heard it stores nothing.
   * Throws `RolloutNotFound`, `RolloutClosed` when it has ended.
   */
  signal(rolloutId: string, signal: Signal): Promise<void>;
  /** What was said to a rollout until now, in order: little enough to ask for before every write. */
  readSignals(rolloutId: string): Promise<readonly Signal[]>;
  /** Stores what is told of the rollout, as unsent; one whose id is there already stays as it is. */
  recordEvent(lease: Lease, event: RolloutEvent): Promise<void>;
  /** Needs no lease: whoever sent them says so. Ids that nobody knows are ignored. */
  markSent(rolloutId: string, eventIds: readonly string[]): Promise<void>;
  /** Ids of rollouts with events that were not sent. What changed within the last seconds may not show yet. */
  listUnsent(): Promise<readonly string[]>;
  /**
   * Makes a wish the newest one of its runtime and service, unless a newer one is: a later one, or at the same
   * time one for a higher version. One that is gone at `now`, or whose time has yet to come, is no newer one.
   */
  recordLatestRequest(request: LatestRequest, now: number): Promise<void>;
  findLatestRequest(
    of: Pick<LatestRequest, 'runtimeId' | 'endpointUrl'>,
  ): Promise<LatestRequest | null>;
  /** The newest first, at most `limit` of them. What changed within the last seconds may not show yet. */
  list(query: RolloutQuery): Promise<readonly RolloutSummary[]>;
  /** Throws `RolloutNotFound`. */
  read(rolloutId: string): Promise<AskedRollout>;
  /**
   * Stores the outcome, with its event unsent, and gives the lease back, whoever holds it by then keeps theirs.
   * The first outcome wins: a second call answers the one that is stored. `null`, and nothing is stored, where
   * people had said more by then than the caller has heard: whoever closes looks again, since what was accepted
   * must be followed.
   * Throws `RolloutNotFound`.
   *
   * @param heard How many of its signals the outcome heeds. @default - all that there are
   */
  close(rolloutId: string, outcome: Outcome, now: number, heard?: number): Promise<Outcome | null>;
  /**
   * Every lease that was not given back, whether it has run out or not. What changed within the last
   * seconds may not show yet.
   */
  listHeld(): Promise<readonly HeldLease[]>;
  /**
   * Keeps a rollout that nobody has recorded from ever being: `open` throws `LeaseLost` from now on, and a
   * lease that half an `open` left behind is given back. Leaves a rollout that is recorded as it is.
   */
  bury(rolloutId: string): Promise<void>;
}

export interface RolloutQuery {
  /** @default - of every runtime */
  readonly runtimeId?: string | undefined;
  readonly limit: number;
}

export interface HeldLease extends Lease {
  /** Milliseconds since the Unix epoch. */
  readonly leaseUntil: number;
}
