import type { Instant } from '../domain/clock.ts';
import type { JournalEntry } from '../domain/endpoint/journal.ts';
import type { Hold } from '../domain/holds/hold.ts';
import type { RolloutEvent } from '../domain/rollout/event.ts';
import type { Lease } from '../domain/rollout/lease.ts';
import type { NotBegun } from '../domain/rollout/opening.ts';
import type { Outcome } from '../domain/rollout/outcome.ts';
import type { Rollback, RolloutPlan } from '../domain/rollout/plan.ts';
import type {
  AskedRollout,
  RolloutSummary,
  Signal,
  WaveProgress,
} from '../domain/rollout/record.ts';
import type { AskedRequest, RolloutRequest } from '../domain/rollout/request.ts';
import type { Wait, WaitChange } from '../domain/rollout/wait.ts';
import type { ReleaseWish } from '../domain/trigger/once.ts';
import type { LatestRequest } from '../domain/turn/queue.ts';

/**
 * The memory of rollouts: request, frozen plan, journal, progress, outcome, and each runtime's lease.
 *
 * Times are milliseconds since the Unix epoch. Methods that take a lease throw `LeaseLost` when it is no longer the
 * runtime's latest lease or its rollout is closed. When the ledger cannot answer for any reason, the error is
 * `LedgerUnavailable`.
 */
export interface Ledger {
  /**
   * Records a rollout that was asked for, before it has a lease. A rollout that is recorded already, open or closed,
   * stays as it is, and the answer is `false`. The answer is also `false` for a new one when the first answer was
   * lost.
   */
  enlist(request: AskedRequest, accepted: NotBegun, now: number): Promise<boolean>;
  /**
   * Stores for what a rollout waits that has not begun, and its request by now. Throws `RolloutNotFound`, `RolloutClosed`, and
   * `LeaseLost` when another process has begun it meanwhile.
   */
  saveWaiting(request: AskedRequest, waiting: NotBegun): Promise<void>;
  /** Ids of rollouts that were asked for and not opened or closed. The last seconds may not show yet. */
  listWaiting(): Promise<readonly string[]>;
  /**
   * Closes a rollout that was not opened, as `close` does: from then on `open` throws `LeaseLost`. Answers its
   * outcome. A rollout that was opened is left as it is, and the answer is `null`. Throws `RolloutNotFound`.
   *
   * @param read As for `close`.
   */
  withdraw(
    rolloutId: string,
    outcome: Outcome,
    now: number,
    read?: readonly Signal[],
  ): Promise<Outcome | null>;
  /**
   * Takes the runtime's lease for the request's rollout and records the request with the plan: from then on the rollout
   * has begun. Opening the same rollout again while it holds the lease answers the same lease, and changes no plan. If another rollout let the lease run out and has no outcome, it is
   * closed as `concludeTakenOver` says: it can write nothing more, so it could not close itself. Throws `LeaseHeld`
   * while another rollout holds the lease and it has not expired (with `LEASE_TOLERANCE_MS` for clocks that differ),
   * and `LeaseLost` when this rollout is closed already.
   *
   * @param begin What it begins with. `LeaseHeld` without a holder is thrown when somebody has had the lease, or has gone
   *   on with it, since the plan was made. @default - the rollout has begun before
   */
  open(request: RolloutRequest, now: number, leaseUntil: number, begin?: Begin): Promise<Lease>;
  /** Whether `open` would take the lease now; it changes nothing. Throws as `open` does when it would not. */
  mayOpen(request: RolloutRequest, now: number): Promise<FreeRuntime>;
  /**
   * Proves that the lease still holds and extends it. It never makes the lease shorter.
   *
   * Answers the holds, as `hear` does, in the same read.
   *
   * @param isProven The same step has read or written just now that the rollout is open: then only the lease is looked
   *   at, and no hold is answered. @default false
   */
  renew(lease: Lease, leaseUntil: number, isProven?: boolean): Promise<readonly Hold[]>;
  /** Stores the rollback once. A second call does not change it and answers the stored rollback. */
  freezeRollback(lease: Lease, rollback: Rollback): Promise<Rollback>;
  append(lease: Lease, entries: readonly JournalEntry[]): Promise<void>;
  /** @param change What it waits for after this look. @default - what it waited for before */
  saveProgress(lease: Lease, progress: WaveProgress, change?: WaitChange): Promise<void>;
  /**
   * Adds a signal to a rollout that is under way; it needs no lease. Once this has answered, a `close` by somebody
   * who has not read the signal stores nothing. Throws `RolloutNotFound`, `RolloutClosed` when the rollout has ended,
   * `NotUnderstood` when the code that runs the rollout does not know all words of the signal, and `ApprovalNotWanted` for
   * an answer to a wave to which none is taken now. An answer is of whoever has its `key`.
   */
  signal(rolloutId: string, signal: Signal): Promise<void>;
  /**
   * Takes no answer of a person from now on, and answers all that were taken. Whoever goes on, or ends, because of the
   * answers that it has read calls this first: an answer that it has not read must be followed.
   */
  stopAsking(lease: Lease): Promise<readonly Signal[]>;
  /** What a rollout has to heed, small enough to be read before every write. Without a record there are no signals. */
  hear(of: Pick<Lease, 'rolloutId' | 'runtimeId'>): Promise<Heard>;
  /** Every hold that was added. Some may be lifted, or over. */
  listHolds(): Promise<readonly Hold[]>;
  /** Adds a hold. It needs no lease. Throws `InvalidInput` when there are too many. */
  addHold(hold: Hold, now: number): Promise<void>;
  /** Lifts a hold, or with its kind an unlock. `false`: it is lifted already, or not there any more. */
  liftHold(
    hold: Pick<Hold, 'id' | 'scope'> & Partial<Pick<Hold, 'kind'>>,
    lifted: Required<Hold>['lifted'],
  ): Promise<boolean>;
  /** Notes what was sent of a hold, by the `notedAs` of its events. A hold that is not there any more is ignored. */
  markTold(hold: Pick<Hold, 'id' | 'kind' | 'scope'>, notes: readonly string[]): Promise<void>;
  /** Whether the code that runs a rollout understands this word, one of `UNDERSTOOD`. */
  understands(rolloutId: string, word: string): Promise<boolean>;
  /** Stores an event of the rollout as unsent. An event whose id is stored already stays as it is. */
  recordEvent(lease: Lease, event: RolloutEvent): Promise<void>;
  /** Marks events as sent. It needs no lease, because anybody may send them. Unknown ids are ignored. */
  markSent(rolloutId: string, eventIds: readonly string[]): Promise<void>;
  /** Ids of rollouts with events that were not sent. Changes of the last seconds may not show yet. */
  listUnsent(): Promise<readonly string[]>;
  /**
   * Stores a request as the latest one of its runtime and service, unless the stored one is newer: it came later, or
   * at the same time for a higher version. A stored request does not count as newer when its rollout is gone at
   * `now`, or when its time is in the future. A rollout that ends without having begun is gone at once.
   * Answers whether the request is stored.
   *
   * @param before It takes the place of just this one, whichever is newer. @default - of any
   */
  recordLatestRequest(
    request: LatestRequest,
    now: number,
    before?: LatestRequest | null,
  ): Promise<boolean>;
  findLatestRequest(
    of: Pick<LatestRequest, 'runtimeId' | 'endpointUrl'>,
  ): Promise<LatestRequest | null>;
  /**
   * Notes that the rollout of this wish rolls its release, unless another one does or has done so, as `isStillTaken` says. Answers the
   * id of the rollout that counts. Whoever dies after this has lost nothing: the next event of the release gets the same
   * answer, and starts that rollout.
   */
  takeRelease(wish: ReleaseWish, now: number): Promise<string>;
  /** The rollout because of which an event of a release would start none. `null`: it would start its own. */
  findTaker(of: Omit<ReleaseWish, 'rolloutId'>, now: number): Promise<string | null>;
  /** Rollouts, the newest first, at most `limit` of them. Changes of the last seconds may not show yet. */
  list(query: RolloutQuery): Promise<readonly RolloutSummary[]>;
  /** Throws `RolloutNotFound`. */
  read(rolloutId: string): Promise<AskedRollout>;
  /** The little that tells how a rollout is, in the smallest read there is. `null`: nobody has asked for it. */
  readSummary(rolloutId: string): Promise<RolloutSummary | null>;
  /**
   * Stores the outcome together with its unsent event, and gives back the lease. If another rollout holds the lease
   * by then, it keeps it. The first outcome wins: a second call answers the stored one. When the rollout has more
   * signals by now than the caller has read, nothing is stored and the answer is `null`: then the caller has to look
   * again, because every accepted signal must be followed. Throws `RolloutNotFound`.
   *
   * @param read The signals that the outcome takes into account. @default - all of them
   */
  close(
    rolloutId: string,
    outcome: Outcome,
    now: number,
    read?: readonly Signal[],
  ): Promise<Outcome | null>;
  /** Every lease that was not given back, expired or not. Changes of the last seconds may not show yet. */
  listHeld(): Promise<readonly HeldLease[]>;
  /**
   * Makes sure that a rollout that nobody has recorded can never begin: from now on `open` throws `LeaseLost`, and a
   * lease that half an `open` left behind is given back. A rollout that is recorded stays as it is.
   */
  bury(rolloutId: string): Promise<void>;
}

