import type { Moment } from '../clock.ts';
import type { Attempts } from '../endpoint/attempts.ts';
import type { WriteOperation, WriteResult } from '../endpoint/journal.ts';
import type { RolloutRecord, Signal } from '../rollout/record.ts';

/** What a line of the journal says, before it has its time, its operation and its endpoint. */
export interface Noted {
  readonly result: WriteResult;
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
}

/** What became of the write to one endpoint. */
export interface Written extends Noted {
  readonly endpointId: string;
  readonly retryAfterSeconds?: number;
}

/** Why endpoints are left without a write. `called-off` names the reason of the `calledOff` below. */
export interface WhyLeft {
  readonly kind: 'called-off' | 'unreadable' | 'not-now';
  readonly reason: string;
  readonly message?: string | undefined;
}

export interface Known<Look> {
  readonly look: Look;
  /** When the look was complete. */
  readonly at: Moment;
  readonly signals: readonly Signal[];
  /** Ids of endpoints that are pinned, as it was heard last. */
  readonly pinned: ReadonlySet<string>;
  /** The attempts at every endpoint that has a line in the journal. */
  readonly all: ReadonlyMap<string, Attempts>;
}

/** What one kind of write goes by. */
export interface WriteRules<Look> {
  readonly operation: WriteOperation;
  /** Ids of the endpoints that may need the write, in the order in which they are looked at. */
  readonly endpointIds: readonly string[];
  /** For how many endpoints one look decides. */
  readonly endpointsPerLook: number;
  /** Milliseconds in which writes begin. The rest is left. */
  readonly longestMs: number;
  /** Whether the write is sent; if not, a line to note, or `undefined` when there is nothing to do. */
  decide(endpointId: string, attempts: Attempts, known: Known<Look>): 'send' | Noted | undefined;
  /** Why nothing of this kind is sent any more, or under a pause; `undefined` while it may be sent. */
  calledOff(heard: Pick<RolloutRecord, 'signals' | 'isPaused' | 'frozenBy'>): string | undefined;
  /** The line for an endpoint that is left without a write; `undefined`: none. */
  leave(attempts: Attempts, hindrance: WhyLeft): Noted | undefined;
  /** Whether a write without an answer is sent again in this run, if the next look still asks for it. */
  readonly repeatsUnknown: boolean;
  /**
   * Milliseconds to wait for the next look while nobody is let in; 0: no longer.
   *
   * @param begunAt When the run began, in milliseconds since the Unix epoch.
   * @default - nothing waits here, because the workflow does
   */
  readonly accessWaitMs?: (begunAt: number, now: number) => number;
  /** The number of the try, of a service that repeats writes. @default - it does not repeat them */
  readonly tryOf?: ((attempts: Attempts) => number) | undefined;
}
