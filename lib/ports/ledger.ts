import type { Outcome } from '../domain/outcome.ts';
import type {
  JournalEntry,
  Lease,
  RolloutPlan,
  RolloutRecord,
  RolloutRequest,
  WaveProgress,
} from '../domain/rollout.ts';

/**
 * The memory of rollouts: request, frozen plan, journal, progress, outcome, and each runtime's lease.
 *
 * Times are milliseconds since the Unix epoch. Methods that take a lease throw `LeaseLost` when it is
 * no longer the runtime's newest or its rollout is closed. Anything that keeps the ledger from
 * answering is `LedgerUnavailable`.
 */
export interface Ledger {
  /**
   * Takes the runtime's lease for the request's rollout and records the request.
   * Opening the same rollout again while it holds the lease answers the same lease.
   * Throws `LeaseHeld` while another rollout holds it and it has not expired (with
   * `LEASE_TOLERANCE_MS` for clocks that differ), `LeaseLost` when this rollout is closed already.
   */
  open(request: RolloutRequest, now: number, leaseUntil: number): Promise<Lease>;
  /** Proves that the lease still holds, and extends it. */
  renew(lease: Lease, leaseUntil: number): Promise<void>;
  /** Stores the plan once; a second call must not change it and answers what is stored. */
  freezePlan(lease: Lease, plan: RolloutPlan): Promise<RolloutPlan>;
  append(lease: Lease, entries: readonly JournalEntry[]): Promise<void>;
  saveProgress(lease: Lease, progress: WaveProgress): Promise<void>;
  /** Throws `RolloutNotFound`. */
  read(rolloutId: string): Promise<RolloutRecord>;
  /**
   * Stores the outcome and gives the lease back, whoever holds it by then keeps theirs.
   * The first outcome wins: a second call answers the one that is stored.
   * Throws `RolloutNotFound`.
   */
  close(rolloutId: string, outcome: Outcome, now: number): Promise<Outcome>;
}
