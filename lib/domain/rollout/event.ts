import type { Direction } from '../endpoint/journal.ts';
import type { GateLook } from './gates.ts';
import type { Cleanup, Ending, OutcomeKind } from './outcome.ts';
import type { FailureKind, FailurePolicy } from './policy.ts';
import type { StartedBy } from './request.ts';

interface EventBase {
  /** Stays the same however often the event is sent. The ids of one rollout sort in the order of its events. */
  readonly eventId: string;
  readonly rolloutId: string;
  readonly runtimeId: string;
  readonly desiredVersion: number;
  /** Id of the rollout of a group that has started this one. @default - none has */
  readonly parent?: string;
  /** Name of the group that the rollout is of, or whose rollout has started it. @default - neither */
  readonly group?: string;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** A sentence for people. */
  readonly message: string;
}

/** The plan is frozen, and the first write follows. */
export interface StartedEvent extends EventBase {
  readonly kind: 'started';
  readonly startedBy: StartedBy;
  /** How many endpoints are to be rolled. */
  readonly endpoints: number;
  /** How many endpoints are left alone. */
  readonly leftOut: number;
  readonly waves: number;
}

/** Kinds of the events that each wave has once in each direction. */
export const WAVE_KINDS = ['wave-started', 'wave-converged', 'approval-wanted'] as const;
type WaveKind = (typeof WAVE_KINDS)[number];

/**
 * - `wave-started`: the first rolls of the wave follow.
 * - `wave-converged`: every endpoint of the wave is live on its version, and the wave begins to bake.
 * - `approval-wanted`: the wave has baked, and waits for an approval.
 */
export interface WaveEvent extends EventBase {
  readonly kind: WaveKind;
  readonly direction: Direction;
  /** 1-based. */
  readonly wave: number;
  readonly waves: number;
  /** How many endpoints the wave has. */
  readonly endpoints: number;
  /**
   * Only with `wave-started`: what the gates of the wave before answered. It is stored with the event, and it is not
   * sent. @default - none were asked
   */
  readonly gates?: GateLook;
}

/** The rollout has failed or was aborted. The failure policy says what follows. */
export interface FailingEvent extends EventBase {
  readonly kind: 'failing';
  readonly reason: string;
  /** @default - it was aborted */
  readonly failure?: FailureKind;
  readonly onFailure: FailurePolicy;
  /** Why the rollout fails. It is stored with the event so that the failure binds, and it is not sent. */
  readonly cause: Ending;
  /**
   * What the gates of the wave answered at the last look before it. It is not sent either. @default - none were asked
   */
  readonly gates?: GateLook;
}

/** The last event of a rollout. */
export interface EndedEvent extends Omit<EventBase, 'desiredVersion'> {
  readonly kind: 'ended';
  /** `null`: the version was to be taken from another endpoint, and never became known. */
  readonly desiredVersion: number | null;
  readonly outcome: OutcomeKind;
  /** @default - nothing has failed */
  readonly failure?: FailureKind;
  readonly cleanup: Cleanup;
  readonly reason: string;
  readonly counts: EndpointCounts;
}

/** How many of the plan's endpoints had each kind of write. */
export interface EndpointCounts {
  readonly planned: number;
  /** Endpoints whose roll to the desired version was accepted, or may have been. */
  readonly rolled: number;
  /** Endpoints whose roll back was accepted, or may have been. */
  readonly rolledBack: number;
  readonly stopped: number;
  /** Endpoints whose stop was kept back. */
  readonly kept: number;
}

/** Every event that a rollout can have. */
export type RolloutEvent = StartedEvent | WaveEvent | FailingEvent | EndedEvent;
export type RolloutEventKind = RolloutEvent['kind'];

const RANK: Readonly<Record<RolloutEventKind, number>> = {
  started: 0,
  'wave-started': 0,
  'wave-converged': 1,
  'approval-wanted': 2,
  failing: 2,
  ended: 9,
};

const WAY: Readonly<Record<Direction, number>> = { forward: 1, back: 3 };

/** The id of an event that a rollout has once. */
export function eventIdOf(rolloutId: string, kind: Exclude<RolloutEventKind, WaveKind>): string {
  return `${rolloutId}/${RANK[kind]}-${kind}`;
}

/** The id of an event that each wave has once in each direction. `wave` is 1-based. */
export function waveEventIdOf(
  rolloutId: string,
  kind: WaveKind,
  direction: Direction,
  wave: number,
): string {
  // A plan has at most 100 waves.
  return `${rolloutId}/${WAY[direction]}-${String(wave).padStart(3, '0')}-${RANK[kind]}-${kind}`;
}
