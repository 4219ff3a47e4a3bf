import type { Direction } from './direction.ts';

/**
 * What one complete read says of one endpoint of a wave.
 * - `pending`: not rolled yet.
 * - `requested`: the roll was sent, the target version does not show it yet.
 * - `progressing`: the target is the desired version, the live version is not there yet.
 * - `converged`: target = live = desired, and the status is not a known failure.
 * - `failed`: a known failure, or the service refused the roll.
 * - `missing`: not in the list.
 * - `reverted`: it had the desired target and shows an earlier one: an old answer, or somebody else. A
 *   minute and three reads of it are somebody else.
 * - `superseded`: somebody else moved it. Once seen, it stays so.
 */
export const ENDPOINT_STATES = [
  'pending',
  'requested',
  'progressing',
  'converged',
  'failed',
  'missing',
  'reverted',
  'superseded',
] as const;
export type EndpointState = (typeof ENDPOINT_STATES)[number];

/** An endpoint's state, and how many consecutive complete reads have said so. */
export interface Observation {
  readonly state: EndpointState;
  readonly reads: number;
  /** Its target was the desired version once: an earlier target is not ours any more. */
  readonly hadTarget?: true;
  /** Of `pending`: it is on its way already, to a version that was asked for before. */
  readonly isMoving?: true;
  /** It is live on the version, and has 0 replicas. */
  readonly isDark?: true;
  /** On the way back: it was broken when it was chosen to go, so it takes nobody's place. */
  readonly isBroken?: true;
  /**
   * Milliseconds since the Unix epoch: the first read that said so. Of `reverted`, and of `progressing` that looks as
   * if it were there but may be an old answer.
   */
  readonly since?: number;
  /** How far it has got before, where that was further than this. */
  readonly furthest?: number;
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
