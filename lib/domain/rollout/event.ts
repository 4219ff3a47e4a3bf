import type { Direction } from '../endpoint/journal.ts';
import type { Cleanup, OutcomeKind } from './outcome.ts';
import type { FailurePolicy } from './policy.ts';
import type { StartedBy } from './request.ts';

interface EventBase {
  /** The same however often it is sent. The ids of one rollout sort in the order of what they tell. */
  readonly eventId: string;
  readonly rolloutId: string;
  readonly runtimeId: string;
  readonly desiredVersion: number;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** A sentence for people. */
  readonly message: string;
}

/** The plan is frozen: the first write follows. */
export interface StartedEvent extends EventBase {
  readonly kind: 'started';
  readonly startedBy: StartedBy;
  /** Endpoints that are to be rolled. */
  readonly endpoints: number;
  /** Endpoints that are left alone. */
  readonly leftOut: number;
  readonly waves: number;
}

/**
 * - `wave-started`: its first rolls follow.
 * - `wave-converged`: every endpoint of it is live on its version; now it bakes.
 * - `approval-wanted`: it has baked, and waits for a person's word.
 */
export interface WaveEvent extends EventBase {
  readonly kind: 'wave-started' | 'wave-converged' | 'approval-wanted';
  readonly direction: Direction;
  /** 1-based. */
  readonly wave: number;
  readonly waves: number;
  /** Endpoints of the wave. */
  readonly endpoints: number;
}

/** It has failed or was aborted: what the failure policy says follows. */
export interface FailingEvent extends EventBase {
  readonly kind: 'failing';
  readonly reason: string;
  readonly onFailure: FailurePolicy;
}

/** Nothing follows. */
export interface EndedEvent extends Omit<EventBase, 'desiredVersion'> {
  readonly kind: 'ended';
  /** `null`: it was to be taken from another endpoint, and never was known. */
  readonly desiredVersion: number | null;
  readonly outcome: OutcomeKind;
  readonly cleanup: Cleanup;
  readonly reason: string;
  readonly counts: EndpointCounts;
}

/** Of the plan's endpoints. */
export interface EndpointCounts {
  readonly planned: number;
  /** A roll to the desired version was accepted, or may have been. */
  readonly rolled: number;
  /** A roll back was accepted, or may have been. */
  readonly rolledBack: number;
  readonly stopped: number;
  /** Stops that were kept back. */
  readonly kept: number;
}

/** What is told of a rollout. */
export type RolloutEvent = StartedEvent | WaveEvent | FailingEvent | EndedEvent;
export type RolloutEventKind = RolloutEvent['kind'];

type WaveKind = 'wave-started' | 'wave-converged' | 'approval-wanted';

const RANK: Readonly<Record<RolloutEventKind, number>> = {
  started: 0,
  'wave-started': 0,
  'wave-converged': 1,
  'approval-wanted': 2,
  failing: 2,
  ended: 9,
};

const WAY: Readonly<Record<Direction, number>> = { forward: 1, back: 3 };

/** Of an event that a rollout has once. */
export function eventIdOf(rolloutId: string, kind: Exclude<RolloutEventKind, WaveKind>): string {
  return `${rolloutId}/${RANK[kind]}-${kind}`;
}

/** Of an event that each wave of each direction has once. `wave` is 1-based. */
export function waveEventIdOf(
  rolloutId: string,
  kind: WaveKind,
  direction: Direction,
  wave: number,
): string {
  // A plan has at most 100 waves.
  return `${rolloutId}/${WAY[direction]}-${String(wave).padStart(3, '0')}-${RANK[kind]}-${kind}`;
}