/** A runtime whose lease may be taken. */
export interface FreeRuntime {
  /** Of its lease. It grows whenever a rollout gets it. */
  readonly epoch: number;
  /** Of its lease. It grows whenever the rollout that has it goes on. 0: nobody has ever had it. */
  readonly leaseUntil: Instant;
  /** The rollout that let the lease run out and has not ended: `open` would end it. */
  readonly dead: string | null;
}

/** What a rollout begins with. */
export interface Begin extends Pick<FreeRuntime, 'epoch' | 'leaseUntil'> {
  /** Made after these were read, so nobody has rolled anything since. */
  readonly plan: RolloutPlan;
  /** `null`: the plan rolls nothing. */
  readonly progress: WaveProgress | null;
  /** What it waits for once its first rolls are sent. `null`: the plan rolls nothing. */
  readonly wait: Wait | null;
}

export interface Heard {
  /** Those of the rollout so far, in order, without those of kinds that this version does not know. */
  readonly signals: readonly Signal[];
  /** Those on everything, any group and the runtime that nobody has lifted. Some may be over, or on another rollout. */
  readonly holds: readonly Hold[];
}

export interface RolloutQuery {
  /** @default - of every runtime */
  readonly runtimeId?: string | undefined;
  readonly limit: number;
  /** Leaves out what has not begun, and what had nothing to do. @default - all */
  readonly hasRolled?: true | undefined;
}

export interface HeldLease extends Lease {
  readonly leaseUntil: Instant;
}
