import type { Phase } from '../../domain/story/phase.ts';
import { describeDuration } from './describe-duration.ts';

/** What a rollout is at, with its countdowns. `where` names the wave: `Wave 2 of 3`. */
export function describePhase(phase: Phase, where: string): string {
  switch (phase.phase) {
    case 'planning':
      return 'Reading the list, making the plan';
    case 'rolling':
      return `${where}: rolling, ${describeDeadline(phase.deadlineMs)}`;
    case 'unreadable':
      return `${where}: the list has not been readable for ${describeDuration(phase.forMs)}, ${describeDeadline(phase.deadlineMs)}`;
    case 'baking':
      return phase.isInDoubt
        ? `${where}: baking, in doubt since a look spoke against it`
        : `${where}: baking, ${describeDuration(phase.leftMs)} left`;
    case 'verifying':
      return `${where}: baked, verifying`;
    case 'approval':
      return `${where}: waits for approval, ${onTimeout(phase)}`;
    case 'stopping':
      return 'Stopping the old endpoints';
    case 'turning-around':
      return 'Planning the way back';
    case 'holding':
      return 'Ending, with everything as it is';
    case 'ended':
      return `${phase.outcome.outcome} (${phase.outcome.reason})`;
    default:
      return phase satisfies never;
  }
}

function describeDeadline(leftMs: number): string {
  return leftMs > 0 ? `deadline in ${describeDuration(leftMs)}` : 'deadline reached';
}

function onTimeout({ leftMs, onTimeout }: Extract<Phase, { phase: 'approval' }>): string {
  const what = onTimeout === 'approve' ? 'approved' : 'rejected';
  return `${what} by itself in ${describeDuration(leftMs)}`;
}
