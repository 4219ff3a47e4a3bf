import type { Direction } from '../direction.ts';
import type { RolloutEventKind } from './rollout-event.ts';

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
