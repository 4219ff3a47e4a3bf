import type { Direction } from '../endpoint/journal.ts';
import type { Stored } from '../stored.ts';
import type { endedEvent, failingEvent, startedEvent, waveEvent } from './stored.ts';

/** The plan is frozen, and the first write follows. */
export interface StartedEvent extends Stored<typeof startedEvent> {}

/** Kinds of the events that each wave has once in each direction. */
export const WAVE_KINDS = ['wave-started', 'wave-converged', 'approval-wanted'] as const;
type WaveKind = (typeof WAVE_KINDS)[number];

/**
 * - `wave-started`: the first rolls of the wave follow.
 * - `wave-converged`: every endpoint of the wave is live on its version, and the wave begins to bake.
 * - `approval-wanted`: the wave has baked, and waits for an approval.
 */
export interface WaveEvent extends Stored<typeof waveEvent> {}

/** The rollout has failed or was aborted. The failure policy says what follows. */
export interface FailingEvent extends Stored<typeof failingEvent> {}

/** The last event of a rollout. */
export interface EndedEvent extends Stored<typeof endedEvent> {}

export type RolloutEvent = StartedEvent | WaveEvent | FailingEvent | EndedEvent;
export type RolloutEventKind = RolloutEvent['kind'];

/** `undefined`: the rollout has not told that it fails or was aborted. */
export function failingOf(events: readonly RolloutEvent[]): FailingEvent | undefined {
  return events.find((event) => event.kind === 'failing');
}

const RANK: Readonly<Record<RolloutEventKind, number>> = {
  started: 0,
  'wave-started': 0,
  'wave-converged': 1,
  'approval-wanted': 2,
  failing: 2,
  ended: 9,
};

export const ROLLOUT_EVENT_KINDS = Object.keys(RANK) as readonly RolloutEventKind[];

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
