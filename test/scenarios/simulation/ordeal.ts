import type { RolloutPolicy } from '../../../lib/domain/rollout/policy.ts';
import type { ListFault, While, WriteFault } from '../../../lib/rehearsal/faults.ts';
import type { Death } from '../../../lib/rehearsal/mortal-ledger.ts';
import type { Stall } from '../../support/stalling-ledger.ts';

/** One rollout from version 1 to 2, and everything that goes wrong in it. Plain data, so it can be printed. */
export interface Ordeal {
  readonly endpoints: readonly { readonly name: string; readonly version: number }[];
  readonly rollSeconds: number;
  readonly policy: OrdealPolicy;
  /** Faults of the simulated endpoints, as in a scenario file. */
  readonly broken: readonly BrokenEndpoint[];
  readonly lists: readonly ListFault[];
  readonly writes: readonly WriteFault[];
  readonly people: readonly Act[];
  /** Something that is said to the rollout just when one of its writes arrives. */
  readonly word: Word | null;
  readonly alarms: readonly AlarmFault[];
  readonly clock: ClockJump | null;
  /** The event bus takes nothing for a while. */
  readonly busDown: While | null;
  readonly death: Death | null;
  /** Seconds after which a killed process is resumed. `null`: nobody does, and another rollout takes its place. */
  readonly resumesAfter: number | null;
  readonly stall: Stall | null;
  /** Releases after this one, each of which fails everywhere. */
  readonly badReleases: number;
  readonly latencyMs: number;
  /** Seconds that it has to wait before it may begin: a freeze ends then. */
  readonly opensAfter: number;
  /** How many events an execution may have in its history before it hands over to the next one. */
  readonly executionEvents: number;
}

export type OrdealPolicy = Pick<
  RolloutPolicy,
  | 'waves'
  | 'maxUnavailable'
  | 'failureThreshold'
  | 'onFailure'
  | 'bakeSeconds'
  | 'pollSeconds'
  | 'maxPollSeconds'
  | 'progressDeadlineSeconds'
  | 'minServing'
  | 'allowDowngrade'
  | 'onConflict'
  | 'verify'
>;

interface BrokenEndpoint {
  readonly endpoint: string;
  /** @default 2 */
  readonly version?: number;
  readonly kind: string;
  readonly rollSeconds?: number;
  readonly afterSeconds?: number;
}

/** An abort in the midst of writes: when it rolls, when it stops, or on the way back. */
export interface Word {
  readonly said: 'hold' | 'stop-old' | 'roll-back';
  readonly at: 'roll' | 'roll-back' | 'stop';
  /** 1-based: which write of this kind. */
  readonly nth: number;
}

/** The alarm that every wave has to pass says something else than a yes for a while. */
export interface AlarmFault extends While {
  readonly verdict: 'fail' | 'unknown';
}

/** The clock of the steps is off for a while. */
export interface ClockJump extends While {
  readonly offsetMs: number;
}

/** What somebody else does. `before` says that it was done just before the rollout began. */
export type Act = { readonly atSecond: number | 'before' } & (
  | { readonly kind: 'move'; readonly endpoint: string; readonly version: number }
  | { readonly kind: 'stop'; readonly endpoint: string }
  | { readonly kind: 'create' }
  | { readonly kind: 'approve' | 'reject'; readonly wave: number }
  | { readonly kind: 'abort'; readonly onFailure: 'stop-old' | 'roll-back' | 'hold' }
  | { readonly kind: 'rival' }
  /** A release of the highest version that there can be. */
  | { readonly kind: 'absurd' }
);

/** Its process may die, and nobody goes on with it. */
export function wasLeft({ death, resumesAfter }: Ordeal): boolean {
  return death?.error === 'Killed' && resumesAfter === null;
}
